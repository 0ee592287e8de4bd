#pragma once
// The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes without a gap
// (https://github.com/huggingface/safetensors#format). Law: a file that opens is consistent, so every entry's
// bytes lie inside it and match its dtype and shape; anything else is an Error. Writing is atomic, and the
// same tensors always give the same bytes: those of Python's `safetensors`, which only orders metadata by
// chance.

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/io/file.hpp"
#include "weft/io/json.hpp"
#include "weft/io/order.hpp"

namespace weft::io {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little-endian, and so must be the host");

namespace safetensors_detail {

struct DTypeName {
  DType dtype;
  std::string_view name;
};
// In the order in which the format's reference writer lays tensors out, last first: wide elements come first,
// so that every tensor is aligned to its element.
inline constexpr DTypeName dtype_names[] = {
    {DType::boolean, "BOOL"},   {DType::u8, "U8"},   {DType::i8, "I8"},     {DType::f8e5m2, "F8_E5M2"},
    {DType::f8e4m3, "F8_E4M3"}, {DType::f16, "F16"}, {DType::bf16, "BF16"}, {DType::i32, "I32"},
    {DType::u32, "U32"},        {DType::f32, "F32"}, {DType::f64, "F64"},   {DType::i64, "I64"},
};
inline constexpr std::size_t max_header = 100'000'000;  // the reference reader's limit

inline std::size_t rank_of(DType dtype) {
  for (std::size_t i = 0; i < std::size(dtype_names); ++i)
    if (dtype_names[i].dtype == dtype) return i;
  throw Error("safetensors/unknown-dtype", "the format has no name for this dtype");
}

// The bytes of a tensor, or an Error when 64 bits do not hold them.
inline u64 byte_size(const std::string& tensor, DType dtype, const std::vector<i64>& shape) {
  u64 bytes = static_cast<u64>(size_of(dtype));
  bool overflow = false, empty = false;
  for (const i64 extent : shape) {
    empty = empty || extent == 0;
    overflow = overflow || __builtin_mul_overflow(bytes, static_cast<u64>(extent), &bytes);
  }
  if (empty) return 0;
  if (overflow || bytes > static_cast<u64>(INT64_MAX))
    throw Error("safetensors/overflow", "the size of tensor '" + tensor + "' does not fit in 64 bits");
  return bytes;
}

}  // namespace safetensors_detail

// One tensor of an open file.
struct SafetensorsEntry {
  std::string name;
  DType dtype{};
  std::vector<i64> shape;
  const u8* data = nullptr;  // little-endian, row-major; other writers need not have aligned it
  u64 bytes = 0;

  i64 size() const { return static_cast<i64>(bytes) / static_cast<i64>(size_of(dtype)); }  // elements
  // Copies all elements to `out`; throws "safetensors/dtype" when T is not the entry's dtype.
  template <class T>
  void copy_to(T* out) const {
    if (dtype_of<T> != dtype)
      throw Error("safetensors/dtype", "tensor '" + name + "' is " + std::string(name_of(dtype)) + ", not " +
                                           std::string(name_of(dtype_of<T>)));
    if constexpr (std::is_same_v<T, bool>) {
      for (u64 i = 0; i < bytes; ++i) out[i] = data[i] != 0;
    } else if (bytes > 0) {
      std::memcpy(out, data, bytes);
    }
  }
};

// A safetensors file open for reading. Entries point into it, so they live as long as this object.
class Safetensors {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;  // keys and values, by key

  // Maps the file. Throws the file's errors or "safetensors/...".
  explicit Safetensors(const std::string& path) : file_(path) { parse(file_.data(), file_.size(), path); }
  // Reads from memory that outlives this object.
  Safetensors(const void* bytes, std::size_t size) { parse(static_cast<const u8*>(bytes), size, "memory"); }

