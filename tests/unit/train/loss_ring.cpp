#include "weft/train/loss_ring.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "../io/scratch.hpp"
#include "weft/device/cpu.hpp"

using namespace weft;

namespace {

// A program whose result is the number of its run.
struct Counting {
  float runs = 0;
  void read_output(int, void* to, i64 bytes) const {
    std::memcpy(to, &runs, static_cast<std::size_t>(bytes));
  }
};

}  // namespace

TEST_CASE("loss ring: the last 64 can be read, older and later ones are Errors") {
  train::DeviceLossRing<Cpu> ring{Cpu{}};
  Counting program;
  CHECK(error_id([&] { ring.read(0); }) == "train/old-loss");
  for (; program.runs < 100; ++program.runs) ring.take(program);
  for (i64 step = 36; step < 100; ++step) CHECK(ring.read(step) == static_cast<float>(step));
  for (const i64 step : {i64{-1}, i64{0}, i64{35}, i64{100}})
    CHECK(error_id([&] { ring.read(step); }) == "train/old-loss");
  CHECK(ring.count() == 100);
}
