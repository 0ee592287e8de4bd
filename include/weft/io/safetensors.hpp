#pragma once
// The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes without a gap
// (https://github.com/huggingface/safetensors#format). Law: a file that opens is consistent, so every entry's
// bytes lie inside it and match its dtype and shape; anything else is an Error. Writing is atomic, and the
// same tensors always give the same bytes: those of Python's `safetensors`, which only orders metadata by
// chance.

#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"
#include "weft/core/refused_option.hpp"
#include "weft/core/shared.hpp"
#include "weft/core/types.hpp"
#include "weft/io/file.hpp"
#include "weft/io/json.hpp"
#include "weft/io/order.hpp"
#include "weft/io/other_format.hpp"
#include "weft/io/safetensors_dtype.hpp"

namespace WEFT_NAMESPACE::io {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little-endian, and so must be the host");

namespace safetensors_detail {

// The reference reader's limit.
inline constexpr std::size_t max_header = 100'000'000;
// What keeps the memory that a header takes to a few times its size; PyTorch and NumPy end at 64 axes, too.
inline constexpr std::size_t max_axes = 64, max_metadata = 1'000'000;

// The bytes of a tensor, or why there is no such number: the kind of the error, and what a message says.
struct ByteSize {
  u64 bytes = 0;
  const char* kind = nullptr;
  const char* fault = nullptr;
};
inline ByteSize byte_size(SafetensorsDType dtype, const std::vector<i64>& shape) {
  u64 size = 1;
  bool overflow = false;
  for (const i64 extent : shape)
    overflow = overflow || __builtin_mul_overflow(size, static_cast<u64>(extent), &size);
  const bool partial = dtype.bits() % 8 != 0;
  const int factor = partial ? dtype.bits() : dtype.bits() / 8;
  overflow = overflow || __builtin_mul_overflow(size, static_cast<u64>(factor), &size);
  if (overflow || size > static_cast<u64>(INT64_MAX))
    return {0, "overflow", "has a size that 64 bits do not hold"};
  if (partial && size % 8 != 0)
    return {0, "size-mismatch", "has elements smaller than a byte that do not fill whole bytes"};
  return {partial ? size / 8 : size};
}

}  // namespace safetensors_detail

WEFT_REFUSAL(EntryIsRead,
             "a file's entry has its dtype and shape while the program runs: read it, Tensor<f32, Shape<4>> "
             "x(file.at(\"x\").to_vector<f32>()), an Error where it is of another dtype or size");

WEFT_REFUSAL(
    EntryIsNamed,
    "a file's tensors have names: write file.at(\"fc.weight\").to_vector<f32>(), whose vector a Tensor<f32, "
    "Shape<4, 8>> is made of; for (const auto& entry : file.entries()) walks all of them");

// One tensor of an open file.
struct SafetensorsEntry {
  std::string name;          // of the tensor
  SafetensorsDType dtype;    // of its elements
  std::vector<i64> shape;    // extents; none: one element
  const u8* data = nullptr;  // little-endian, row-major; other writers need not have aligned it
  u64 bytes = 0;             // in the mapped file
  Shared<Counted> file{};    // what `data` points into; none where that is the caller's memory

  // Elements.
  i64 size() const {
    i64 size = 1;
    for (const i64 extent : shape) size *= extent;
    return size;
  }
  // Copies all elements to `out`; throws "safetensors/dtype" when T is not the entry's dtype.
  template <class T>
  void copy_to(T* out) const {
    check_dtype<T>();
    if constexpr (std::is_same_v<T, bool>) {
      for (u64 i = 0; i < bytes; ++i) out[i] = data[i] != 0;
    } else if (bytes > 0) {
      std::memcpy(out, data, bytes);
    }
  }
  // The same as a vector.
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> elements(static_cast<std::size_t>(size()));
    if constexpr (std::is_same_v<T, bool>) {
      check_dtype<T>();
      for (u64 i = 0; i < bytes; ++i) elements[i] = data[i] != 0;
    } else {
      copy_to(elements.data());
    }
    return elements;
  }

  template <class X>
  requires requires { typename X::shape; }
  operator X() const {
    static_assert(sizeof(EntryIsRead<sizeof(X) == 0, X>) > 0);
    return {};
  }

