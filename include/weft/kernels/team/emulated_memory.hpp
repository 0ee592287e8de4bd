#pragma once
// Shared memory of an emulated block, with a shadow of who touched which byte since which barrier. Law: two
// threads may touch one byte, one of them writing, only if a barrier lies between them; nothing is read that
// was not written. Breaking it throws Error "emulated/race" or "emulated/uninitialised-read".

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Who accesses memory, and when: barriers passed by the block and by the thread's warp.
struct EmulatedAccess {
  int thread = -1;
  int warp = -1;
  i64 block_epoch = 0;
  i64 warp_epoch = 0;
};

class EmulatedMemory {
 public:
  // With `poison`, every byte starts as 0xff: a NaN in each floating type, -1 in each signed one.
  EmulatedMemory(i64 bytes, bool check, bool poison)
      : bytes_(static_cast<std::size_t>(bytes), poison ? std::byte{0xff} : std::byte{0}),
        shadow_(check ? static_cast<std::size_t>(bytes) : 0) {}

  i64 size() const { return static_cast<i64>(bytes_.size()); }

  void load(void* to, i64 offset, i64 count, const EmulatedAccess& who) {
    if (!shadow_.empty()) {
      for (i64 i = offset; i < offset + count; ++i) check_read(i, who);
    }
    std::memcpy(to, bytes_.data() + offset, static_cast<std::size_t>(count));
  }

  void store(const void* from, i64 offset, i64 count, const EmulatedAccess& who) {
    if (!shadow_.empty()) {
      for (i64 i = offset; i < offset + count; ++i) check_write(i, who);
    }
    std::memcpy(bytes_.data() + offset, from, static_cast<std::size_t>(count));
  }

 private:
  struct Reader {
    EmulatedAccess who;
    bool several = false;  // more than one thread of that warp, all between the same two barriers
  };
  // Readers of two different warps are enough: whoever writes differs from one of them.
  struct Shadow {
    EmulatedAccess writer;
    Reader reader[2];
  };

  // Both after the same barriers, so that nothing orders them.
  static bool concurrent(const EmulatedAccess& a, const EmulatedAccess& b) {
    if (a.thread < 0 || a.block_epoch != b.block_epoch) return false;
    return a.warp != b.warp || a.warp_epoch == b.warp_epoch;
  }

  void check_read(i64 i, const EmulatedAccess& who) {
    Shadow& s = shadow_[static_cast<std::size_t>(i)];
    if (s.writer.thread < 0) {
      throw Error("emulated/uninitialised-read", "thread " + std::to_string(who.thread) +
                                                     " reads shared byte " + std::to_string(i) +
                                                     ", which nobody has written");
    }
    if (s.writer.thread != who.thread && concurrent(s.writer, who)) race(i, s.writer, "writes", who, "reads");
    const bool first = s.reader[0].who.thread < 0 || s.reader[0].who.warp == who.warp ||
                       s.reader[0].who.block_epoch != who.block_epoch;
    Reader& r = s.reader[first ? 0 : 1];
    if (r.who.warp == who.warp && concurrent(r.who, who)) {
      r.several = r.several || r.who.thread != who.thread;
    } else {
      r = Reader{who, false};
    }
  }

  void check_write(i64 i, const EmulatedAccess& who) {
    Shadow& s = shadow_[static_cast<std::size_t>(i)];
    if (s.writer.thread != who.thread && concurrent(s.writer, who))
      race(i, s.writer, "writes", who, "writes");
    for (const Reader& r : s.reader) {
      if ((r.several || r.who.thread != who.thread) && concurrent(r.who, who)) {
        race(i, r.who, "reads", who, "writes");
      }
    }
    s.writer = who;
  }

  [[noreturn]] static void race(i64 i, const EmulatedAccess& a, const char* did, const EmulatedAccess& b,
                                const char* does) {
    throw Error("emulated/race", "thread " + std::to_string(a.thread) + " " + did + " and thread " +
                                     std::to_string(b.thread) + " " + does + " shared byte " +
                                     std::to_string(i) + " with no barrier between");
  }

  std::vector<std::byte> bytes_;
  std::vector<Shadow> shadow_;
};

}  // namespace WEFT_NAMESPACE
