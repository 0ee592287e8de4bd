#pragma once
// The index of several files: whatever the text, it is read or refused, and names no file elsewhere.

#include "fuzz/target.hpp"
#include "weft/io/safetensors_index.hpp"

namespace fuzz {

inline void safetensors_index(const weft::u8* data, std::size_t size) {
  const MemoryFile file(std::string(reinterpret_cast<const char*>(data), size));
  refuses(
      [&] {
        for (const auto& place : weft::io::read_safetensors_index(file.path()).places)
          require(!place.file.empty() && place.file.find('/') == std::string::npos,
                  "a file of an index lies beside it");
      },
      "safetensors/bad-index");
}

}  // namespace fuzz
