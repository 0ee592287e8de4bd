#pragma once
// A strict JSON reader (RFC 8259) that hands out values as they come, and the one writer helper that files
// need. Law: every byte is looked at once and nothing is kept, so a document costs no more memory than what
// its reader keeps of it; anything that is not JSON is an Error that names the byte.

#include <string>
#include <string_view>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::io {

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

// Reads one document from front to back: ask for the kind of the next value, then read it as what it is.
//
//   reader.object([&](std::string key) { ... read the member's value ... });
//   reader.end();
//
// Reading a value as another kind throws "json/kind", anything that is no JSON "json/syntax", more than 64
// levels "json/depth". Two members of one key are the caller's to notice.
class JsonReader {
 public:
  enum class Kind : u8 { null, boolean, number, string, array, object };
  static constexpr int max_depth = 64;

  explicit JsonReader(std::string_view text) : text_(text) {}

  // Where the next value begins, in bytes.
  std::size_t offset() {
    skip_space();
    return at_;
  }
  // The kind of the next value, which its first byte tells.
  Kind kind() {
    skip_space();
    switch (const char c = peek()) {
      case '{':
        return Kind::object;
      case '[':
        return Kind::array;
      case '"':
        return Kind::string;
      case 't':
      case 'f':
        return Kind::boolean;
      case 'n':
        return Kind::null;
      default:
        if (c != '-' && !(c >= '0' && c <= '9')) fail("expected a JSON value");
        return Kind::number;
    }
  }

  void null() {
    require(Kind::null, "null");
    word("null");
  }
  bool boolean() {
    require(Kind::boolean, "true or false");
    const bool value = peek() == 't';
    word(value ? "true" : "false");
    return value;
  }
  // A string's characters, in UTF-8.
  std::string string() {
    require(Kind::string, "a string");
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
      const std::size_t length = utf8_length(text_.substr(at_, 4));
      if (length == 0) fail("invalid UTF-8");
      out.append(text_.substr(at_, length));
      at_ += length;
    }
    ++at_;
    return out;
  }
  // A number as it is written.
  std::string_view number() {
    require(Kind::number, "a number");
    const std::size_t start = at_;
    take('-');
    if (!take('0') && !digits()) fail("expected a digit");
    if (take('.') && !digits()) fail("expected a digit after '.'");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) fail("expected a digit in the exponent");
    }
    return text_.substr(start, at_ - start);
  }

  // element() has to read one value.
  template <class Element>
  void array(Element element) {
    require(Kind::array, "an array");
    enter();
    skip_space();
    if (!take(']')) {
      do {
        element();
        skip_space();
      } while (take(','));
      if (!take(']')) fail("expected ',' or ']'");
    }
    --depth_;
  }
  // member(key) has to read one value; keys come in the order of the file.
  template <class Member>
  void object(Member member) {
    require(Kind::object, "an object");
    enter();
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        if (peek() != '"') fail("expected a member name in quotes");
        std::string key = string();
        skip_space();
        if (!take(':')) fail("expected ':'");
        member(static_cast<std::string&&>(key));
        skip_space();
      } while (take(','));
      if (!take('}')) fail("expected ',' or '}'");
    }
    --depth_;
  }
  // Reads a value of any kind, and leaves it.
  void skip() {
    switch (kind()) {
      case Kind::null:
        return null();
      case Kind::boolean:
        static_cast<void>(boolean());
        return;
      case Kind::number:
        static_cast<void>(number());
        return;
      case Kind::string:
        static_cast<void>(string());
        return;
      case Kind::array:
        return array([&] { skip(); });
      case Kind::object:
        return object([&](const std::string&) { skip(); });
    }
  }
  // Nothing but space may follow.
  void end() {
    skip_space();
    if (at_ != text_.size()) fail("expected the end of the document");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw Error("json/syntax", std::string(what) + " at byte " + std::to_string(at_));
  }
  [[noreturn]] static void wrong_kind(std::size_t at, const char* wanted) {
    throw Error("json/kind", "the value at byte " + std::to_string(at) + " is not " + wanted);
  }
  void require(Kind wanted, const char* name) {
    if (kind() != wanted) wrong_kind(at_, name);
  }
  void enter() {
    if (++depth_ > max_depth)
      throw Error("json/depth", "nested more than 64 deep at byte " + std::to_string(at_));
    ++at_;
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) fail("expected a JSON value");
    at_ += expected.size();
  }
  bool digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start;
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
  int depth_ = 0;
};

// Appends `text` as a JSON string with its quotes; throws "json/utf8" when it is not UTF-8.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i, 4));
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

}  // namespace WEFT_NAMESPACE::io
