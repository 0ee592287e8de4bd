// Frames, exchanged pixels and channels, and windows as columns: padding.hpp, shuffle.hpp, unfold.hpp and the
// layers of the same names.

#include "weft/ops/shape/padding.hpp"

#include "support/traced_parity.hpp"
#include "weft/nn/padding.hpp"
#include "weft/nn/shuffle.hpp"
#include "weft/nn/unfold.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
constexpr PaddingMode reflect = PaddingMode::reflect, replicate = PaddingMode::replicate,
                      circular = PaddingMode::circular;
constexpr i64 big = (i64{1} << 53) + 1;
}  // namespace

TEST_CASE("padding: frames made of the tensor, as PyTorch") {
  check_traced(
      "image/pad",
      [](auto a, auto b, auto c) {
        return std::tuple{pad<reflect, 2, 3>(a),
                          pad<reflect, 4, 0>(a),
                          pad<replicate, 0, 7>(a),
                          pad<circular, 5, 5>(a),
                          pad<reflect, -1, 2>(a),
                          pad<replicate, 2, -2>(a),
                          pad<circular, -1, 3>(a),
                          pad<reflect, 1, 2, 3, 0>(b),
                          pad<replicate, 3, 0, 1, 5>(b),
                          pad<circular, 0, 4, 2, 2>(b),
                          pad<reflect, 1, 1, -1, 2>(b),
                          pad<reflect, 1, 2, 0, 3, 1, 1>(c),
                          pad<replicate, 1, 2, 0, 3, 1, 1>(c),
                          pad<circular, 3, 1, 4, 0, 2, 3>(c)};
      },
      in<f64, 2, 3, 5>, in<f64, 2, 4, 5>, in<f64, 2, 3, 4, 3>);
  check_traced(
      "image/pad_empty",
      [](auto a) {
        return std::tuple{pad<reflect, 1, 2, 3, 0>(a), pad<replicate, 1, 2, 3, 0>(a),
                          pad<circular, 1, 2, 3, 0>(a)};
      },
      in<f64, 0, 3, 4, 5>);
  check_traced<0>(
      "image/pad_special",
      [](auto a) {
        return std::tuple{pad<reflect, 2, 3>(a), pad<replicate, 2, 3>(a), pad<circular, 2, 3>(a)};
      },
      in<f64, 1, 4>);
  check_traced(
      "image/pad_layers",
      [](auto b, auto c) {
        return std::tuple{
            nn::ConstantPad1d<1, 2>{.value = 3.5f}(b), nn::ConstantPad2d<2>{.value = -1}(b),
            nn::ZeroPad2d<1, 0, -1, 2>{}(b),           nn::ReflectionPad1d<2>{}(b),
            nn::ReflectionPad2d<1, 2, 3, 0>{}(b),      nn::ReplicationPad3d<1>{}(c),
            nn::CircularPad2d<1, 2, 0, 3>{}(b),        nn::ConstantPad3d<1, 0, 0, 2, 1, 1>{.value = 0.5f}(c)};
      },
      in<f64, 2, 4, 5>, in<f64, 2, 3, 4, 3>);
}

TEST_CASE("padding: every layer is the function of its mode and axes") {
  const auto same = [](auto layer, auto function) {
    ir::Builder b;
    const Expr<f32, Shape<2, 3, 4, 5, 6>> x{
        ir::Value{&b, b.leaf(ir::Op::input, DType::f32, Shape<2, 3, 4, 5, 6>::value, 0)}};
    CHECK(layer(x).value.id == function(x).value.id);  // equal nodes have one number
  };
  same(nn::ZeroPad1d<1>{}, [](auto x) { return pad<1, 1>(x); });
  same(nn::ZeroPad3d<1, 2, 3, 4, 5, 6>{}, [](auto x) { return pad<1, 2, 3, 4, 5, 6>(x); });
  same(nn::ReflectionPad3d<1>{}, [](auto x) { return pad<reflect, 1, 1, 1, 1, 1, 1>(x); });
  same(nn::ReplicationPad1d<2, 0>{}, [](auto x) { return pad<replicate, 2, 0>(x); });
  same(nn::ReplicationPad2d<1>{}, [](auto x) { return pad<replicate, 1, 1, 1, 1>(x); });
  same(nn::CircularPad1d<3>{}, [](auto x) { return pad<circular, 3, 3>(x); });
  same(nn::CircularPad3d<1, 2, 0, 1, 4, 0>{}, [](auto x) { return pad<circular, 1, 2, 0, 1, 4, 0>(x); });
  same(nn::PixelShuffle<1>{}, [](auto x) { return pixel_shuffle<1>(x); });
  same(nn::PixelUnshuffle<1>{}, [](auto x) { return pixel_unshuffle<1>(x); });
  same(nn::ChannelShuffle<3>{}, [](auto x) { return channel_shuffle<3>(x); });
}

