// What callers hold of results, on a device whose programs read their inputs from fixed slots.
#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "emulated/device.hpp"
#include "weft/weft.hpp"

using namespace weft;

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

// A transposed read: written in place, half of the elements would be read too late.
template <class Device>
auto make(const Device& device) {
  return compile(
      device, [](auto x) { return tanh(permute<1, 0>(x) * 1.5f) - x; }, in<f32, n, n>);
}

}  // namespace

TEST_CASE("results, emulated: fed back, kept, and held when their function is gone") {
  std::optional<decltype(make(emulated::Device{}))> f(make(emulated::Device{}));
  auto host = make(Cpu{});
  auto h = (*f)(numbers(1));
  auto wanted = host(numbers(1));
  std::vector<decltype(h)> kept;
  std::vector<Square> kept_wanted;
  for (int step = 0; step < 5; ++step) {
    kept.push_back(h);
    kept_wanted.push_back(wanted.to_vector());
    h = (*f)(h);
    wanted = host(wanted);
  }
  CHECK(h.to_vector() == wanted.to_vector());
  const auto in_place = (*f)(numbers(2)).data();
  CHECK((*f)(numbers(3)).data() == in_place);  // nobody holds it: no second copy
  auto last = (*f)(numbers(3));
  const Square last_wanted = host(numbers(3)).to_vector();
  f.reset();
  CHECK(last.to_vector() == last_wanted);
  for (std::size_t k = 0; k < kept.size(); ++k) CHECK(kept[k].to_vector() == kept_wanted[k]);
}

// Rows of 77 are three warps.
TEST_CASE("results, emulated: a total over rows of several warps, whose chunks end within rows on the host") {
  const auto total = [](const auto& device) {
    return compile(
        device, [](auto x, auto b) { return sum<>(permute<1, 0>(x) * (b - 1.0f)); }, in<f32, 77, 300>,
        in<f32, 77>);
  };
  const Tensor<f32, Shape<77, 300>> x(std::vector<f32>(77 * 300, 0.25f));
  const Tensor<f32, Shape<77>> b(std::vector<f32>(77, 3.0f));
  auto host = total(Cpu{});
  auto emulated = total(emulated::Device{});
  CHECK(host(x, b).item() == 77 * 300 * 0.5f);
  CHECK(emulated(x.to_vector(), b.to_vector()).to_vector()[0] == 77 * 300 * 0.5f);
}
