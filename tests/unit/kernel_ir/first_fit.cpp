#include "weft/kernel_ir/first_fit.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace weft;
using kernel_ir::FirstFit;

TEST_CASE("first fit: a gap that is large enough is used again, the first one first") {
  FirstFit memory(10);
  CHECK(memory.allocate(1000, 0) == 0);  // in units of 256 bytes
  CHECK(memory.allocate(256, 9) == 1024);
  CHECK(memory.allocate(512, 1) == 1280);
  CHECK(memory.allocate(1, 9) == 1792);
  memory.release(0);
  memory.release(1);
  CHECK(memory.allocate(512, 9) == 0);
  CHECK(memory.allocate(513, 9) == 2048);
  CHECK(memory.allocate(512, 9) == 512);
  CHECK(memory.allocate(512, 9) == 1280);
  CHECK(memory.peak() == 2816);
}

TEST_CASE("first fit: gaps side by side become one") {
  FirstFit memory(4);
  for (int reader : {0, 1, 2, 3}) memory.allocate(256, reader);
  memory.release(0);
  memory.release(2);
  memory.release(1);
  CHECK(memory.allocate(768, 3) == 0);
  CHECK(memory.peak() == 1024);
}

TEST_CASE("first fit: a block may be prolonged by its last reader alone") {
  FirstFit memory(4);
  const i64 at = memory.allocate(256, 1);
  CHECK_FALSE(memory.prolong(at, 0, 3));
  CHECK_FALSE(memory.prolong(at + 256, 1, 3));
  CHECK(memory.prolong(at, 1, 3));
  memory.release(1);
  CHECK(memory.allocate(256, 2) != at);
  memory.release(3);
  CHECK(memory.allocate(256, 2) == at);
}

TEST_CASE("first fit: blocks that live together never overlap") {
  std::mt19937 random(1);
  constexpr int readers = 300;
  FirstFit memory(readers);
  struct Block {
    i64 begin, end;
    int last;
  };
  std::vector<Block> live;
  for (int k = 0; k < readers; ++k) {
    for (int n = static_cast<int>(random() % 4); n > 0; --n) {
      const i64 bytes = static_cast<i64>(random() % 5000);
      const int last = k + static_cast<int>(random() % 20);
      const i64 begin = memory.allocate(bytes, last < readers ? last : readers), end = begin + bytes;
      CHECK(end <= memory.peak() + 255);
      for (const Block& b : live) CHECK((bytes == 0 || b.begin == b.end || end <= b.begin || b.end <= begin));
      live.push_back({begin, end, last});
    }
    memory.release(k);
    std::erase_if(live, [&](const Block& b) { return b.last == k; });
  }
}
