#pragma once
// A strict JSON reader (RFC 8259) and the one writer helper that files need. Law: `parse_json` either returns
// the whole document or throws an Error that names the byte offset; no input makes it crash or recurse
// deeply.

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/io/order.hpp"

namespace weft::io {

// One JSON value. Object members keep the order of the file. Numbers keep their text, so that 64-bit
// integers survive.
class Json {
 public:
  enum class Kind : u8 { null, boolean, number, string, array, object };

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  // Where the value began in the document, in bytes.
  std::size_t offset() const { return offset_; }

  // Each of these throws "json/kind" when the value is of another kind; `as_i64` also when the number is
  // written with a fraction or an exponent, or does not fit.
  bool as_bool() const { return require(Kind::boolean, "true or false"), flag_; }
  const std::string& as_string() const { return require(Kind::string, "a string"), text_; }
  const std::vector<Json>& as_array() const { return require(Kind::array, "an array"), items_; }
  i64 as_i64() const {
    require(Kind::number, "a number");
    i64 value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || end != text_.data() + text_.size()) wrong_kind("a 64-bit integer");
    return value;
  }
  f64 as_f64() const {
    require(Kind::number, "a number");
    f64 value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || end != text_.data() + text_.size())
      wrong_kind("a number in the range of f64");
    return value;
  }

  // Object members in file order: key(i) belongs to value(i).
  std::size_t size() const { return items_.size(); }
  const std::string& key(std::size_t i) const { return require(Kind::object, "an object"), keys_.at(i); }
  const Json& value(std::size_t i) const { return require(Kind::object, "an object"), items_.at(i); }
  // The member with this key, or nullptr.
  const Json* find(std::string_view name) const {
    require(Kind::object, "an object");
    std::size_t low = 0, high = sorted_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (keys_[sorted_[middle]] < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low < sorted_.size() && keys_[sorted_[low]] == name ? &items_[sorted_[low]] : nullptr;
  }
  // The member with this key; throws "json/missing-key".
  const Json& at(std::string_view name) const {
    if (const Json* found = find(name)) return *found;
    throw Error("json/missing-key", "the object at byte " + std::to_string(offset_) + " has no member '" +
                                        std::string(name) + "'");
  }

 private:
  friend class JsonParser;
  void require(Kind kind, const char* wanted) const {
    if (kind_ != kind) wrong_kind(wanted);
  }
  [[noreturn]] void wrong_kind(const char* wanted) const {
    throw Error("json/kind", "the value at byte " + std::to_string(offset_) + " is not " + wanted);
  }

  Kind kind_ = Kind::null;
  bool flag_ = false;
  std::size_t offset_ = 0;
  std::string text_;         // a string's characters (UTF-8), or a number as written
  std::vector<Json> items_;  // an array's elements, or an object's values
  std::vector<std::string> keys_;
  std::vector<u32> sorted_;  // member numbers ordered by key
};

