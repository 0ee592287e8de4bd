// Rows of a table on a GPU, read by index and added to: the host's bits, whatever is hit how often.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/numbers.hpp"
#include "weft/cuda.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/tied.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

namespace {

// Words of a text: word k about as often as 1 / k, so that a tenth of them is one word.
std::vector<i32> text(i64 count, i32 words) {
  std::vector<i32> t(static_cast<std::size_t>(count));
  u32 state = 7;
  for (i32& word : t) {
    state = state * 1664525u + 1013904223u;
    const f64 uniform = static_cast<f64>(state >> 8) / 16777216.0;
    word = static_cast<i32>(std::pow(static_cast<f64>(words), uniform)) - 1;
  }
  return t;
}
// The table's gradient of the rows' products with g.
struct TableGradient {
  constexpr auto operator()(auto table, auto index, auto g) const {
    return grad<0>([](auto t, auto i, auto upstream) { return sum(cast<f32>(embedding(i, t) * upstream)); })(
        table, index, g);
  }
};

template <class T, i64 Words, i64 Count, i64 Width, class Device>
std::vector<T> gradient(const Device& device, const std::vector<i32>& index) {
  auto f = compile(device, TableGradient{}, in<T, Words, Width>, in<i32, Count>, in<T, Count, Width>);
  std::vector<T> d(static_cast<std::size_t>(Words * Width));
  f.into(d)(testing::numbers<T>(Words * Width, 5), index, testing::numbers<T>(Count * Width, 5));
  return d;
}
template <class T, i64 Words, i64 Count, i64 Width>
void compare(const std::vector<i32>& index) {
  const auto host = gradient<T, Words, Count, Width>(Cpu{}, index),
             gpu = gradient<T, Words, Count, Width>(Cuda{0}, index);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < host.size(); ++i) differ += host[i] == gpu[i] ? 0 : 1;
  CHECK(differ == 0);
}

// Members whose types have a text for an argument, which nvcc's front end spells with a NUL in it.
struct Head {
  nn::Tied<"table.weight"> weight{};
};
struct Language {
  nn::Embedding<6, 4> table{};
  Head head{};
};
static_assert(nn::alias_table<Language>.row[0].name.view() == "head.weight");
static_assert(nn::find_state<Language>("head.weight").row >= 0);

}  // namespace

TEST_CASE("rows: the gradient of a table for a text has the host's bits") {
  compare<f32, 700, 3000, 150>(text(3000, 700));
  compare<bf16, 300, 1500, 70>(text(1500, 300));
}

TEST_CASE("rows: one word throughout, more often than a block lists at once, and words that are none") {
  compare<f32, 40, 3000, 40>(std::vector<i32>(3000, 17));
  std::vector<i32> outside = text(3000, 40);
  for (std::size_t i = 0; i < outside.size(); i += 3) outside[i] = i % 2 == 0 ? -5 : 41;
  compare<f32, 40, 3000, 40>(outside);
}
