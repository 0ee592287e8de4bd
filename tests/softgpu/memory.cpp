#include "softgpu/memory.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "softgpu/order.hpp"
#include "softgpu/report.hpp"
#include "softgpu/settings.hpp"

namespace softgpu {

namespace {

constexpr u64 page = 4096;

struct sigaction previous;

// A host instruction that followed a device pointer. The process ends here, as it would on real hardware.
void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<u64>(info->si_addr);
  if (memory().in_device_window(address)) {
    std::fprintf(stderr, "softgpu: host access: the host read or wrote device memory at %s\n",
                 memory().describe(address).c_str());
    std::fflush(nullptr);
    _exit(failed_status);
  }
  if (memory().in_pinned_window(address)) {
    std::fprintf(stderr, "softgpu: freed memory: the host read or wrote %s\n",
                 memory().describe(address).c_str());
    std::fflush(nullptr);
    _exit(failed_status);
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void* map(u64 bytes, int protection) {
  void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) stop("cannot reserve " + std::to_string(bytes >> 30) + " GiB of address space");
  return at;
}

}  // namespace

std::string Region::describe() const {
  return std::string(kind == Kind::device ? "device " + std::to_string(device) + "'s" : "pinned") +
         " allocation " + std::to_string(number) + " of " + std::to_string(size()) + " bytes at " +
         hex(begin);
}

void Memory::reserve() {
  if (window_ != 0) return;
  window_ = reinterpret_cast<u64>(map(window_bytes, PROT_NONE));
  store_ = static_cast<std::byte*>(map(window_bytes, PROT_READ | PROT_WRITE));
  tags_ = static_cast<Tag*>(map(window_bytes * sizeof(Tag), PROT_READ | PROT_WRITE));
  readers_ = static_cast<u32*>(map(window_bytes / 2 * sizeof(u32), PROT_READ | PROT_WRITE));
  pinned_ = reinterpret_cast<u64>(map(window_bytes, PROT_NONE));
  next_ = window_ + (u64{1} << 20);
  next_pinned_ = pinned_;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &previous);
}

Region* Memory::allocate(int device, u64 bytes) {
  reserve();
  if (bytes > bytes_per_device - used_[device]) return nullptr;
  // Each begins on a page of its own, so that a freed one can be given back whole; a page lies between two.
  const u64 begin = next_;
  next_ += round_up(bytes, page) + page;
  if (next_ > window_ + window_bytes) stop("the addresses of the device memory are used up");
  used_[device] += bytes;
  Region region;
  region.begin = begin;
  region.end = begin + bytes;
  region.device = device;
  region.number = ++count_;
  region.store = store_ + (begin - window_);
  if (settings().sample == 0) region.tags = tags_ + (begin - window_);
  region.readers = readers_ + (begin - window_) / 2;
  return &regions_.insert_or_assign(begin, region).first->second;
}

Region* Memory::allocate_pinned(u64 bytes) {
  reserve();
  const u64 begin = next_pinned_, whole = round_up<u64>(bytes, page);
  next_pinned_ += whole + page;
  if (next_pinned_ > pinned_ + window_bytes) stop("the addresses of the pinned memory are used up");
  auto* const at = reinterpret_cast<std::byte*>(begin);
  if (mprotect(at, whole, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memset(at, 0xa5, bytes);
  Region region;
  region.kind = Region::Kind::pinned;
  region.begin = begin;
  region.end = begin + bytes;
  region.number = ++count_;
  region.store = at;
  return &regions_.insert_or_assign(region.begin, region).first->second;
}

void Memory::release(Region& region) {
  region.freed = true;
  if (region.kind == Region::Kind::device) {
    used_[region.device] -= region.size();
    const u64 bytes = round_up<u64>(region.size(), page);
    madvise(region.store, bytes, MADV_DONTNEED);
    madvise(region.readers, bytes / 2 * sizeof(u32), MADV_DONTNEED);
    if (region.tags != nullptr) madvise(region.tags, bytes * sizeof(Tag), MADV_DONTNEED);
  } else {
    const u64 bytes = round_up<u64>(region.size(), page);
    madvise(region.store, bytes, MADV_DONTNEED);
    mprotect(region.store, bytes, PROT_NONE);
  }
}

Region* Memory::nearest(u64 address) {
  auto next = regions_.upper_bound(address);
  return next == regions_.begin() ? nullptr : &std::prev(next)->second;
}

Region* Memory::find(u64 address) {
  Region* const region = nearest(address);
  return region != nullptr && address < std::max(region->end, region->begin + 1) ? region : nullptr;
}

void Memory::mark(Region& region, u64 at, u64 bytes, Tag tag) {
  if (region.tags != nullptr) std::fill_n(region.tags_at(at), bytes, tag);
}

void Memory::fill(Region& region, u64 at, u64 bytes, int value) {
  if (settings().sample != 0 && bytes > largest_sampled) return;  // it stays reserved: no page of it is used
  std::memset(region.at(at), value, bytes);
  order_write(&region, at, bytes, "a fill");
  mark(region, at, bytes, order().tag());
}

void Memory::copy(Region* to_region, u64 to, Region* from_region, u64 from, u64 bytes) {
  if (settings().sample != 0 && bytes > largest_sampled) return;
  order_read(from_region, from, bytes, "a copy");
  order_write(to_region, to, bytes, "a copy");
  const void* source = from_region != nullptr ? from_region->at(from) : reinterpret_cast<const void*>(from);
  void* target = to_region != nullptr ? to_region->at(to) : reinterpret_cast<void*>(to);
  std::memmove(target, source, bytes);
  if (to_region == nullptr || to_region->tags == nullptr) return;
  Tag* const tags = to_region->tags_at(to);
  if (from_region == nullptr || from_region->tags == nullptr) {
    std::fill_n(tags, bytes, order().tag());
  } else {
    const Tag* const source_tags = from_region->tags_at(from);
    for (u64 i = 0; i < bytes; ++i) tags[i] = source_tags[i] != unwritten ? order().tag() : unwritten;
  }
}

u64 Memory::written(const Region& region, u64 at, u64 bytes) {
  if (region.tags == nullptr) return bytes;
  const Tag* const tags = region.tags_at(at);
  return static_cast<u64>(std::find(tags, tags + bytes, unwritten) - tags);
}

std::string Memory::describe(u64 address) {
  Region* const region = nearest(address);
  if (region == nullptr) return hex(address) + ", which belongs to no allocation";
  const std::string what = (region->freed ? "the freed " : "the ") + region->describe();
  if (address < region->end)
    return hex(address) + ", byte " + std::to_string(address - region->begin) + " of " + what;
  return hex(address) + ", " + std::to_string(address - region->end) + " bytes behind the end of " + what;
}

Memory& memory() {
  static auto* const only = new Memory;  // never destroyed: static destructors of programs free memory
  return *only;
}

}  // namespace softgpu
