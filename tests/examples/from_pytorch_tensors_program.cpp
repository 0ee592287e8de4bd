// Tensors and operations of docs/from_pytorch.md: whatever stands in the right-hand columns of its tables
// stands here, is compiled and runs. tests/examples/run.sh pages compares.

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>
#include <weft/weft.hpp>

using namespace weft;

void tensors() {
  const std::vector<f32> list{1, 2, 3, 4, 5, 6};
  Tensor<f32, Shape<2, 3>> x(list);
  Tensor<f32, Shape<2, 3>> a{1, 2, 3, 4, 5, 6};
  Tensor<f32, Shape<2, 3>> nothing;
  auto sevens = Tensor<f32, Shape<2, 3>>::full(7);
  std::vector<f32> memory(6, 0.5f);
  TensorView<f32, Shape<2, 3>, Cpu> shared(memory.data());
  Tensor<f32, Shape<2, 3>> y = a * shared + 1.0f;
  Tensor<f32, Shape<2>> rows = sum<-1>(y);
  Tensor<bf16, Shape<2, 3>> low = cast<bf16>(y);
  Tensor<f32, Shape<2, 3>> noise = randn<f32, 2, 3>();
  Tensor<i64, Shape<10>> count = arange<i64, 10>();
  Tensor<f32, Shape<5>> line = linspace<f32, 5>(0, 1);
  Tensor<f32, Shape<3, 3>> unit = eye<f32, 3>();
  Tensor<f32, Shape<2, 3>> ones_of_x = ones_like(x);

  std::cout << x << "\n";
  std::printf("%g %g\n", double(x(1, 2)), double(x[4]));
  x(0, 1) = 9;
  for (f32 v : x) std::printf("%g,", double(v));
  std::printf("\n%lld %lld %d\n", static_cast<long long>(x.extent(0)), static_cast<long long>(x.size()),
              x.rank);
  std::vector<f32> back = y.to_vector();
  Tensor<f32, Shape<>> total = sum<>(rows);
  std::printf("%g %zu %g\n", double(total.item()), back.size(), double(line(1) + unit(0, 0)));
  static_assert(std::is_same_v<decltype(x)::dtype, f32> && std::is_same_v<decltype(x)::shape, Shape<2, 3>>);
  const bool drawn =
      std::isfinite(noise(0, 0)) && sevens(1, 1) == 7 && nothing(0, 0) == 0 && ones_of_x(0, 0) == 1;
  std::printf("%s %lld %g\n", drawn ? "yes" : "no", static_cast<long long>(count(9)),
              double(float(low(0, 0))));
}