  // In the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  const Metadata& metadata() const { return metadata_; }
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
  const SafetensorsEntry& at(std::string_view name) const {
    if (const SafetensorsEntry* entry = find(name)) return *entry;
    throw Error("safetensors/missing", "'" + source_ + "' has no tensor '" + std::string(name) + "'");
  }

 private:
  struct Range {
    u64 begin, end;
  };

  [[noreturn]] void fail(const char* id, const std::string& what) const {
    throw Error(std::string("safetensors/") + id, "'" + source_ + "': " + what);
  }

  void parse(const u8* bytes, std::size_t size, const std::string& source) {
    source_ = source;
    if (size < 8) fail("truncated", "only " + std::to_string(size) + " bytes, the header's length takes 8");
    u64 length = 0;
    std::memcpy(&length, bytes, 8);
    if (length > safetensors_detail::max_header)
      fail("header-too-large",
           "the header claims " + std::to_string(length) + " bytes, the limit is 100000000");
    if (length > size - 8)
      fail("header-beyond-file", "the header claims " + std::to_string(length) + " bytes, the file holds " +
                                     std::to_string(size - 8) + " after its length");
    read_header({reinterpret_cast<const char*>(bytes + 8), static_cast<std::size_t>(length)});
    place(bytes + 8 + length, size - 8 - length);
  }

  void read_header(std::string_view text) {
    try {
      if (text.empty() || text[0] != '{') fail("bad-header", "the header is not a JSON object");
      const Json header = parse_json(text);
      for (std::size_t i = 0; i < header.size(); ++i) {
        if (header.key(i) == "__metadata__") {
          read_metadata(header.value(i));
        } else {
          read_entry(header.key(i), header.value(i));
        }
      }
    } catch (const Error& error) {
      if (error.id() == "json/duplicate-key") fail("duplicate-name", error.what());
      if (error.id() == "json/kind" || error.id() == "json/missing-key") fail("bad-header", error.what());
      if (error.id().starts_with("json/")) fail("bad-json", error.what());
      throw;
    }
  }

  void read_metadata(const Json& json) {
    if (!json.is(Json::Kind::object)) fail("bad-header", "__metadata__ is not an object");
    Metadata found;
    for (std::size_t i = 0; i < json.size(); ++i) found.emplace_back(json.key(i), json.value(i).as_string());
    for (const u32 i : order_by(found.size(), [&](u32 a, u32 b) { return found[a].first < found[b].first; }))
      metadata_.push_back(std::move(found[i]));
  }

  // A count or an offset: a non-negative integer below 2^63.
  i64 count(const std::string& tensor, const Json& json) const {
    i64 value = -1;
    if (json.is(Json::Kind::number)) {
      try {
        value = json.as_i64();
      } catch (const Error&) {
        value = -1;
      }
    }
    if (value < 0)
      fail("bad-number", "tensor '" + tensor + "' has a shape or offset, at byte " +
                             std::to_string(json.offset()) +
                             " of the header, that is not a non-negative 64-bit integer");
    return value;
  }

  void read_entry(const std::string& name, const Json& json) {
    SafetensorsEntry entry;
    entry.name = name;
    for (std::size_t i = 0; i < json.size(); ++i)
      if (const std::string& key = json.key(i); key != "dtype" && key != "shape" && key != "data_offsets")
        fail("bad-header", "tensor '" + name + "' has an unknown field '" + key + "'");
    const std::string& dtype = json.at("dtype").as_string();
    std::size_t known = 0;
    while (known < std::size(safetensors_detail::dtype_names) &&
           safetensors_detail::dtype_names[known].name != dtype)
      ++known;
    if (known == std::size(safetensors_detail::dtype_names))
      fail("unknown-dtype", "tensor '" + name + "' has dtype '" + dtype + "', which weft does not have");
    entry.dtype = safetensors_detail::dtype_names[known].dtype;
    for (const Json& extent : json.at("shape").as_array()) entry.shape.push_back(count(name, extent));
    const auto& offsets = json.at("data_offsets").as_array();
    if (offsets.size() != 2) fail("bad-header", "tensor '" + name + "' needs two data_offsets");
    const u64 begin = static_cast<u64>(count(name, offsets[0])),
              end = static_cast<u64>(count(name, offsets[1]));
    if (end < begin) fail("reversed-range", "tensor '" + name + "' ends before it begins");
    entry.bytes = safetensors_detail::byte_size(name, entry.dtype, entry.shape);
    if (entry.bytes != end - begin)
      fail("size-mismatch", "tensor '" + name + "' has " + std::to_string(end - begin) +
                                " bytes where its dtype and shape need " + std::to_string(entry.bytes));
    ranges_.push_back({begin, end});
    entries_.push_back(std::move(entry));
  }

