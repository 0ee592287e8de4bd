#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "weft/kernels/team/emulated_memory.hpp"

using namespace weft;

namespace {

struct Memory {
  EmulatedMemory memory{64, true, true};
  std::string write(const EmulatedAccess& who, i64 offset = 0, i64 bytes = 4) {
    const char zeros[16]{};
    return result([&] { memory.store(zeros, offset, bytes, who); });
  }
  std::string read(const EmulatedAccess& who, i64 offset = 0, i64 bytes = 4) {
    char into[16];
    return result([&] { memory.load(into, offset, bytes, who); });
  }
  template <class F>
  static std::string result(F f) {
    try {
      f();
    } catch (const Error& error) {
      return error.id();
    }
    return "ok";
  }
};

// Threads 0 and 1 share warp 0, thread 32 is in warp 1.
EmulatedAccess in(int thread, i64 block_epoch, i64 warp_epoch = 0) {
  return {thread, thread / 32, block_epoch, warp_epoch};
}

}  // namespace

TEST_CASE("emulated_memory: poison is NaN, and nothing may be read before it is written") {
  EmulatedMemory memory(16, false, true);
  float f = 0;
  double d = 0;
  memory.load(&f, 0, 4, in(0, 0));
  memory.load(&d, 8, 8, in(0, 0));
  CHECK(std::isnan(f));
  CHECK(std::isnan(d));
  EmulatedMemory zeros(4, false, false);
  zeros.load(&f, 0, 4, in(0, 0));
  CHECK(f == 0.0f);
  Memory m;
  CHECK(m.write(in(0, 0), 0, 2) == "ok");
  CHECK(m.read(in(0, 0), 0, 2) == "ok");
  CHECK(m.read(in(0, 0), 0, 4) == "emulated/uninitialised-read");
}

TEST_CASE("emulated_memory: a write then anything by another thread needs a barrier") {
  for (int other : {1, 32}) {
    {
      Memory m;
      CHECK(m.write(in(0, 0)) == "ok");
      CHECK(m.read(in(0, 0)) == "ok");
      CHECK(m.write(in(0, 0)) == "ok");
      CHECK(m.read(in(other, 0)) == "emulated/race");
    }
    {
      Memory m;
      m.write(in(0, 0));
      CHECK(m.write(in(other, 0)) == "emulated/race");
      CHECK(m.write(in(other, 0), 4) == "ok");
    }
    {
      Memory m;
      m.write(in(0, 0));
      CHECK(m.read(in(other, 1)) == "ok");
      CHECK(m.write(in(0, 1)) == "emulated/race");
      CHECK(m.write(in(0, 2)) == "ok");
    }
  }
}

TEST_CASE("emulated_memory: the warp's barrier orders the warp alone") {
  Memory m;
  m.write(in(0, 0, 0));
  CHECK(m.read(in(1, 0, 1)) == "ok");
  CHECK(m.read(in(32, 0, 5)) == "emulated/race");
  CHECK(m.write(in(0, 0, 1)) == "emulated/race");
  CHECK(m.write(in(0, 0, 2)) == "ok");
}

TEST_CASE("emulated_memory: of many readers none is forgotten") {
  const int readers[][3] = {{1, 32, 64}, {32, 1, 64}, {64, 32, 1}, {1, 2, 3}, {1, 1, 32}, {32, 33, 1}};
  for (const auto& three : readers) {
    for (int writer : {0, 1, 2, 32, 33, 64, 65}) {
      Memory m;
      m.write(in(200, 0));
      bool alone = true;
      for (int r : three) {
        CHECK(m.read(in(r, 1)) == "ok");
        alone = alone && r == writer;
      }
      CHECK(m.write(in(writer, 1)) == (alone ? "ok" : "emulated/race"));
    }
  }
  Memory m;
  m.write(in(200, 0));
  m.read(in(5, 1));
  m.read(in(5, 1));
  CHECK(m.write(in(5, 1)) == "ok");
}
