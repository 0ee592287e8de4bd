#pragma once
// The container in which nvcc embeds device code: PTX as text and machine code for some GPUs, side by side.

#include <map>
#include <string>

#include "softgpu/types.hpp"

namespace softgpu {

struct FatBinary {
  std::string ptx;  // of the lowest architecture that it is there for
  // Of each kernel's machine code for that architecture, a thread: registers, and bytes of local memory.
  std::map<std::string, u32> registers, local;
};

// `wrapper` is what a program registers. Stops where there is no PTX as plain text.
FatBinary read_fat_binary(const void* wrapper);

}  // namespace softgpu
