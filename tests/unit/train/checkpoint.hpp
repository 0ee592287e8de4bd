#pragma once
// Files changed behind a trainer's back.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "weft/io/safetensors.hpp"

namespace checkpoint_test {

using namespace weft;

// Rewrites a checkpoint: metadata of these keys gets these values, "" removes it; scalars of these names get
// these bytes.
struct Edit {
  io::Safetensors::Metadata metadata{};
  std::vector<std::pair<std::string, std::vector<u8>>> tensors{};
};
template <class T>
std::pair<std::string, std::vector<u8>> scalar(const std::string& name, T value) {
  std::vector<u8> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return {name, bytes};
}
inline void edit(const std::string& from, const std::string& to, const Edit& changes) {
  const io::Safetensors file(from);
  io::Safetensors::Metadata metadata;
  for (auto [key, value] : file.metadata()) {
    for (const auto& [other, changed] : changes.metadata)
      if (other == key) value = changed;
    if (!value.empty() || key == "weft.matrices") metadata.push_back({key, value});
  }
  for (const auto& [key, value] : changes.metadata)
    if (file.find_metadata(key) == nullptr && !value.empty()) metadata.push_back({key, value});
  std::vector<io::SafetensorsTensor> tensors;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    const void* data = entry.data;
    for (const auto& [name, bytes] : changes.tensors)
      if (name == entry.name) data = bytes.data();
    tensors.push_back({entry.name, entry.dtype, entry.shape, data});
  }
  io::write_safetensors(to, tensors, metadata);
}

}  // namespace checkpoint_test
