#pragma once
// Global memory as a lane reaches it, with its checks.

#include "softgpu/block.hpp"

namespace softgpu {

// Throws KernelFault for what the hardware refuses; reports what it would let pass.
void load_global(Warp& warp, const Op& op, int lane, u64 address, std::byte* to, u32 bytes, u32 used_bytes,
                 u32 alignment);
void store_global(Warp& warp, const Op& op, int lane, u64 address, const std::byte* from, u32 bytes);
// The place in the device's store of bytes that the lane may read and write as one; marks them as written.
std::byte* atomic_global(Warp& warp, const Op& op, int lane, u64 address, u32 bytes);

// A lane's own memory: where the bytes are; a load of what the thread has not written is reported.
std::byte* access_local(Warp& warp, const Op& op, int lane, u64 at, u32 bytes, bool writes);

// 32 lanes whose elements follow each other from `address`: where they are, if no check has anything to say
// of them (a store's tags are set then), else null.
const std::byte* load_global_row(Warp& warp, const Op& op, u64 address, u32 element);
std::byte* store_global_row(Warp& warp, const Op& op, u64 address, u32 element);

// Counts the sectors that a warp's access asks for.
void count_global(Warp& warp, const Op& op, u32 active, u64 bytes);

}  // namespace softgpu
