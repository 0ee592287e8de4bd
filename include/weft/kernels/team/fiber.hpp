#pragma once
// A set of fibers on one host thread: each runs until it yields, and the owner decides who is next. For tests
// of kernels only. POSIX ucontext; the switches are announced to AddressSanitizer, which still prints its
// one-line remark about swapcontext. Each stack lies between pages that may not be touched.

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_FIBER_ASAN 1
#endif
#endif
#if defined(WEFT_FIBER_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace WEFT_NAMESPACE {

class FiberSet {
 public:
  // entry(argument, i) is what fiber i runs; it must not let an exception escape.
  using Entry = void (*)(void* argument, int fiber);

  FiberSet(int count, Entry entry, void* argument)
      : fibers_(static_cast<std::size_t>(count)), entry_(entry), argument_(argument) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    stack_bytes_ = (stack_bytes_ + page_ - 1) / page_ * page_;
    bytes_ = (stack_bytes_ + page_) * fibers_.size() + page_;
    void* memory = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Error("emulated/out-of-memory", "no memory for the stacks of the fibers");
    stacks_ = static_cast<std::byte*>(memory);
    for (std::size_t i = 0; i < fibers_.size(); ++i) {
      if (mprotect(stack(i), stack_bytes_, PROT_READ | PROT_WRITE) != 0) {
        munmap(stacks_, bytes_);
        throw Error("emulated/out-of-memory", "no memory for the stacks of the fibers");
      }
    }
  }
  FiberSet(const FiberSet&) = delete;
  FiberSet& operator=(const FiberSet&) = delete;
  ~FiberSet() { munmap(stacks_, bytes_); }

  bool started(int i) const { return fibers_[static_cast<std::size_t>(i)].started; }

  // Runs fiber i until it yields or ends. Called by the owner, never by a fiber.
  void resume(int i) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(i)];
    current_ = i;
    if (!fiber.started) {
      fiber.started = true;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = stack(static_cast<std::size_t>(i));
      fiber.context.uc_stack.ss_size = stack_bytes_;
      fiber.context.uc_link = &owner_;
      const auto self = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&fiber.context, reinterpret_cast<void (*)()>(&FiberSet::begin), 2,
                  static_cast<unsigned>(self >> 32), static_cast<unsigned>(self & 0xffffffffu));
    }
#if defined(WEFT_FIBER_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stack(static_cast<std::size_t>(i)), stack_bytes_);
#endif
    swapcontext(&owner_, &fiber.context);
#if defined(WEFT_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  // Gives control back to the owner; returns when this fiber is resumed. Called by the running fiber.
  void yield() {
    Fiber& fiber = fibers_[static_cast<std::size_t>(current_)];
#if defined(WEFT_FIBER_ASAN)
    __sanitizer_start_switch_fiber(&fiber.fake_stack, owner_stack_, owner_stack_bytes_);
#endif
    swapcontext(&fiber.context, &owner_);
#if defined(WEFT_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fiber.fake_stack, &owner_stack_, &owner_stack_bytes_);
#endif
  }

 private:
  struct Fiber {
    ucontext_t context{};
    void* fake_stack = nullptr;
    bool started = false;
  };

  std::byte* stack(std::size_t i) const { return stacks_ + page_ + i * (stack_bytes_ + page_); }

  // makecontext passes ints only, so the address arrives in halves.
  static void begin(unsigned high, unsigned low) {
    auto* set = reinterpret_cast<FiberSet*>(static_cast<std::uintptr_t>(high) << 32 | low);
#if defined(WEFT_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &set->owner_stack_, &set->owner_stack_bytes_);
#endif
    set->entry_(set->argument_, set->current_);
#if defined(WEFT_FIBER_ASAN)
    __sanitizer_start_switch_fiber(nullptr, set->owner_stack_, set->owner_stack_bytes_);
#endif
  }

  std::vector<Fiber> fibers_;
  Entry entry_;
  void* argument_;
  ucontext_t owner_{};
  int current_ = 0;
  std::byte* stacks_ = nullptr;
  std::size_t page_ = 0;
  std::size_t stack_bytes_ = 256 * 1024;  // touched pages only cost memory
  std::size_t bytes_ = 0;
#if defined(WEFT_FIBER_ASAN)
  const void* owner_stack_ = nullptr;
  std::size_t owner_stack_bytes_ = 0;
#endif
};

}  // namespace WEFT_NAMESPACE

#undef WEFT_FIBER_ASAN
