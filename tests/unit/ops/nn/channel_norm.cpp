// Norms over several axes and over channels, and the options of the spreads: norm.hpp, channel_norm.hpp,
// reduce.hpp and its like.

#include "weft/ops/nn/channel_norm.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/reduce/nan.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("norms: variances and medians with correction and keepdim, as PyTorch") {
  check_traced<2>(
      "functions/spread",
      [](auto a, auto) {
        return std::tuple_cat(std::tuple{var<2>(a, correction<0>, keepdim), var<2>(a, correction<2>),
                                         var<0, 2>(a, keepdim, correction<3>), stddev<1>(a, biased, keepdim),
                                         stddev(a, correction<0>), stddev<1, 2>(a, correction<2>, keepdim)},
                              var_mean<1>(a, biased, keepdim), var_mean<0, 1>(a, correction<2>),
                              std_mean<2>(a, keepdim, biased), std_mean(a, correction<3>),
                              aminmax<1>(a, keepdim), aminmax(a), median<1>(a, keepdim),
                              nanmedian<-1>(a, keepdim), std::tuple{nanquantile<1>(a, 0.3, keepdim)});
      },
      in<f64, 2, 3, 4>, in<f64, 2, 1>);
  check_traced<0>(
      "functions/spread_none",
      [](auto b) {
        return std::tuple{var<1>(b),
                          var<1>(b, biased),
                          var<0>(b, correction<2>),
                          var<0>(b, correction<5>),
                          std::get<0>(var_mean<1>(b, keepdim)),
                          stddev<0>(b, correction<2>)};
      },
      in<f64, 2, 1>);
  static_assert(
      std::is_same_v<decltype(median(std::declval<Expr<f32, Shape<2, 3>>>(), keepdim))::shape, Shape<1, 1>>);
}

TEST_CASE("norms: over one axis and several, as PyTorch") {
  check_traced<2>(
      "functions/layer_norm",
      [](auto a, auto w, auto b, auto v, auto c) {
        const auto matrix = select<0, 0>(select<0, 0>(a));
        return std::tuple{layer_norm<5>(a, w, b),         layer_norm<4, 5>(a, v, c),
                          layer_norm<4, 5>(a, v, 0.1),    layer_norm<3, 4, 5>(a),
                          layer_norm<4, 5>(matrix, v, c), rms_norm<4, 5>(a, v, 1e-3),
                          rms_norm<3, 4, 5>(a, 1e-3),     rms_norm(a, w, 1e-3)};
      },
      in<f64, 2, 3, 4, 5>, in<f64, 5>, in<f64, 5>, in<f64, 4, 5>, in<f64, 4, 5>);
  check_traced<2>(
      "functions/channel_norm",
      [](auto a, auto s, auto w, auto b, auto m, auto v) {
        const auto mean = stop_gradient(m), variance = stop_gradient(v);
        return std::tuple{group_norm<3>(s),
                          group_norm<2>(s, cat(w, w), cat(b, b), 0.1),
                          group_norm<1>(a, w, b),
                          group_norm<3>(select<2, 0>(s)),
                          instance_norm(a),
                          instance_norm(a, w, b, 0.1),
                          batch_norm(a),
                          batch_norm(a, mean, variance),
                          batch_norm(a, mean, variance, w, b, 0.1),
                          batch_norm(select<2, 0>(select<3, 0>(a)), 0.1)};
      },
      in<f64, 2, 3, 4, 5>, in<f64, 2, 6, 3>, in<f64, 3>, in<f64, 3>, in<f64, 3>, in<f64, 3>);
  check_traced<0>(
      "functions/norms_empty",
      [](auto a, auto b) {
        return std::tuple{layer_norm<3, 4>(a), rms_norm<4>(b), group_norm<3>(a), layer_norm(b)};
      },
      in<f64, 0, 3, 4>, in<f64, 2, 0, 4>);
}