TEST_CASE("padding: pixels and channels exchanged, as PyTorch") {
  check_traced(
      "image/pixels",
      [](auto a, auto b) {
        return std::tuple{pixel_shuffle<2>(a),
                          pixel_shuffle<1>(select<0, 0>(a)),
                          pixel_unshuffle<2>(b),
                          nn::PixelUnshuffle<2>{}(slice<0, 0, 1>(select<0, 1>(b))),
                          channel_shuffle<3>(b),
                          nn::ChannelShuffle<4>{}(a),
                          channel_shuffle<2>(flatten<2>(b)),
                          nn::PixelShuffle<2>{}(reshape<1, 2, 1, 8, 2, 3>(a))};
      },
      in<f64, 2, 8, 2, 3>, in<f64, 2, 6, 4, 6>);
  check_traced<0>(
      "image/pixels_empty",
      [](auto a, auto b) {
        return std::tuple{pixel_shuffle<2>(a), pixel_shuffle<2>(b), channel_shuffle<4>(a)};
      },
      in<f64, 0, 8, 2, 3>, in<f64, 2, 8, 0, 3>);
}

TEST_CASE("padding: windows as columns and back, as PyTorch") {
  check_traced(
      "image/unfold",
      [](auto a, auto b) {
        return std::tuple{unfold<PerAxis{2, 3}>(a),
                          unfold<2, UnfoldOptions{.padding = 1}>(a),
                          unfold<PerAxis{3, 2}, UnfoldOptions{.padding = {0, 1}, .stride = {2, 1}}>(a),
                          unfold<2, UnfoldOptions{.dilation = {2, 3}}>(a),
                          unfold<PerAxis{1, 6}>(a),
                          unfold<2>(b),
                          nn::Unfold<2, UnfoldOptions{.stride = 2}>{}(a),
                          unfold<2, UnfoldOptions{.padding = 1, .stride = 2}>(b)};
      },
      in<f64, 2, 3, 5, 6>, in<f64, 2, 4, 5>);
  check_traced(
      "image/fold",
      [](auto a, auto b) {
        return std::tuple{fold<PerAxis{5, 6}, 2>(a),
                          fold<PerAxis{6, 5}, 2>(a),
                          fold<PerAxis{4, 6}, 2, UnfoldOptions{.stride = 2}>(slice<2, 0, 6>(a)),
                          fold<PerAxis{5, 4}, PerAxis{2, 3}, UnfoldOptions{.padding = 1, .stride = {2, 1}}>(
                              slice<2, 0, 12>(a)),
                          fold<PerAxis{3, 4}, 2>(b),
                          nn::Fold<PerAxis{4, 4}, 2, UnfoldOptions{.stride = 2}>{}(slice<1, 0, 4>(b)),
                          fold<PerAxis{3, 3}, 2, UnfoldOptions{.padding = 1, .stride = 3}>(slice<1, 0, 4>(b)),
                          fold<PerAxis{4, 5}, 2, UnfoldOptions{.dilation = {2, 2}}>(b)};
      },
      in<f64, 2, 12, 20>, in<f64, 8, 6>);
  check_traced(
      "image/unfold_empty",
      [](auto a, auto b) {
        return std::tuple{unfold<PerAxis{2, 3}>(a), fold<PerAxis{5, 6}, 2>(b)};
      },
      in<f64, 0, 3, 5, 6>, in<f64, 0, 12, 20>);
}

TEST_CASE("padding: a number of i64 that no double is") {
  auto f = compile(
      test_device(),
      [](auto x) {
        return std::tuple{pad<1, 2>(x, big), pad<1, 2>(x, -big), pad<1, 2>(x, 7)};
      },
      in<i64, 2>);
  const auto [above, below, small] = f(std::vector<i64>{1, 2});
  CHECK(above.to_vector() == std::vector<i64>{big, 1, 2, big, big});
  CHECK(below.to_vector() == std::vector<i64>{-big, 1, 2, -big, -big});
  CHECK(small.to_vector() == std::vector<i64>{7, 1, 2, 7, 7});
}