 private:
  template <class T>
  void check_dtype() const {
    if (dtype != dtype_of<T>)
      throw Error("safetensors/dtype",
                  "tensor '" + name + "' is " + dtype.text() + ", not " + std::string(name_of(dtype_of<T>)));
  }
};

namespace safetensors_detail {
struct HeldFile final : Counted {
  explicit HeldFile(MappedFile&& file) : map(std::move(file)) {}
  MappedFile map;
};
// Of entries that are put together.
struct HeldBytes final : Counted {
  std::vector<u8> bytes;
};
}  // namespace safetensors_detail

// A safetensors file open for reading. Its entries keep the file mapped; pointers and references to them live
// as long as this object.
class Safetensors {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;  // keys and values, by key

  // Maps the file. Throws the file's errors or "safetensors/...".
  explicit Safetensors(const std::string& path) {
    const Shared<safetensors_detail::HeldFile> file(new safetensors_detail::HeldFile{MappedFile(path)});
    parse(file->map.data(), file->map.size(), path, file);
  }
  // Reads from memory of the caller's, which outlives this object and copies of its entries.
  Safetensors(const void* bytes, std::size_t size) { parse(static_cast<const u8*>(bytes), size, "memory"); }
  // Entries of several files as if they were one file's (io/safetensors_index.hpp). Throws
  // "safetensors/duplicate-name".
  Safetensors(std::string source, std::vector<SafetensorsEntry> entries, Metadata metadata)
      : source_(std::move(source)), entries_(std::move(entries)), metadata_(std::move(metadata)) {
    order_names();
  }

  // In the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const& { return entries_; }
  std::vector<SafetensorsEntry> entries() && { return std::move(entries_); }
  // Pairs of text in the file's header.
  const Metadata& metadata() const& { return metadata_; }
  Metadata metadata() && { return std::move(metadata_); }
  // The metadata's value for this key, or nullptr.
  const std::string* find_metadata(std::string_view key) const {
    for (const auto& [known, value] : metadata_)
      if (known == key) return &value;
    return nullptr;
  }
  // The entry with this name, or nullptr.
  const SafetensorsEntry* find(std::string_view name) const {
    std::size_t low = 0, high = by_name_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (entries_[by_name_[middle]].name < name)
        low = middle + 1;
      else
        high = middle;
    }
    const SafetensorsEntry* entry = low < by_name_.size() ? &entries_[by_name_[low]] : nullptr;
    return entry != nullptr && entry->name == name ? entry : nullptr;
  }
  // The entry with this name; throws "safetensors/missing".
  const SafetensorsEntry& at(std::string_view name) const& {
    if (const SafetensorsEntry* entry = find(name)) return *entry;
    throw Error("safetensors/missing", "'" + source_ + "' has no tensor '" + std::string(name) + "'");
  }
  SafetensorsEntry at(std::string_view name) && { return std::as_const(*this).at(name); }
  // As at().
  const SafetensorsEntry& operator[](std::string_view name) const& { return at(name); }
  SafetensorsEntry operator[](std::string_view name) && { return std::as_const(*this).at(name); }

  // Refusals: at(0), of which a null string would be made, and what others call at().
#define WEFT_MEMBER(name, result)                                         \
  template <class Number>                                                 \
  requires is_no_name<Number> result name(Number)                         \
  const {                                                                 \
    static_assert(sizeof(EntryIsNamed<sizeof(Number) == 0, Number>) > 0); \
    return {};                                                            \
  }
  WEFT_MEMBER(at, SafetensorsEntry)
  WEFT_MEMBER(operator[], SafetensorsEntry)
  WEFT_MEMBER(find, const SafetensorsEntry*)
#undef WEFT_MEMBER
#define WEFT_MEMBER(name)                                              \
  WEFT_REFUSED_MEMBER(name, AfterRefusal{}, EntryIsNamed, Safetensors) \
  template <class T, class... A>                                       \
  auto name(const A&...) const {                                       \
    static_assert(sizeof(EntryIsNamed<(sizeof...(A) > 1024), T>) > 0); \
    return AfterRefusal{};                                             \
  }
  WEFT_MEMBER(get)
  WEFT_MEMBER(get_tensor)
  WEFT_MEMBER(tensor)
  WEFT_MEMBER(read)
  WEFT_MEMBER(keys)
