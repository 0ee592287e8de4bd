#include "weft/exec/results.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

using namespace weft;
using testing::error_of;

namespace {

constexpr i64 n = 64;
using Square = std::vector<f32>;

Square numbers(u32 state) {
  Square v(n * n);
  for (f32& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<f32>(static_cast<i32>(state)) * 1e-10f;
  }
  return v;
}

// tanh(x x), which reads all of x for each element that it writes, and x + 1.
auto make() {
  return compile(
      Cpu{},
      [](auto x) {
        return std::tuple{tanh(matmul(x, x)), x + 1.0f};
      },
      in<f32, n, n>);
}
// The same, each result in memory of its own.
struct Reference {
  decltype(make()) f = make();
  Square square(const Square& x) { return std::get<0>(f(x)).to_vector(); }
};

}  // namespace

TEST_CASE("results: one that is fed back is read as it was") {
  auto f = make();
  Reference reference;
  auto [h, next] = f(numbers(1));
  Square wanted = reference.square(numbers(1));
  for (int step = 0; step < 6; ++step) {
    auto [y, z] = f(h);
    h = y;
    next = z;
    const Square before = wanted;
    wanted = reference.square(wanted);
    CHECK(h.to_vector() == wanted);
    for (i64 i = 0; i < n * n; i += 77) CHECK(next[i] == before[static_cast<std::size_t>(i)] + 1.0f);
  }
}

TEST_CASE("results: those that are kept stay as they were, however many there are") {
  auto f = make();
  Reference reference;
  std::vector<decltype(f(numbers(0)))> kept;
  for (u32 k = 0; k < 9; ++k) kept.push_back(f(numbers(k)));
  for (u32 k = 0; k < 9; ++k) {
    CHECK(std::get<0>(kept[k]).to_vector() == reference.square(numbers(k)));
    CHECK(std::get<1>(kept[k])(3, 5) == numbers(k)[3 * n + 5] + 1.0f);
  }
  const auto a = std::get<0>(f(numbers(20))), copy = a;
  f(numbers(21));
  CHECK(copy.data() == a.data());  // one memory, wherever it moved
  CHECK(copy.to_vector() == reference.square(numbers(20)));
}

TEST_CASE("results: two calls in one expression are two values") {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2.0f; }, in<f32, n, n>);
  const Square x = numbers(1), y = numbers(2);
  const Tensor<f32, Shape<n, n>> sum = f(x) + f(y), same = f(x) * f(x) + f(y);
  for (i64 i = 0; i < n * n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    REQUIRE(sum[i] == 2.0f * x[k] + 2.0f * y[k]);
    REQUIRE(same[i] == doctest::Approx(4.0f * x[k] * x[k] + 2.0f * y[k]));
  }
}

TEST_CASE("results: nothing is copied that nobody holds, and memory comes back") {
  auto f = make();
  const Square x = numbers(1);
  const f32* const in_place = std::get<0>(f(x)).data();
  for (u32 k = 0; k < 3; ++k) CHECK(std::get<0>(f(x)).data() == in_place);
  std::optional<decltype(f(x))> held(f(x));
  CHECK(std::get<0>(*held).data() == in_place);
  f(x);
  const f32* const moved = std::get<0>(*held).data();
  CHECK(moved != in_place);
  held.reset();
  held.emplace(f(x));
  f(x);
  CHECK(std::get<0>(*held).data() == moved);
}

TEST_CASE("results: they outlive their function, and a moved function goes on") {
  Reference reference;
  std::optional<decltype(make())> f(make());
  const auto [y, z] = (*f)(numbers(1));
  auto other = std::move(*f);
  CHECK(error_of([&] { (*f)(numbers(1)); }) == "call/moved");
  CHECK(error_of([&] { f->set_seed(1); }) == "call/moved");
  f.reset();
  const auto [w, v] = other(numbers(2));
  CHECK(y.to_vector() == reference.square(numbers(1)));
  { const auto last = std::move(other); }
  CHECK(w.to_vector() == reference.square(numbers(2)));
  CHECK(v(0, 0) == numbers(2)[0] + 1.0f);
}

TEST_CASE("results: a span costs no copy and is overwritten; as an argument it is read as it was") {
  auto f = make();
  Reference reference;
  const auto view = std::get<0>(f(numbers(1))).span();
  const f32* const place = view.data();
  auto [y, z] = f(view);
  CHECK(y.data() == place);
  CHECK(y.to_vector() == reference.square(reference.square(numbers(1))));
  const TensorView<f32, Shape<n, n>, Cpu> pointer(y.data());
  const Square before = y.to_vector();
  auto [again, more] = f(pointer.data());
  CHECK(again.to_vector() == reference.square(before));
}

