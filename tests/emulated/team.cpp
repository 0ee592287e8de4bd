#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "weft/kernels/team/emulated.hpp"
#include "weft/kernels/team/sub_team.hpp"

using namespace weft;

static_assert(Team<EmulatedTeam>);

namespace {

constexpr u64 seeds[] = {0, 1, 2, 42, 0xdeadbeef};

std::vector<float> values(int count) {
  std::vector<float> v(static_cast<std::size_t>(count));
  u32 state = 12345;
  for (float& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<i32>(state)) * 1e-7f;
  }
  return v;
}

// The order of the reduction, written down independently: pairs (i, i + 16), (i, i + 8), ... in a warp, then
// warps in halves of the next power of two.
float reference_sum(const std::vector<float>& v) {
  std::vector<float> warps;
  for (std::size_t w = 0; w < v.size(); w += 32) {
    std::vector<float> lane(v.begin() + static_cast<long>(w), v.begin() + static_cast<long>(w) + 32);
    for (std::size_t half : {16u, 8u, 4u, 2u, 1u}) {
      for (std::size_t i = 0; i < half; ++i) lane[i] = lane[i] + lane[i + half];
    }
    warps.push_back(lane[0]);
  }
  while (warps.size() > 1) {
    const std::size_t half = std::bit_ceil(warps.size()) / 2;
    for (std::size_t i = 0; i + half < warps.size(); ++i) warps[i] = warps[i] + warps[i + half];
    warps.resize(half);
  }
  return warps[0];
}