  // Checks that the ranges tile the data, puts the entries in that order and points them at their bytes.
  void place(const u8* data, u64 size) {
    u64 covered = 0;
    std::vector<SafetensorsEntry> placed;
    for (const u32 i : order_by(entries_.size(), [&](u32 a, u32 b) {
           if (ranges_[a].begin != ranges_[b].begin) return ranges_[a].begin < ranges_[b].begin;
           if (ranges_[a].end != ranges_[b].end) return ranges_[a].end < ranges_[b].end;
           return entries_[a].name < entries_[b].name;
         })) {
      const Range range = ranges_[i];
      SafetensorsEntry& entry = entries_[i];
      const std::string where = "tensor '" + entry.name + "' at [" + std::to_string(range.begin) + ", " +
                                std::to_string(range.end) + ") of " + std::to_string(size) + " bytes of data";
      if (range.begin < covered) fail("overlap", where + " overlaps the one before it");
      if (range.begin > covered && range.end > size) fail("out-of-range", where + " lies outside");
      if (range.begin > covered) fail("hole", where + " leaves unused bytes before it");
      if (range.end > size) fail("truncated", where + " is cut short");
      covered = range.end;
      entry.data = data + range.begin;
      placed.push_back(std::move(entry));
    }
    if (covered != size)
      fail("hole", std::to_string(size - covered) + " bytes after the last tensor belong to none");
    entries_ = std::move(placed);
    ranges_.clear();
    by_name_ = order_by(entries_.size(), [&](u32 a, u32 b) { return entries_[a].name < entries_[b].name; });
  }

  MappedFile file_;
  std::string source_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<Range> ranges_;  // entry by entry, while the header is read
  std::vector<u32> by_name_;   // entry numbers ordered by name
  Metadata metadata_;
};

// A tensor to be written: row-major elements in host memory.
struct SafetensorsTensor {
  std::string name;
  DType dtype{};
  std::vector<i64> shape;
  const void* data = nullptr;
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
    const u64 begin = offset, bytes = detail::byte_size(tensor.name, tensor.dtype, tensor.shape);
    if (__builtin_add_overflow(offset, bytes, &offset) || offset > static_cast<u64>(INT64_MAX))
      throw Error("safetensors/overflow", "all tensors together do not fit in 64 bits");
    if (header.size() > 1) header += ',';
    append_json_string(header, tensor.name);
    header += ":{\"dtype\":\"";
    header += detail::dtype_names[detail::rank_of(tensor.dtype)].name;
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
    const std::size_t rank_a = detail::rank_of(tensors[a].dtype), rank_b = detail::rank_of(tensors[b].dtype);
    return rank_a != rank_b ? rank_a > rank_b : tensors[a].name < tensors[b].name;
  });
  const std::string header = safetensors_header(tensors, order, metadata);
  AtomicFile file(path);
  const u64 length = header.size();
  file.write(&length, 8);
  file.write(header);
  for (const u32 i : order)
    file.write(tensors[i].data, detail::byte_size(tensors[i].name, tensors[i].dtype, tensors[i].shape));
  file.commit();
}

}  // namespace weft::io
