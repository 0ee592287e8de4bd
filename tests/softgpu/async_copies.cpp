#include "softgpu/async_copies.hpp"

#include <cstring>

#include "softgpu/block.hpp"
#include "softgpu/forms/access.hpp"

namespace softgpu {

void AsyncCopies::commit(int lane) {
  if (lanes_.empty()) lanes_.resize(warp_size);
  Lane& of = lanes_[static_cast<std::size_t>(lane)];
  of.groups.push_back(of.begun.size());
}

void AsyncCopies::wait(Warp& warp, int lane, std::size_t groups) {
  if (lanes_.empty()) return;
  Lane& of = lanes_[static_cast<std::size_t>(lane)];
  if (of.groups.size() <= groups) return;
  const std::size_t finished = of.groups.size() - groups, count = of.groups[finished - 1];
  deliver(warp, lane, of, count);
  of.groups.erase(of.groups.begin(), of.groups.begin() + static_cast<std::ptrdiff_t>(finished));
  for (std::size_t& end : of.groups) end -= count;
}

void AsyncCopies::wait_all(Warp& warp, int lane) {
  if (lanes_.empty()) return;
  Lane& of = lanes_[static_cast<std::size_t>(lane)];
  of.groups.clear();
  deliver(warp, lane, of, of.begun.size());
}

void AsyncCopies::deliver(Warp& warp, int lane, Lane& of, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const AsyncCopy& copy = of.begun[k];
    std::byte* const to = warp.block().shared->end_copy(warp, lane, copy.to, copy.bytes);
    std::memset(to, 0, copy.bytes);
    if (copy.taken > 0) load_global(warp, *copy.op, lane, copy.from, to, copy.taken, ~0u, copy.bytes);
  }
  of.begun.erase(of.begun.begin(), of.begun.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace softgpu