template <class Body>
std::string error_of(int threads, i64 shared, u64 seed, Body body, EmulateOptions options = {}) {
  try {
    emulate_block(threads, shared, seed, body, options);
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

// Reverses x in shared memory; the barrier is what the tests take away.
template <bool Barrier, class T>
WEFT_HD void reverse(T& team, float* x) {
  auto tile = team.template shared<float>(team.size());
  tile[team.rank()] = x[team.rank()];
  if constexpr (Barrier) team.sync();
  x[team.rank()] = tile[team.size() - 1 - team.rank()];
}

}  // namespace

TEST_CASE("emulated: every thread of the block runs once, in an order that the seed decides") {
  std::vector<std::vector<int>> orders;
  for (u64 seed : seeds) {
    std::vector<int> order;
    const auto report = emulate_block(64, 0, seed, [&](EmulatedTeam& team) { order.push_back(team.rank()); });
    CHECK(report.switches == 64);
    CHECK(report.barriers == 0);
    std::vector<int> count(64);
    for (int rank : order) ++count[static_cast<std::size_t>(rank)];
    for (int c : count) CHECK(c == 1);
    for (const auto& other : orders) CHECK(order != other);
    std::vector<int> again;
    emulate_block(64, 0, seed, [&](EmulatedTeam& team) { again.push_back(team.rank()); });
    CHECK(again == order);
    orders.push_back(order);
  }
}

TEST_CASE("emulated: the order is drawn again at every barrier") {
  std::vector<int> before, after;
  emulate_block(128, 0, 7, [&](EmulatedTeam& team) {
    before.push_back(team.rank());
    team.sync();
    after.push_back(team.rank());
  });
  CHECK(before.size() == 128);
  CHECK(after.size() == 128);
  CHECK(before != after);
}

TEST_CASE("emulated: sums have the bits of the documented order in every thread, for every schedule") {
  for (int threads : {32, 64, 96, 256, 352, 1024}) {
    const std::vector<float> v = values(threads);
    const float expected = reference_sum(v);
    double exact = 0;
    for (float x : v) exact += x;
    CHECK(expected == doctest::Approx(exact).epsilon(1e-4));
    for (u64 seed : seeds) {
      int equal = 0;
      const auto report = emulate_block(threads, 0, seed, [&](EmulatedTeam& team) {
        const float sum = team.sum(v[static_cast<std::size_t>(team.rank())]);
        equal += std::bit_cast<u32>(sum) == std::bit_cast<u32>(expected);
      });
      CHECK(equal == threads);
      CHECK(report.barriers == (threads > 32 ? 1 : 0));
    }
  }
}

TEST_CASE("emulated: max, min, product, broadcast and a pair with its own operator") {
  struct Pair {
    float value;
    i32 index;
  };
  struct ArgMax {
    Pair operator()(Pair a, Pair b) const {
      return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
    }
  };
  const int threads = 160;
  std::vector<float> v = values(threads);
  v[3] = v[77] = 1e9f;
  v[100] = -1e9f;
  for (u64 seed : seeds) {
    int good = 0;
    emulate_block(threads, 0, seed, [&](EmulatedTeam& team) {
      const int r = team.rank();
      const float x = v[static_cast<std::size_t>(r)];
      bool ok = team.max(x) == 1e9f;
      ok = ok && team.min(x) == -1e9f;
      ok = ok && team.prod(r % 16 == 0 ? 2 : 1) == 1 << 10;
      ok = ok && team.sum(i64{1} << 40) == i64{threads} << 40;
      ok = ok && team.sum(static_cast<double>(r)) == threads * (threads - 1) / 2.0;
      const Pair best = team.all_reduce(Pair{x, r}, ArgMax{});
      ok = ok && best.value == 1e9f && best.index == 3;
      for (int root : {0, 31, 32, 159})
        ok = ok && team.broadcast(x, root) == v[static_cast<std::size_t>(root)];
      good += ok;
    });
    CHECK(good == threads);
  }
}

TEST_CASE("emulated: max has the same bits everywhere with zeros of both signs, and NaN wins") {
  for (int threads : {32, 64}) {
    for (u64 seed : seeds) {
      std::vector<u32> bits;
      int nan = 0;
      emulate_block(threads, 0, seed, [&](EmulatedTeam& team) {
        const float zero = team.rank() % 3 == 0 ? -0.0f : 0.0f;
        bits.push_back(std::bit_cast<u32>(team.max(zero)));
        nan += std::isnan(team.max(team.rank() == 20 ? std::nanf("") : 1.0f));
      });
      CHECK(std::vector<u32>(bits.size(), bits[0]) == bits);
      CHECK(nan == threads);
    }
  }
}

TEST_CASE("emulated: parts of a warp reduce, while others of its lanes are elsewhere") {
  const auto v = values(64);
  for (u64 seed : seeds) {
    std::vector<float> got(64, -1);
    emulate_block(64, 0, seed, [&](EmulatedTeam& block) {
      kernels::SubTeam<EmulatedTeam, 8, 8, false> team(block);
      if (team.group() % 3 == 2) return;
      float sum = v[static_cast<std::size_t>(block.rank())];
      for (int turn = 0; turn <= team.group(); ++turn) sum = team.sum(sum);
      got[static_cast<std::size_t>(block.rank())] = sum;
    });
    for (std::size_t g = 0; g < 8; ++g) {
      std::vector<float> lane(v.begin() + static_cast<long>(8 * g), v.begin() + static_cast<long>(8 * g) + 8);
      for (std::size_t half : {4u, 2u, 1u})
        for (std::size_t i = 0; i < half; ++i) lane[i] = lane[i] + lane[i + half];
      float expected = lane[0];
      for (std::size_t turn = 0; turn < g; ++turn) expected *= 8;
      for (std::size_t i = 0; i < 8; ++i) CHECK(got[8 * g + i] == (g % 3 == 2 ? -1.0f : expected));
    }
    // Lanes of a part that meet a whole warp's.
    CHECK(error_of(32, 0, seed, [](EmulatedTeam& block) {
            if (block.rank() < 8)
              block.shuffle_xor_among<8>(1, 1);
            else
              block.shuffle_xor(1, 1);
          }) == "emulated/divergent-sync");
  }
}

TEST_CASE("emulated: shuffles mean what CUDA's mean") {
  int good = 0;
  emulate_block(64, 0, 5, [&](EmulatedTeam& team) {
    const int lane = team.lane();
    bool ok = team.shuffle_xor(team.rank(), 5) == (team.rank() ^ 5);
    ok = ok && team.shuffle_down(team.rank(), 4) == (lane + 4 < 32 ? team.rank() + 4 : team.rank());
    ok = ok && team.shuffle_up(team.rank(), 4) == (lane >= 4 ? team.rank() - 4 : team.rank());
    ok = ok && team.shuffle(team.rank(), 9) == team.warp() * 32 + 9;
    good += ok;
  });
  CHECK(good == 64);
}

TEST_CASE("emulated: a body with its barriers passes and computes the right thing") {
  for (u64 seed : seeds) {
    std::vector<float> x = values(128);
    const std::vector<float> expected(x.rbegin(), x.rend());
    emulate_block(128, 512, seed, [&](EmulatedTeam& team) { reverse<true>(team, x.data()); });
    CHECK(x == expected);
  }
}

TEST_CASE("emulated: a missing barrier is found by the checks, for every seed") {
  for (u64 seed : seeds) {
    std::vector<float> x = values(128);
    const std::string id =
        error_of(128, 512, seed, [&](EmulatedTeam& team) { reverse<false>(team, x.data()); });
    // Which of the two comes first depends on the schedule.
    CHECK((id == "emulated/race" || id == "emulated/uninitialised-read"));
  }
}

TEST_CASE("emulated: without the checks, a missing barrier still shows as NaN from the poison") {
  for (u64 seed : seeds) {
    std::vector<float> x = values(128);
    emulate_block(128, 512, seed, [&](EmulatedTeam& team) { reverse<false>(team, x.data()); },
                  {.check = false, .poison = true});
    int nan = 0;
    for (float v : x) nan += std::isnan(v);
    CHECK(nan > 0);
  }
}

TEST_CASE("emulated: a race between two writers, and between a reader and a later writer") {
  for (u64 seed : seeds) {
    CHECK(error_of(64, 64, seed, [](EmulatedTeam& team) {
            auto s = team.shared<float>(1);
            if (team.rank() == 3 || team.rank() == 40) s[0] = 1.0f;
          }) == "emulated/race");
    // The second barrier is missing: a fast thread overwrites what a slow one still reads.
    CHECK(error_of(64, 64, seed, [](EmulatedTeam& team) {
            auto s = team.shared<float>(1);
            float total = 0;
            for (int i = 0; i < 2; ++i) {
              if (team.rank() == 0) s[0] = static_cast<float>(i);
              team.sync();
              total += s[0];
            }
            if (total != 1.0f) throw Error("test/wrong", "");
          }) == "emulated/race");
    // Many readers in one warp, then a write by one of them.
    CHECK(error_of(64, 64, seed, [](EmulatedTeam& team) {
            auto s = team.shared<float>(1);
            if (team.rank() == 0) s[0] = 1.0f;
            team.sync();
            const float x = s[0];
            team.shuffle_xor(x, 1);
            if (team.rank() == 5) s[0] = x + 1;
          }) == "emulated/race");
  }
}

TEST_CASE(
    "emulated: neighbours of two bytes do not race, readers do not race, a thread does not race itself") {
  for (u64 seed : seeds) {
    CHECK(error_of(64, 256, seed, [](EmulatedTeam& team) {
            auto s = team.shared<u16>(64);
            s[team.rank()] = static_cast<u16>(team.rank());
            s[team.rank()] += u16{0};
            team.sync();
            int sum = 0;
            for (int i = 0; i < 64; ++i) sum += s[i];
            team.sync();
            s[63 - team.rank()] = static_cast<u16>(sum);
          }) == "none");
  }
}

TEST_CASE("emulated: sync_warp orders a warp and nothing else") {
  auto body = [](EmulatedTeam& team, int distance) {
    auto s = team.shared<int>(64);
    s[team.rank()] = team.rank();
    team.sync_warp();
    const int other = s[team.rank() ^ distance];
    team.sync_warp();
    s[team.rank()] = other;
  };
  for (u64 seed : seeds) {
    CHECK(error_of(64, 256, seed, [&](EmulatedTeam& team) { body(team, 1); }) == "none");
    const std::string id = error_of(64, 256, seed, [&](EmulatedTeam& team) { body(team, 32); });
    CHECK((id == "emulated/race" || id == "emulated/uninitialised-read"));
  }
}

TEST_CASE("emulated: a shuffle does not order shared memory") {
  for (u64 seed : seeds) {
    const std::string id = error_of(32, 128, seed, [](EmulatedTeam& team) {
      auto s = team.shared<int>(32);
      s[team.rank()] = team.rank();
      team.shuffle_xor(1, 1);
      const int other = s[team.rank() ^ 1];
      if (other < 0) throw Error("test/wrong", "");
    });
    CHECK(id == "emulated/race");
  }
}

TEST_CASE("emulated: divergent barriers are found") {
  // Outside the macro, which would put both barriers on one line.
  const auto two_barriers = [](EmulatedTeam& team) {
    if (team.rank() % 2 == 0) {
      team.sync();
    } else {
      team.sync();
    }
  };
  for (u64 seed : seeds) {
    CHECK(error_of(64, 0, seed, [](EmulatedTeam& team) {
            if (team.rank() == 13) return;
            team.sync();
          }) == "emulated/divergent-sync");
    CHECK(error_of(64, 0, seed, [](EmulatedTeam& team) {
            if (team.rank() == 13) return;
            team.shuffle_xor(1, 1);
          }) == "emulated/divergent-sync");
    CHECK(error_of(64, 0, seed, two_barriers) == "emulated/divergent-sync");
    CHECK(error_of(64, 0, seed, [](EmulatedTeam& team) {
            if (team.rank() < 16) team.sync();
            team.shuffle_xor(1, 1);
          }) == "emulated/divergent-sync");
  }
}

TEST_CASE("emulated: shared memory is bounded, and asked for alike") {
  auto id = [](auto body) { return error_of(32, 64, 1, body); };
  CHECK(id([](EmulatedTeam& team) { team.shared<float>(17); }) == "emulated/shared-exhausted");
  CHECK(id([](EmulatedTeam& team) { team.shared<float>(4)[4] = 1.0f; }) == "emulated/out-of-bounds");
  CHECK(id([](EmulatedTeam& team) { (team.shared<float>(4) + 2)[2] = 1.0f; }) == "emulated/out-of-bounds");
  CHECK(id([](EmulatedTeam& team) { team.shared<float>(team.rank() == 5 ? 2 : 4); }) ==
        "emulated/divergent-shared");
  CHECK(id([](EmulatedTeam& team) {
          const float x = team.shared<float>(1)[0];
          if (x == 0.0f) return;
        }) == "emulated/uninitialised-read");
  CHECK(error_of(33, 0, 1, [](EmulatedTeam&) {}) == "emulated/size");
  CHECK(error_of(2048, 0, 1, [](EmulatedTeam&) {}) == "emulated/size");
}

TEST_CASE("emulated: an exception in one thread unwinds the others") {
  int alive = 0;
  struct Counted {
    int& n;
    explicit Counted(int& count) : n(count) { ++n; }
    ~Counted() { --n; }
  };
  const std::string id = error_of(256, 0, 3, [&](EmulatedTeam& team) {
    Counted counted(alive);
    auto heap = std::make_unique<int>(team.rank());
    team.sync();
    if (*heap == 100) throw Error("test/thrown", "by thread 100");
    team.sync();
  });
  CHECK(id == "test/thrown");
  CHECK(alive == 0);
}

TEST_CASE("emulated: a grid runs every block once, in an order that the seed decides") {
  std::vector<i64> order, other;
  const auto report = emulate_grid(9, 32, 0, 11, [&](EmulatedTeam& team, i64 block) {
    if (team.rank() == 0) order.push_back(block);
  });
  emulate_grid(9, 32, 0, 12, [&](EmulatedTeam& team, i64 block) {
    if (team.rank() == 0) other.push_back(block);
  });
  CHECK(report.switches == 9 * 32);
  CHECK(order != other);
  i64 sum = 0;
  for (i64 block : order) sum += block;
  CHECK(order.size() == 9);
  CHECK(sum == 36);
}