TEST_CASE("results: into() a result, a tensor that dies, and memory that is read") {
  auto f = compile(
      Cpu{}, [](auto x) { return tanh(matmul(x, x)); }, in<f32, n, n>);
  Reference reference;
  auto y = f(numbers(1));
  f.into(y)(numbers(2));
  CHECK(y.to_vector() == reference.square(numbers(2)));
  f.into(y)(y);
  CHECK(y.to_vector() == reference.square(reference.square(numbers(2))));
  auto run = [&] {
    Tensor<f32, Shape<n, n>> local;
    return std::pair{f.into(local), local.view()};
  }();
  run.first(numbers(3));
  CHECK(run.second.to_vector() == reference.square(numbers(3)));
  Square own = numbers(4);
  f.into(own)(own);
  CHECK(own == reference.square(numbers(4)));
}

TEST_CASE("results: into() writes to a tensor that has been assigned since") {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 64>);
  using Row = Tensor<f32, Shape<64>>;
  const Row x = Row::full(3);
  Row y;
  auto call = f.into(y);
  const TensorView<f32, Shape<64>, Cpu> seen = y.view();
  const auto check = [&] {
    call(x);
    CHECK(y.to_vector() == std::vector<f32>(64, 6));
    CHECK(seen.to_vector() == y.to_vector());
  };
  check();
  y = x * 10.0f;
  CHECK(seen[5] == 30);
  check();
  y += 1.0f;
  CHECK(seen[5] == 7);
  check();
  y = Row::full(4);
  CHECK(seen[5] == 4);
  check();
  y = x;
  CHECK(seen[5] == 3);
  check();
}

TEST_CASE("results: two results have targets of their own") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{x + 1.0f, x * 2.0f};
      },
      in<f32, 64>);
  const std::vector<f32> x(64, 1.0f);
  Tensor<f32, Shape<64>> y;
  std::vector<f32> z(128);
  CHECK(error_of([&] { f.into(y, y)(x); }) == "call/targets");
  CHECK(error_of([&] { f.into(z.data(), z.data() + 63)(x); }) == "call/targets");
  f.into(z.data() + 64, z.data())(x);
  CHECK(z[63] == 2);
  CHECK(z[64] == 2);
}

TEST_CASE("results: what a target cannot hold is an Error, and nothing is written") {
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1.0f; }, in<f32, 8>);
  const std::vector<f32> x(8, 1.0f);
  std::vector<f32> small(7, 3.0f), none;
  CHECK(error_of([&] { f.into(small)(x); }) == "call/size");
  CHECK(error_of([&] { f.into(none)(x); }) == "call/size");
  CHECK(small == std::vector<f32>(7, 3.0f));
  f32* nowhere = nullptr;
  CHECK(error_of([&] { f.into(nowhere)(x); }) == "call/null");
  CHECK(error_of([&] { f(nowhere); }) == "call/null");
  Tensor<f32, Shape<8>> tensor;
  const Tensor<f32, Shape<8>> taken = std::move(tensor);
  CHECK(error_of([&] { f(tensor); }) == "call/null");
  CHECK(error_of([&] { f.into(tensor)(x); }) == "call/null");
  f32 grid[8]{};
  f.into(grid)(x);
  CHECK(grid[7] == 2.0f);
}

TEST_CASE("results: one thread at a time") {
  auto f = compile(
      Cpu{1}, [](auto x) { return tanh(matmul(x, x)); }, in<f32, 256, 256>);
  const std::vector<f32> x(256 * 256, 0.01f);
  const std::vector<f32> wanted = f(x).to_vector();
  int refused[2]{}, wrong[2]{};
  const auto call = [&](int who) {
    for (int k = 0; k < 40; ++k) {
      std::vector<f32> y(x.size());
      if (error_of([&] { f.into(y)(x); }) == "call/threads")
        ++refused[who];
      else if (y != wanted)
        ++wrong[who];
    }
  };
  std::thread other(call, 1);
  call(0);
  other.join();
  CHECK(wrong[0] + wrong[1] == 0);
  MESSAGE("refused: ", refused[0] + refused[1]);
  CHECK(f(x).to_vector() == wanted);
}
