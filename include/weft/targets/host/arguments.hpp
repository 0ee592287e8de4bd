#pragma once
// Arguments of a program in host memory. Law: one that lies in memory which the program writes is read from a
// copy, every other one where it is.

#include <cstring>

#include "weft/core/list.hpp"
#include "weft/device/cpu.hpp"
#include "weft/targets/state_blocks.hpp"

namespace WEFT_NAMESPACE::exec {

class HostArguments {
 public:
  explicit HostArguments(int count) : copies_(new HostBuffer[static_cast<std::size_t>(count)]) {}
  HostArguments(const HostArguments&) = delete;
  HostArguments& operator=(const HostArguments&) = delete;
  ~HostArguments() { delete[] copies_; }

  // Where argument `number` of so many bytes may be read while the blocks are written.
  const std::byte* readable(int number, const void* data, i64 bytes, const StateBlock& workspace,
                            const StateBlocks& states, const StateBlock& optimizer) {
    const auto* at = static_cast<const std::byte*>(data);
    const auto place = [](const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p); };
    bool meets = false;
    const auto look = [&](const StateBlock& block) {
      meets = meets || (place(at) < place(block.data) + static_cast<u64>(block.bytes) &&
                        place(block.data) < place(at) + static_cast<u64>(bytes));
    };
    look(workspace);
    look(optimizer);
    for (int k = 0; k < states.count; ++k) look(states.list[k]);
    if (bytes <= 0 || !meets) return at;
    HostBuffer& copy = copies_[number];
    if (copy.size() == 0) copy = HostBuffer(static_cast<std::size_t>(bytes));
    std::memcpy(copy.data(), at, static_cast<std::size_t>(bytes));
    return copy.data();
  }

 private:
  HostBuffer* copies_;
};

}  // namespace WEFT_NAMESPACE::exec