#undef WEFT_MEMBER

 private:
  // A name may be as long as the header, a message not.
  [[noreturn]] void fail(const char* id, const std::string& what) const {
    throw Error(std::string("safetensors/") + id, "'" + source_ + "': " + what.substr(0, 1000));
  }

  void parse(const u8* bytes, std::size_t size, const std::string& source, const Shared<Counted>& file = {}) {
    source_ = source;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (size < 8) fail("truncated", "only " + std::to_string(size) + " bytes, the header's length takes 8");
    u64 length = 0;
    std::memcpy(&length, bytes, 8);
    const bool fits = length <= safetensors_detail::max_header && length <= size - 8;
    if (!fits || length == 0 || text[8] != '{')
      if (const std::string other = other_format(text, source); !other.empty())
        fail("other-format", "this is no safetensors file: " + other);
    if (length > safetensors_detail::max_header)
      fail("header-too-large",
           "the header claims " + std::to_string(length) + " bytes, the limit is 100000000");
    if (length > size - 8)
      fail("header-beyond-file", "the header claims " + std::to_string(length) + " bytes, the file holds " +
                                     std::to_string(size - 8) + " after its length");
    read_header(text.substr(8, static_cast<std::size_t>(length)));
    place(bytes + 8 + length, size - 8 - length, file);
  }

  void read_header(std::string_view text) {
    if (text.empty() || text[0] != '{') fail("bad-header", "the header is not a JSON object");
    // A tensor takes some 50 bytes at the least: so many at the most, and no growing on the way.
    entries_.reserve(text.size() / 50 + 1);
    JsonReader json(text);
    bool described = false;
    try {
      json.object([&](std::string name) {
        if (name != "__metadata__") return read_entry(std::move(name), json);
        if (std::exchange(described, true)) fail("duplicate-name", "__metadata__ stands in the header twice");
        read_metadata(json);
      });
      json.end();
    } catch (const Error& error) {
      if (error.id() == "json/kind") fail("bad-header", error.what());
      if (error.id().starts_with("json/")) fail("bad-json", error.what());
      throw;
    }
  }

  void read_metadata(JsonReader& json) {
    Metadata found;
    json.object([&](std::string key) {
      if (found.size() == safetensors_detail::max_metadata)
        fail("header-too-large", "more than a million keys of metadata");
      found.emplace_back(std::move(key), json.string());
    });
    metadata_.reserve(found.size());
    for (const u32 i :
         order_by(found.size(), [&](u32 a, u32 b) { return found[a].first < found[b].first; })) {
      if (!metadata_.empty() && metadata_.back().first == found[i].first)
        fail("duplicate-name", "the metadata has the key '" + found[i].first + "' twice");
      metadata_.push_back(std::move(found[i]));
    }
  }

  // A count or an offset: digits alone, of an integer below 2^63.
  i64 count(const std::string& tensor, JsonReader& json) const {
    const std::size_t at = json.offset();
    i64 value = -1;
    if (json.kind() == JsonReader::Kind::number) {
      const std::string_view text = json.number();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || end != text.data() + text.size() || text[0] == '-') value = -1;
    }
    if (value < 0)
      fail("bad-number", "tensor '" + tensor + "' has a shape or offset, at byte " + std::to_string(at) +
                             " of the header, that is not a non-negative 64-bit integer");
    return value;
  }

  void read_entry(std::string&& name, JsonReader& json) {
    SafetensorsEntry entry;
    entry.name = std::move(name);
    std::vector<i64> offsets;
    unsigned seen = 0;
    json.object([&](const std::string& key) {
      const unsigned field = key == "dtype" ? 1u : key == "shape" ? 2u : key == "data_offsets" ? 4u : 0u;
      if (field == 0) fail("bad-header", "tensor '" + entry.name + "' has an unknown field '" + key + "'");
      if (seen & field) fail("bad-header", "tensor '" + entry.name + "' has the field '" + key + "' twice");
      seen |= field;
      if (field == 1) {
        const std::string dtype = json.string();
        if (!SafetensorsDType::find(dtype, entry.dtype))
          fail("unknown-dtype",
               "tensor '" + entry.name + "' has dtype '" + dtype + "', which the format does not have");
      } else {
        std::vector<i64>& numbers = field == 2 ? entry.shape : offsets;
        const std::size_t most = field == 2 ? safetensors_detail::max_axes : 2;
        json.array([&] {
          if (numbers.size() == most)
            fail("bad-header", "tensor '" + entry.name + "' has a field '" + key + "' of more than " +
                                   std::to_string(most) + " numbers");
          numbers.push_back(count(entry.name, json));
        });
      }
    });
    if (seen != 7)
      fail("bad-header", "tensor '" + entry.name + "' needs the fields dtype, shape and data_offsets");
    if (offsets.size() != 2) fail("bad-header", "tensor '" + entry.name + "' needs two data_offsets");
    const u64 begin = static_cast<u64>(offsets[0]), end = static_cast<u64>(offsets[1]);
    if (end < begin) fail("reversed-range", "tensor '" + entry.name + "' ends before it begins");
    const auto needed = safetensors_detail::byte_size(entry.dtype, entry.shape);
    if (needed.fault != nullptr) fail(needed.kind, "tensor '" + entry.name + "' " + needed.fault);
    entry.bytes = needed.bytes;
    if (entry.bytes != end - begin)
      fail("size-mismatch", "tensor '" + entry.name + "' has " + std::to_string(end - begin) +
                                " bytes where its dtype and shape need " + std::to_string(entry.bytes));
    begins_.push_back(begin);
    entries_.push_back(std::move(entry));
  }

  // Checks that the names differ.
  void order_names() {
    by_name_ = order_by(entries_.size(), [&](u32 a, u32 b) { return entries_[a].name < entries_[b].name; });
    for (std::size_t i = 1; i < by_name_.size(); ++i)
      if (entries_[by_name_[i]].name == entries_[by_name_[i - 1]].name)
        fail("duplicate-name", "two tensors are called '" + entries_[by_name_[i]].name + "'");
  }

  // Checks that the names differ and the ranges tile the data, puts the entries in the order of their bytes
  // and points them at these.
  void place(const u8* data, u64 size, const Shared<Counted>& file) {
    order_names();
    u64 covered = 0;
    std::vector<SafetensorsEntry> placed;
    placed.reserve(entries_.size());
    std::vector<u32> place_of(entries_.size());
    for (const u32 i : order_by(entries_.size(), [&](u32 a, u32 b) {
           if (begins_[a] != begins_[b]) return begins_[a] < begins_[b];
           if (entries_[a].bytes != entries_[b].bytes) return entries_[a].bytes < entries_[b].bytes;
           return entries_[a].name < entries_[b].name;
         })) {
      SafetensorsEntry& entry = entries_[i];
      const u64 begin = begins_[i], end = begin + entry.bytes;
      const auto where = [&] {
        return "tensor '" + entry.name + "' at [" + std::to_string(begin) + ", " + std::to_string(end) +
               ") of " + std::to_string(size) + " bytes of data";
      };
      if (begin < covered) fail("overlap", where() + " overlaps the one before it");
      if (begin > covered && end > size) fail("out-of-range", where() + " lies outside");
      if (begin > covered) fail("hole", where() + " leaves unused bytes before it");
      if (end > size) fail("truncated", where() + " is cut short");
      covered = end;
      entry.data = data + begin;
      entry.file = file;
      place_of[i] = static_cast<u32>(placed.size());
      placed.push_back(std::move(entry));
    }
    if (covered != size)
      fail("hole", std::to_string(size - covered) + " bytes after the last tensor belong to none");
    entries_ = std::move(placed);
    begins_ = {};
    for (u32& i : by_name_) i = place_of[i];
  }

  std::string source_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<u64> begins_;   // entry by entry, while the header is read
  std::vector<u32> by_name_;  // entry numbers ordered by name
  Metadata metadata_;
};

