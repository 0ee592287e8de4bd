#include "weft/ops/nn/shrink.hpp"

#include "support/gradcheck.hpp"
#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/nn/similarity.hpp"
#include "weft/ops/shape/slicing.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("shrink: values and gradients, as PyTorch") {
  check_group(
      "shrink",
      [](auto x) {
        const auto each = [](const auto&... f) {
          return [=](auto t) { return std::tuple_cat(std::tuple{f(t)}..., std::tuple{weighted<>(f)(t)}...); };
        };
        return each([](auto t) { return softshrink(t, 0.7); }, [](auto t) { return hardshrink(t, 0.7); },
                    [](auto t) { return tanhshrink(t); }, [](auto t) { return threshold(t, 0.1, -3); },
                    [](auto t) { return rrelu(t); }, [](auto t) { return softmin<1>(t); },
                    [](auto t) { return swiglu<1>(t); }, [](auto t) { return geglu(t); },
                    [](auto t) { return reglu(t); },
                    [](auto t) { return cosine_similarity(slice<0, 0, 2>(t), slice<0, 2, 4>(t)); },
                    [](auto t) { return pairwise_distance(slice<0, 0, 2>(t), slice<0, 2, 4>(t)); },
                    [](auto t) { return normalize(t); })(x);
      },
      in<f32, 4, 8>);
}

TEST_CASE("shrink: gradients against differences in f64") {
  const auto check = [](const auto& f, const auto&... points) {
    const GradCheck r = gradcheck(f, points...);
    INFO("error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  const auto x = point<3, 4>(0.6, 2, 1), y = point<3, 4>(-2, 2, 2);
  check([](auto v) { return softshrink(v); }, x);
  check([](auto v) { return hardshrink(v); }, x);
  check([](auto v) { return tanhshrink(v); }, y);
  check([](auto v) { return threshold(v, 0.3, 1); }, x);
  check([](auto v) { return softmin<1>(v); }, y);
  check([](auto v) { return swiglu(v); }, y);
  check([](auto v) { return geglu(v); }, y);
  check([](auto v) { return reglu(v); }, x);
  check([](auto v, auto w) { return cosine_similarity(v, w); }, x, y);
  check([](auto v, auto w) { return pairwise_distance(v, w); }, x, y);
  check([](auto v) { return normalize(v); }, y);
}

TEST_CASE("shrink: threshold of small floats compares with the number as it is given, as PyTorch") {
  const Tensor<bf16, Shape<3>> x(
      std::vector<bf16>{bf16(0.0995f), bf16(0.1f), bf16(0.101f)});  // the second is 0.10009765625
  const Tensor<bf16, Shape<3>> y = threshold(x, 0.1, 20.25);
  CHECK(static_cast<float>(y[0]) == 20.25f);
  CHECK(y[1] == x[1]);
  CHECK(y[2] == x[2]);
}
