#pragma once
// The safetensors reader: a file that opens is consistent, and one written from its tensors opens again.

#include "fuzz/target.hpp"
#include "weft/io/safetensors.hpp"

namespace fuzz {

inline void safetensors(const weft::u8* data, std::size_t size) {
  using weft::io::Safetensors;
  const std::string bytes = safetensors_bytes(data, size);
  const std::vector<char> exact(bytes.begin(), bytes.end());
  refuses(
      [&] {
        const Safetensors file(exact.data(), exact.size());
        const auto* const begin = reinterpret_cast<const weft::u8*>(exact.data());
        const auto* at = file.entries().empty() ? nullptr : file.entries()[0].data;
        unsigned sum = 0;
        std::vector<weft::io::SafetensorsTensor> tensors;
        for (const auto& entry : file.entries()) {
          require(entry.data == at, "tensors lie side by side");
          require(entry.data >= begin && entry.data + entry.bytes <= begin + exact.size(), "inside the file");
          if (entry.bytes > 0)
            require(static_cast<weft::u64>(entry.size()) ==
                        entry.bytes * 8 / static_cast<weft::u64>(entry.dtype.bits()),
                    "as many bytes as the shape says");
          for (weft::u64 i = 0; i < entry.bytes; ++i) sum += entry.data[i];
          at = entry.data + entry.bytes;
          require(&file.at(entry.name) == &entry, "found by its name");
          tensors.push_back({entry.name, entry.dtype, entry.shape, entry.data});
        }
        require(sum < ~0u, "bytes can be read");
        std::vector<weft::u32> order;
        for (weft::u32 i = 0; i < tensors.size(); ++i) order.push_back(i);
        std::string again = weft::io::safetensors_header(tensors, order, file.metadata());
        const weft::u64 length = again.size();
        again.insert(0, reinterpret_cast<const char*>(&length), 8);
        for (const auto& entry : file.entries())
          again.append(reinterpret_cast<const char*>(entry.data), entry.bytes);
        const Safetensors copy(again.data(), again.size());
        require(copy.metadata() == file.metadata() && copy.entries().size() == file.entries().size(),
                "what is written is read back");
      },
      "safetensors/");
}

}  // namespace fuzz