// A tensor to be written: row-major elements in host memory.
struct SafetensorsTensor {
  std::string name;            // of the tensor
  SafetensorsDType dtype;      // of its elements
  std::vector<i64> shape;      // extents; none: one element
  const void* data = nullptr;  // elements, row-major
};

// The header of a file that holds `tensors` in the order `order`, padded so that the data begin 8-byte
// aligned.
inline std::string safetensors_header(const std::vector<SafetensorsTensor>& tensors,
                                      const std::vector<u32>& order, const Safetensors::Metadata& metadata) {
  namespace detail = safetensors_detail;
  std::string header = "{";
  const auto by_key =
      order_by(metadata.size(), [&](u32 a, u32 b) { return metadata[a].first < metadata[b].first; });
  for (std::size_t i = 0; i < by_key.size(); ++i) {
    const auto& [key, value] = metadata[by_key[i]];
    if (i > 0 && metadata[by_key[i - 1]].first == key)
      throw Error("safetensors/duplicate-name", "the metadata has the key '" + key + "' twice");
    header += i == 0 ? "\"__metadata__\":{" : ",";
    append_json_string(header, key);
    header += ':';
    append_json_string(header, value);
  }
  if (!metadata.empty()) header += '}';
  u64 offset = 0;
  for (const u32 i : order) {
    const SafetensorsTensor& tensor = tensors[i];
    if (tensor.name == "__metadata__")
      throw Error("safetensors/bad-name", "a tensor cannot be called '__metadata__': the format reserves it");
    std::string shape;
    for (const i64 extent : tensor.shape) {
      if (extent < 0)
        throw Error("safetensors/bad-number", "tensor '" + tensor.name + "' has a negative extent");
      if (!shape.empty()) shape += ',';
      shape += std::to_string(extent);
    }
    const u64 begin = offset;
    const detail::ByteSize needed = detail::byte_size(tensor.dtype, tensor.shape);
    if (needed.fault != nullptr)
      throw Error(std::string("safetensors/") + needed.kind, "tensor '" + tensor.name + "' " + needed.fault);
    if (__builtin_add_overflow(offset, needed.bytes, &offset) || offset > static_cast<u64>(INT64_MAX))
      throw Error("safetensors/overflow", "all tensors together do not fit in 64 bits");
    if (header.size() > 1) header += ',';
    append_json_string(header, tensor.name);
    header += ":{\"dtype\":\"";
    header += tensor.dtype.name();
    header += "\",\"shape\":[";
    header += shape;
    header += "],\"data_offsets\":[";
    header += std::to_string(begin);
    header += ",";
    header += std::to_string(offset);
    header += "]}";
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > detail::max_header)
    throw Error("safetensors/header-too-large",
                "the header takes " + std::to_string(header.size()) + " bytes");
  return header;
}

