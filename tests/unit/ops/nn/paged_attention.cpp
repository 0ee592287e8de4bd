#include "weft/ops/nn/paged_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "support/safetensors_reference.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr AttentionOptions none{}, causal{.is_causal = true};

// On the interpreter and on two threads of the host, beside PyTorch's attention of each sequence alone.
template <AttentionOptions O, i64 Queries>
void agrees(const std::string& name) {
  const SafetensorsReference file("tests/parity/nn/packed_attention.safetensors");
  const auto both = [](auto q, auto k, auto v, auto table, auto lengths, auto g) {
    return std::tuple_cat(std::tuple{paged_attention<O>(q, k, v, table, lengths)},
                          grad<0, 1, 2>([](auto a, auto b, auto c, auto t, auto n, auto e) {
                            return sum<>(paged_attention<O>(a, b, c, t, n) * e);
                          })(q, k, v, table, lengths, g));
  };
  const auto of = [&](auto device) {
    auto f = compile(device, both, in<f32, 3, 4, Queries, 8>, in<f32, 9, 16, 2, 8>, in<f32, 9, 16, 2, 6>,
                     in<i32, 3, 3>, in<i32, 3>, in<f32, 3, 4, Queries, 6>);
    file.check(f(file(name + ".q"), file(name + ".k"), file(name + ".v"), file.values<i32>(name + ".table"),
                 file.values<i32>(name + ".lengths"), file(name + ".g")),
               name, {"y", "dq", "dk", "dv"});
  };
  of(test_device());
  of(Cpu{2});
}

struct Pool {
  nn::Buffer<f32, Shape<4, 8, 1, 4>> pages{};
  constexpr auto operator()(auto x, auto table, auto position) const {  // x: (1, 1, 1, 4) of one token
    const auto page = index(table, 0, floor_divide(position, 8));
    const auto filled = dynamic_update_slice(pages, x, page, position % 8, 0, 0);
    pages.assign(filled);
    return paged_attention(x, filled, filled, table, reshape<1>(position + 1));
  }
};

}  // namespace

TEST_CASE("paged attention: pages of a pool agree with PyTorch's attention of each sequence") {
  agrees<causal, 2>("paged");
}

TEST_CASE("paged attention: a length of 0 gives zeros, whatever the table says behind a length") {
  agrees<none, 1>("pages");
}

TEST_CASE("paged attention: a cache in state, to which a token is added in its page") {
  Model<Pool> model;
  auto step = compile(
      model, [](const auto& m, auto x, auto table, auto position) { return m(x, table, position); },
      in<f32, 1, 1, 1, 4>, in<i32, 1, 3>, in<i32>);
  std::vector<std::vector<f64>> seen;
  for (i32 t = 0; t < 20; ++t) {
    std::vector<f32> x(4);
    for (std::size_t e = 0; e < 4; ++e)
      x[e] = static_cast<f32>(std::sin(1.7 * t + 0.9 * static_cast<f64>(e)));
    seen.emplace_back(x.begin(), x.end());
    std::vector<f64> wanted(4);
    f64 total = 0;
    for (const auto& other : seen) {
      f64 s = 0;
      for (std::size_t e = 0; e < 4; ++e) s += seen.back()[e] * other[e] / 2;  // sqrt(4)
      total += std::exp(s);
      for (std::size_t e = 0; e < 4; ++e) wanted[e] += std::exp(s) * other[e];
    }
    const auto y = step(x, std::vector<i32>{2, 0, 3}, t);
    for (i64 e = 0; e < 4; ++e)
      CHECK(y[e] == doctest::Approx(wanted[static_cast<std::size_t>(e)] / total).epsilon(1e-5));
  }
}