void operations() {
  auto along_axes = compile(
      Cpu{},
      [](auto x) {  // (4, 6)
        auto [sorted, order_of_x] = sort(x, descending);
        auto [top, places] = topk<2>(x);
        return std::tuple{
            softmax<-1>(x),  log_softmax<1>(x), sum<>(x),      sum<1>(x, keepdim), mean<0, 1>(x),
            amax<-1>(x),     max<1>(x),         argmax<1>(x),  var<1>(x),          stddev<0>(x),
            logsumexp<1>(x), cumsum<1>(x),      sorted,        order_of_x,         top,
            places,          norm<>(x),         any<1>(x > 0), clamp(x, -1, 1),    normalize<1>(x),
            flip<0>(x)};
      },
      in<f32, 4, 6>);
  auto shapes = compile(
      Cpu{},
      [](auto x) {  // (4, 6)
        auto [left, right] = split<3, 1>(x);
        auto h = relu(x);
        h = h + x;
        return std::tuple{reshape<-1, 3>(x),
                          view<24>(x),
                          permute<1, 0>(x),
                          transpose<0, 1>(x),
                          t(x),
                          unsqueeze<0>(x),
                          flatten<0>(x),
                          cat<1>(left, right),
                          stack<0>(left, right),
                          expand<2, 4, 6>(x),
                          pad<1, 2>(x, 0),
                          repeat<2, 1>(x),
                          tril(matmul(x, t(x))),
                          h};
      },
      in<f32, 4, 6>);
  auto products = compile(
      Cpu{},
      [](auto x, auto w, auto q) {
        return std::tuple{matmul(x, w),
                          einsum<"ij,jk->ik">(x, w),
                          bmm(q, transpose<1, 2>(q)),
                          linear(x, t(w)),
                          outer(select<0, 0>(x), select<1, 0>(w)),
                          scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q)};
      },
      in<f32, 4, 6>, in<f32, 6, 3>, in<f32, 2, 5, 8>);
  auto pointwise = compile(
      Cpu{},
      [](auto x, auto labels) {
        return std::tuple{exp(x) / (1 + square(x)),
                          pow(x, 3),
                          sqrt(abs(x)),
                          where(x > 0, x, 0),
                          masked_fill(x, x < 0, 0),
                          maximum(x, 0.5f),
                          gelu(x),
                          silu(x),
                          tanh(x),
                          sigmoid(x),
                          leaky_relu(x, 0.1f),
                          isnan(x),
                          !((x > 0) & (x < 1)),
                          cast<f16>(x),
                          stop_gradient(x),
                          layer_norm(x),
                          dropout(x, 0.1f),
                          one_hot<6>(labels)};
      },
      in<f32, 4, 6>, in<i64, 4>);
  auto indexing = compile(
      Cpu{},
      [](auto x, auto rows, auto mask) {
        auto [found, how_many] = masked_select<24>(x, mask);
        auto [spots, nonzeros] = nonzero<24>(x);
        return std::tuple{index(x, at<0>),
                          index(x, every, at<-1>),
                          index(x, range<1, 3>),
                          index(x, every, range<0, 6, 2>),
                          index(x, ellipsis, newaxis),
                          index(x, rows),
                          index_put(x, 0.0f, rows),
                          gather<1>(x, argsort<1>(x)),
                          index_select<0>(x, rows),
                          found,
                          how_many,
                          spots,
                          nonzeros};
      },
      in<f32, 4, 6>, in<i64, 2>, in<bool, 4, 6>);
  auto images = compile(
      Cpu{},
      [](auto x, auto w) {
        return std::tuple{conv2d<ConvOptions{.stride = 2, .padding = 1}>(x, w), max_pool2d<2>(x),
                          avg_pool2d<2, PoolOptions{.stride = 1}>(x), adaptive_avg_pool2d<1>(x),
                          interpolate<InterpolateOptions{.scale_factor = 2}>(x)};
      },
      in<f32, 1, 2, 4, 4>, in<f32, 3, 2, 3, 3>);

  Tensor<f32, Shape<24>> numbers = linspace<f32, 24>(-1, 2);
  Tensor<f32, Shape<4, 6>> x = reshape<4, 6>(numbers);
  const auto sums = along_axes(x);
  std::printf("the sum is %.1f", double(std::get<2>(sums).item()));
  const auto views = shapes(x);
  std::printf(", x.t()[5, 3] %.1f", double(std::get<4>(views)(5, 3)));
  const auto produced = products(x, std::vector<f32>(18, 1.0f), std::vector<f32>(80, 0.5f));
  std::printf(", row 3 of x @ 1 is %.2f", double(std::get<0>(produced)(3, 0)));
  const auto valued = pointwise(x, std::vector<i64>{0, 5, 2, 3});
  std::printf(", one_hot %d\n", static_cast<int>(std::get<17>(valued)(1, 5)));
  bool mask[24]{};
  mask[7] = true;
  const auto picked = indexing(x, std::vector<i64>{3, 0}, mask);
  std::printf("x[rows][0, 5] %.1f, %lld found", double(std::get<5>(picked)(0, 5)),
              static_cast<long long>(std::get<10>(picked).item()));
  const auto seen = images(std::vector<f32>(32, 1.0f), std::vector<f32>(54, 1.0f));
  std::printf(", conv2d %.0f\n", double(std::get<0>(seen)(0, 0, 1, 1)));
}

int main() {
  tensors();
  operations();
}
// prints: tensor([[1., 2., 3.],
// prints:         [4., 5., 6.]])
// prints: 6 5
// prints: 1,9,3,4,5,6,
// prints: 2 6 2
// prints: 16.5 6 1.25
// prints: yes 9 1.5
// prints: the sum is 12.0, x.t()[5, 3] 2.0, row 3 of x @ 1 is 10.04, one_hot 1
// prints: x[rows][0, 5] 2.0, 1 found, conv2d 18