// Writes the tensors atomically, widest dtype first and then by name, whatever order they come in. Throws the
// file's errors, "safetensors/duplicate-name", "safetensors/bad-name", "safetensors/bad-number" (a negative
// extent), "safetensors/overflow", "safetensors/header-too-large", or "json/utf8" for a name that is no
// UTF-8.
inline void write_safetensors(const std::string& path, const std::vector<SafetensorsTensor>& tensors,
                              const Safetensors::Metadata& metadata = {}) {
  namespace detail = safetensors_detail;
  const auto names =
      order_by(tensors.size(), [&](u32 a, u32 b) { return tensors[a].name < tensors[b].name; });
  for (std::size_t i = 1; i < names.size(); ++i)
    if (tensors[names[i]].name == tensors[names[i - 1]].name)
      throw Error("safetensors/duplicate-name", "two tensors are called '" + tensors[names[i]].name + "'");
  const auto order = order_by(tensors.size(), [&](u32 a, u32 b) {
    const int rank_a = tensors[a].dtype.rank(), rank_b = tensors[b].dtype.rank();
    return rank_a != rank_b ? rank_a > rank_b : tensors[a].name < tensors[b].name;
  });
  const std::string header = safetensors_header(tensors, order, metadata);
  AtomicFile file(path);
  const u64 length = header.size();
  file.write(&length, 8);
  file.write(header);
  for (const u32 i : order)
    file.write(tensors[i].data, detail::byte_size(tensors[i].dtype, tensors[i].shape).bytes);
  file.commit();
}

}  // namespace WEFT_NAMESPACE::io
