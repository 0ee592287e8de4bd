#include "weft/ops/core/number_range.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/ops.hpp"

using namespace weft;

namespace {
template <class T, i64... D>
using Of = Tensor<T, Shape<D...>>;

template <class F>
bool refused(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.id() == "tensor/number-range";
  }
  return false;
}
}  // namespace

TEST_CASE("number_range: what lies in a range, and what a run alone tells") {
  using detail::least_positive, detail::lies_in, detail::unlimited;
  CHECK(lies_in(0, 0, 1));
  CHECK(lies_in(1.0f, 0, 1));
  CHECK(!lies_in(-0.1, 0, 1));
  CHECK(!lies_in(25, 0, 1));
  CHECK(!lies_in(std::numeric_limits<f64>::quiet_NaN(), 0, 1));
  CHECK(!lies_in(0, least_positive, unlimited));
  CHECK(lies_in(std::numeric_limits<f32>::denorm_min(), least_positive, unlimited));
  CHECK(lies_in(ScalarExpr<f32>{}, 2, 1));
}

TEST_CASE("number_range: numbers that PyTorch refuses are an Error of run-time tensors") {
  const Of<f32, 4> x{1, 2, 3, 4}, y{1, 1, 1, 1};
  const Of<f32, 2, 4> logits{{1, 2, 3, 4}, {4, 3, 2, 1}};
  const Of<i64, 2> labels{1, 2};
  const Of<u8, 4> bytes{1, 2, 3, 4};
  CHECK(refused([] { Of<u8, 4> r = randint<u8, 4>(0, 257); }));
  CHECK(refused([] { Of<u8, 4> r = randint<u8, 4>(-1, 5); }));
  CHECK(refused([] { Of<i64, 4> r = randint<i64, 4>(5, 5); }));
  CHECK(refused([&] { Of<u8, 4> r = randint_like(bytes, 0, 257); }));
  CHECK(refused([] { Of<f32, 4> r = bernoulli<f32, 4>(25); }));
  CHECK(refused([] { Of<f32, 4> r = normal<f32, 4>(0, -1); }));
  CHECK(refused([&] { Of<f32, 4> r = normal(x, -1); }));
  CHECK(refused([] { Of<f32, 4> r = log_normal<f32, 4>(0, 0); }));
  CHECK(refused([] { Of<f32, 4> r = exponential<f32, 4>(0); }));
  CHECK(refused([] { Of<f32, 4> r = cauchy<f32, 4>(0, 0); }));
  CHECK(refused([] { Of<f32, 4> r = geometric<f32, 4>(1.5); }));
  CHECK(refused([&] { Of<f32> r = quantile(x, 25); }));
  CHECK(refused([&] { Of<f32> r = nanquantile(x, -0.5); }));
  CHECK(refused([&] { Of<f32> r = huber_loss(x, y, 0); }));
  CHECK(refused([&] { Of<f32> r = smooth_l1_loss(x, y, -1.0f); }));
  CHECK(refused([&] { Of<f32> r = cross_entropy(logits, labels, {.label_smoothing = 1.5}); }));
  CHECK(refused([&] { Of<f32, 4> r = dropout(x, 10); }));
  CHECK(refused([&] { Of<f32, 2, 4> r = nn::functional::dropout2d(logits, -1); }));
  CHECK(refused([&] { Of<f32, 4> r = nn::functional::alpha_dropout(x, 10); }));
  CHECK(refused([&] { Of<f32, 2, 4> r = nn::functional::feature_alpha_dropout(logits, -2); }));
  CHECK(refused([&] { Of<f32, 2, 4> r = scaled_dot_product_attention(logits, logits, logits, 10.0f); }));
  CHECK(refused([&] { Of<f32, 2, 4> r = renorm<0>(logits, -1); }));
  CHECK(refused([&] { Of<f32, 2, 4> r = gumbel_softmax(logits, 0); }));
  CHECK(refused([&] { Of<f32, 4> r = rrelu(x, 0.5, 0.25); }));
}

TEST_CASE("number_range: the ends of the ranges are taken") {
  const Of<f32, 4> x{1, 2, 3, 4}, y{1, 1, 1, 1};
  const Of<u8, 64> bytes = randint<u8, 64>(0, 256), like = randint_like(bytes, 255, 256);
  for (const u8 e : like) CHECK(e == 255);
  const Of<f32, 64> all = bernoulli<f32, 64>(1), none = bernoulli<f32, 64>(0), still = normal<f32, 64>(3, 0);
  for (i64 i = 0; i < 64; ++i) {
    CHECK(all[i] == 1);
    CHECK(none[i] == 0);
    CHECK(still[i] == 3);
  }
  const Of<f32, 4> kept = dropout(x, 0), dropped = dropout(x, 1), alpha = nn::functional::alpha_dropout(x, 0);
  for (i64 i = 0; i < 4; ++i) {
    CHECK(kept[i] == x[i]);
    CHECK(dropped[i] == 0);
    CHECK(alpha[i] == x[i]);
  }
  const Of<f32, 2, 4> rows{{3, 0, 4, 0}, {0, 0, 0, 0}}, bounded = renorm<0>(rows, 0);
  for (const f32 e : bounded) CHECK(e == 0);
  const Of<f32> least = quantile(x, 0), most = quantile(x, 1), loss = huber_loss(x, y, 0.5f);
  CHECK(least[0] == 1);
  CHECK(most[0] == 4);
  CHECK(loss[0] == doctest::Approx((0 + 0.375 + 0.875 + 1.375) / 4));
}