// The length in bytes of the well-formed UTF-8 sequence at the front of `text` (Unicode 15, table 3-7), or 0.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<u8>(text[i]) : u8{0}; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const u8 first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = tail(1) && (first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) <= 0x9F);
    return second && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = tail(1) && (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) <= 0x8F);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}
  Json document() {
    Json root = value(0);
    skip_space();
    if (at_ != text_.size()) fail("expected the end of the document");
    return root;
  }

 private:
  static constexpr int max_depth = 64;

  [[noreturn]] void fail(const char* what) const {
    throw Error("json/syntax", std::string(what) + " at byte " + std::to_string(at_));
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) fail("expected a JSON value");
    at_ += expected.size();
  }

  Json value(int depth) {
    if (depth > max_depth)
      throw Error("json/depth", "nested more than 64 deep at byte " + std::to_string(at_));
    skip_space();
    Json result;
    result.offset_ = at_;
    const char c = peek();
    if (c == '{') {
      object(result, depth);
    } else if (c == '[') {
      array(result, depth);
    } else if (c == '"') {
      result.kind_ = Json::Kind::string;
      result.text_ = string();
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      number(result);
    } else if (c == 't') {
      word("true");
      result.kind_ = Json::Kind::boolean;
      result.flag_ = true;
    } else if (c == 'f') {
      word("false");
      result.kind_ = Json::Kind::boolean;
    } else {
      word("null");
    }
    return result;
  }

  void array(Json& result, int depth) {
    result.kind_ = Json::Kind::array;
    ++at_;
    skip_space();
    if (take(']')) return;
    do {
      result.items_.push_back(value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take(']')) fail("expected ',' or ']'");
  }

  void object(Json& result, int depth) {
    result.kind_ = Json::Kind::object;
    ++at_;
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        if (peek() != '"') fail("expected a member name in quotes");
        result.keys_.push_back(string());
        skip_space();
        if (!take(':')) fail("expected ':'");
        result.items_.push_back(value(depth + 1));
        skip_space();
      } while (take(','));
      if (!take('}')) fail("expected ',' or '}'");
    }
    index_members(result);
  }

  static void index_members(Json& object) {
    const auto& keys = object.keys_;
    object.sorted_ = order_by(keys.size(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[object.sorted_[i]] == keys[object.sorted_[i - 1]])
        throw Error("json/duplicate-key", "'" + keys[object.sorted_[i]] +
                                              "' occurs twice in the object at byte " +
                                              std::to_string(object.offset_));
  }

  bool digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start;
  }
  void number(Json& result) {
    const std::size_t start = at_;
    take('-');
    if (!take('0') && !digits()) fail("expected a digit");
    if (take('.') && !digits()) fail("expected a digit after '.'");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) fail("expected a digit in the exponent");
    }
    result.kind_ = Json::Kind::number;
    result.text_ = text_.substr(start, at_ - start);
  }

  std::string string() {
    std::string out;
    ++at_;
    while (true) {
      if (at_ >= text_.size()) fail("unterminated string");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<u8>(c) < 0x20) fail("control character in a string");
      if (c == '\\') {
        ++at_;
        escape(out);
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) fail("invalid UTF-8");
      out.append(text_.substr(at_, length));
      at_ += length;
    }
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    const std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    if (take('u')) {
      u32 code = hex4();
      if (code >= 0xDC00 && code <= 0xDFFF) fail("low surrogate without a high one");
      if (code >= 0xD800 && code <= 0xDBFF) {
        if (!take('\\') || !take('u')) fail("high surrogate without a low one");
        const u32 low = hex4();
        if (low < 0xDC00 || low > 0xDFFF) fail("high surrogate without a low one");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      }
      append_utf8(out, code);
      return;
    }
    const std::size_t which = at_ < text_.size() ? names.find(peek()) : std::string_view::npos;
    if (which == std::string_view::npos) fail("unknown escape");
    out.push_back(values[which]);
    ++at_;
  }
  u32 hex4() {
    u32 code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      if (c >= '0' && c <= '9')
        code = code * 16 + static_cast<u32>(c - '0');
      else if (c >= 'a' && c <= 'f')
        code = code * 16 + static_cast<u32>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        code = code * 16 + static_cast<u32>(c - 'A' + 10);
      else
        fail("expected four hexadecimal digits");
    }
    return code;
  }
  static void append_utf8(std::string& out, u32 code) {
    const auto put = [&](u32 byte) { out.push_back(static_cast<char>(static_cast<u8>(byte))); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | (code >> 6)), put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12)), put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
    } else {
      put(0xF0 | (code >> 18)), put(0x80 | ((code >> 12) & 0x3F));
      put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Reads one document. Throws "json/syntax", "json/depth" (more than 64 levels) or "json/duplicate-key".
inline Json parse_json(std::string_view text) { return JsonParser(text).document(); }

// Appends `text` as a JSON string with its quotes; throws "json/utf8" when it is not UTF-8.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) throw Error("json/utf8", "byte " + std::to_string(i) + " of the string is not UTF-8");
    const char c = text[i];
    const std::string_view special = "\"\\\b\f\n\r\t";
    if (const std::size_t which = special.find(c); which != std::string_view::npos) {
      out.push_back('\\');
      out.push_back("\"\\bfnrt"[which]);
    } else if (static_cast<u8>(c) < 0x20) {
      out += "\\u00";
      out.push_back(hex[static_cast<u8>(c) >> 4]);
      out.push_back(hex[c & 15]);
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  out.push_back('"');
}

}  // namespace weft::io
