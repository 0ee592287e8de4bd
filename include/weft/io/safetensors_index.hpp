#pragma once
// Tensors in several safetensors files, and the index that says which is where: the JSON of Hugging Face's
// model.safetensors.index.json (https://huggingface.co/docs/transformers/big_models#sharded-checkpoints). A
// large tensor may be in parts, each a run of its elements; that is weft's own, and other readers see
// vectors. Law: files that open are those of one save, and hold every tensor that the index names, once and
// whole.

#include "weft/io/safetensors.hpp"

namespace WEFT_NAMESPACE::io {

inline constexpr std::string_view index_ending = ".index.json";
inline bool is_safetensors_index(std::string_view path) { return path.ends_with(index_ending); }

// The name of a part: of tensor `name` the elements from `begin` on.
inline std::string part_name(const std::string& name, i64 begin) {
  return name + "@" + std::to_string(begin);
}

struct SafetensorsIndex {
  struct Entry {
    std::string name;          // of a tensor, or of a part
    std::string file{};        // beside the index
    std::vector<i64> shape{};  // of a tensor in parts
  };
  Safetensors::Metadata metadata;  // what is no text is left out
  std::vector<Entry> places;       // what is in which file
  std::vector<Entry> wholes;       // the tensors that are in parts
  u64 total_size = 0;              // bytes of all tensors
};

// Throws the file's errors or "safetensors/bad-index". A template, as are those below, so that only who reads
// or writes an index pays for compiling it.
template <class Index = SafetensorsIndex>
Index read_safetensors_index(const std::string& path) {
  const MappedFile file(path);
  const auto fail = [&](const std::string& what) {
    throw Error("safetensors/bad-index", "'" + path + "': " + what.substr(0, 1000));
  };
  Index index;
  bool mapped = false;
  JsonReader json(file.text());
  try {
    json.object([&](const std::string& key) {
      if (key == "metadata") {
        json.object([&](std::string name) {
          if (json.kind() == JsonReader::Kind::string)
            index.metadata.emplace_back(std::move(name), json.string());
          else
            json.skip();
        });
      } else if (key == "weight_map") {
        mapped = true;
        json.object([&](std::string name) { index.places.push_back({std::move(name), json.string(), {}}); });
      } else if (key == "parts") {
        json.object([&](std::string name) {
          typename Index::Entry whole{std::move(name), {}, {}};
          json.array([&] {
            const std::string_view text = json.number();
            i64 extent = -1;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
            if (error != std::errc{} || end != text.data() + text.size() || extent < 0 ||
                whole.shape.size() == safetensors_detail::max_axes)
              fail("'" + whole.name + "' has no shape that a tensor can have");
            whole.shape.push_back(extent);
          });
          index.wholes.push_back(std::move(whole));
        });
      } else {
        json.skip();
      }
    });
    json.end();
  } catch (const Error& error) {
    if (error.id().starts_with("json/")) fail(std::string("this is no index: ") + error.what());
    throw;
  }
  if (!mapped) fail("this is no index: it has no weight_map");
  for (const auto& place : index.places)
    if (place.file.empty() || place.file.find('/') != std::string::npos)
      fail("'" + place.name + "' is in '" + place.file + "', which names no file beside the index");
  return index;
}

// Writes an index, whole or not at all. Throws the file's errors, or "json/utf8".
template <class Index = SafetensorsIndex>
void write_safetensors_index(const std::string& path, const Index& index) {
  std::string text = "{\n  \"metadata\": {\n    \"total_size\": " + std::to_string(index.total_size);
  const auto add = [&](const char* before, const std::string& key) {
    text += before;
    append_json_string(text, key);
    text += ": ";
  };
  for (const auto& [key, value] : index.metadata) {
    add(",\n    ", key);
    append_json_string(text, value);
  }
  text += "\n  },\n";
  if (!index.wholes.empty()) {
    text += "  \"parts\": {";
    for (const auto& whole : index.wholes) {
      add(&whole == index.wholes.data() ? "\n    " : ",\n    ", whole.name);
      for (std::size_t i = 0; i < whole.shape.size(); ++i)
        text += (i == 0 ? "[" : ", ") + std::to_string(whole.shape[i]);
      text += whole.shape.empty() ? "[]" : "]";
    }
    text += "\n  },\n";
  }
  text += "  \"weight_map\": {";
  for (const auto& place : index.places) {
    add(&place == index.places.data() ? "\n    " : ",\n    ", place.name);
    append_json_string(text, place.file);
  }
  text += "\n  }\n}\n";
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

namespace safetensors_detail {

// The tensor at the front of `parts`, which stand in the order of their names and beginnings, put together in
// `memory`; takes its parts off.
template <class Entry>
SafetensorsEntry join_parts(const std::string& path, const Entry& whole,
                            const std::vector<SafetensorsEntry>& parts, const std::vector<i64>& begins,
                            const std::vector<u32>& order, std::size_t& next, const Shared<HeldBytes>& held) {
  std::vector<u8>& memory = held->bytes;
  const auto fail = [&](const char* what) {
    throw Error("safetensors/bad-index", "'" + path + "': the parts of '" + whole.name + "' " + what);
  };
  const auto is_next = [&] { return next < order.size() && parts[order[next]].name == whole.name; };
  if (!is_next()) fail("are in no file");
  SafetensorsEntry entry{whole.name, parts[order[next]].dtype, whole.shape, nullptr, 0};
  const ByteSize needed = byte_size(entry.dtype, entry.shape);
  if (needed.fault != nullptr || entry.dtype.bits() % 8 != 0) fail("make no tensor");
  const std::size_t front = memory.size();
  const i64 width = entry.dtype.bits() / 8;
  for (; is_next(); ++next) {
    const SafetensorsEntry& part = parts[order[next]];
    if (part.dtype != entry.dtype) fail("have several dtypes");
    if (begins[order[next]] * width != static_cast<i64>(entry.bytes) ||
        part.bytes > needed.bytes - entry.bytes)
      fail("leave a gap or overlap");
    memory.insert(memory.end(), part.data, part.data + part.bytes);
    entry.bytes += part.bytes;
  }
  if (entry.bytes != needed.bytes) fail("leave a gap or overlap");
  entry.data = memory.data() + front;
  entry.file = held;
  return entry;
}

}  // namespace safetensors_detail

// A safetensors file, or, of a path that ends with ".index.json", the files of an index as if they were one.
// Throws the files' errors, "safetensors/..." or "safetensors/bad-index".
template <class Index = SafetensorsIndex>
Safetensors open_safetensors(const std::string& path) {
  if (!is_safetensors_index(path)) return Safetensors(path);
  Index index = read_safetensors_index<Index>(path);
  const auto fail = [&](const std::string& what) {
    throw Error("safetensors/bad-index", "'" + path + "': " + what.substr(0, 1000));
  };
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const auto by_name = order_by(index.wholes.size(),
                                [&](u32 a, u32 b) { return index.wholes[a].name < index.wholes[b].name; });
  // Which tensor in parts this is, by its place in `by_name`; their number where it is none.
  const auto whole_of = [&](std::string_view name) {
    std::size_t low = 0, high = by_name.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (std::string_view(index.wholes[by_name[middle]].name) < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low < by_name.size() && index.wholes[by_name[low]].name == name ? low : by_name.size();
  };
  std::vector<Safetensors> files;
  std::vector<SafetensorsEntry> entries, parts;
  std::vector<i64> begins;  // part by part
  u64 joined = 0;           // bytes of all parts
  const auto open = [&](const std::string& name) {
    files.emplace_back(folder + name);
    for (const auto& [key, value] : files.back().metadata())
      for (const auto& [known, wanted] : index.metadata)
        if (known == key && wanted != value)
          fail("'" + name + "' is of another save: its " + key + " is " + value + ", the index has " +
               wanted);
    for (const SafetensorsEntry& entry : files.back().entries()) {
      const std::size_t at = entry.name.rfind('@');
      i64 begin = -1;
      const char* const end = entry.name.data() + entry.name.size();
      if (at == std::string::npos || whole_of(std::string_view(entry.name).substr(0, at)) == by_name.size() ||
          std::from_chars(entry.name.data() + at + 1, end, begin).ptr != end || begin < 0 ||
          begin > INT64_MAX / 16) {
        entries.push_back(entry);
        continue;
      }
      parts.push_back(entry);
      parts.back().name.resize(at);
      begins.push_back(begin);
      joined += entry.bytes;
    }
  };
  std::vector<std::string> names;  // of the files
  for (const auto& place : index.places) {
    std::size_t f = names.size();
    while (f > 0 && names[f - 1] != place.file) --f;  // most often the last one
    if (f == 0) {
      open(place.file);
      names.push_back(place.file);
      f = names.size();
    }
    if (files[f - 1].find(place.name) == nullptr)
      fail("'" + place.file + "' has no '" + place.name + "', which the index looks for in it");
  }
  const auto order = order_by(parts.size(), [&](u32 a, u32 b) {
    return parts[a].name != parts[b].name ? parts[a].name < parts[b].name : begins[a] < begins[b];
  });
  const Shared<safetensors_detail::HeldBytes> memory(new safetensors_detail::HeldBytes);
  memory->bytes.reserve(joined);  // so that entries may point into it
  std::size_t next = 0;
  for (const u32 w : by_name)
    entries.push_back(
        safetensors_detail::join_parts(path, index.wholes[w], parts, begins, order, next, memory));
  return Safetensors(path, std::move(entries), std::move(index.metadata));
}

}  // namespace WEFT_NAMESPACE::io
