#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/numbers.hpp"
#include "weft/cuda.hpp"
#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/nn/pool.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/dynamic_slice.hpp"
#include "weft/ops/shape/slicing.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/ops/transform/vmap.hpp"

using namespace weft;
using weft::testing::numbers;

namespace {

// `exact`: the error is measured by the largest element, as that of sums is.
template <class E, class Host, class Gpu>
void compare(const std::string& what, int k, const Host& host, const Gpu& gpu, double tolerance, bool exact) {
  using T = typename E::dtype;
  std::vector<T> b(static_cast<std::size_t>(E::shape::size));
  gpu.read_output(k, b.data(), E::shape::size * static_cast<i64>(sizeof(T)));
  double worst = 0, largest = 1;
  for (i64 i = 0; exact && i < E::shape::size; ++i) largest = std::max(largest, std::abs(host(i)));
  for (i64 i = 0; i < E::shape::size; ++i) {
    const double x = host(i), y = static_cast<double>(b[static_cast<std::size_t>(i)]);
    const double error = std::abs(x - y) / std::max(largest, std::abs(x));
    if (!(error <= worst)) worst = error;
  }
  const std::string message = what + ": result " + std::to_string(k) + ", error " + std::to_string(worst);
  INFO(message);
  CHECK(worst <= tolerance);
}

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, f32>, f64, T>;

// f on the host (with f64 for f32 where `Exact`), as one graph launch and as plain launches: the last two
// give the same bits. Long sums want f64: one after another in f32 they are further from the truth than the
// GPU's.
template <bool Exact, class F, class... I>
void check(const std::string& what, double tolerance, F, I...) {
  using Source = exec::FunctionSource<F, I...>;
  using P = exec::Compiled<Source>;
  using Results = typename exec::Results<typename Source::result>::tuple;
  using Reference =
      std::conditional_t<Exact, exec::FunctionSource<F, Input<Wide<typename I::dtype>, typename I::shape>...>,
                         Source>;
  using ReferenceResults = typename exec::Results<typename Reference::result>::tuple;
  exec::HostProgram<exec::Compiled<Reference>> host(Cpu{}, {});
  exec::CudaProgram<P> gpu(Cuda{}, {}), plain(Cuda{}, {}, false);
  const std::tuple<std::vector<typename I::dtype>...> data{numbers<typename I::dtype>(
      I::shape::size, static_cast<u32>(I::shape::size) * 77u + sizeof(typename I::dtype))...};
  const auto wanted_data = std::apply(
      [](const auto&... v) {
        if constexpr (Exact)
          return std::tuple{std::vector<Wide<typename I::dtype>>(v.begin(), v.end())...};
        else
          return std::tuple{v...};
      },
      data);
  const auto bind = [](auto& program, const auto& inputs) {
    int k = 0;
    std::apply([&](const auto&... v) { (program.bind_input(k++, v.data()), ...); }, inputs);
    program.set_random(42, 7);
  };
  bind(host, wanted_data);
  bind(gpu, data);
  bind(plain, data);
  host.run();
  plain.run();
  for (int repeat = 0; repeat < 3; ++repeat) gpu.run();
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto near = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
      using T = typename std::tuple_element_t<R, ReferenceResults>::dtype;
      const T* const wanted = reinterpret_cast<const T*>(host.output(static_cast<int>(R)));
      compare<std::tuple_element_t<R, Results>>(
          what, static_cast<int>(R), [&](i64 i) { return static_cast<double>(wanted[i]); }, gpu, tolerance,
          Exact);
    };
    (near(std::integral_constant<std::size_t, K>{}), ...);
    const auto same = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
      using E = std::tuple_element_t<R, Results>;
      std::vector<char> a(static_cast<std::size_t>(E::shape::size) * sizeof(typename E::dtype)), b(a.size());
      gpu.read_output(static_cast<int>(R), a.data(), static_cast<i64>(a.size()));
      plain.read_output(static_cast<int>(R), b.data(), static_cast<i64>(b.size()));
      INFO(what);
      CHECK(std::memcmp(a.data(), b.data(), a.size()) == 0);
    };
    (same(std::integral_constant<std::size_t, K>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Results>>{});
}

template <class F, class... I>
void check_program(const std::string& what, double tolerance, F f, I... inputs) {
  check<false>(what, tolerance, f, inputs...);
}
template <class F, class... I>
void check_against_f64(const std::string& what, double tolerance, F f, I... inputs) {
  check<true>(what, tolerance, f, inputs...);
}

}  // namespace

TEST_CASE("cuda programs: pointwise") {
  check_program(
      "bias and gelu", 1e-6, [](auto x, auto b) { return gelu(x + b); }, in<f32, 64, 96>, in<f32, 96>);
  check_program(
      "flat, ragged", 1e-6, [](auto x) { return tanh(x) * 2.0f; }, in<f32, 5003>);
  check_program(
      "transposed", 0, [](auto x, auto y) { return permute<1, 0>(x) + y; }, in<f32, 40, 24>, in<f32, 24, 40>);
  check_program(
      "dropout", 0, [](auto x) { return dropout(x, 0.3f); }, in<f32, 12, 36>);
}

TEST_CASE("cuda programs: tensors without elements") {
  check_program(
      "a part of the results", 1e-6,
      [](auto x, auto u) {
        return std::tuple{relu(x), softmax<1>(x), u + sum<0>(x), matmul(permute<1, 0>(x), x), cumsum<0>(x)};
      },
      in<f32, 0, 5>, in<f32, 5>);
  check_program(
      "all results", 0, [](auto x) { return x + 1; }, in<f32, 0, 5>);
}

TEST_CASE("cuda programs: rows and sums") {
  check_program("softmax", 1e-6, SoftmaxOp<-1>{}, in<f32, 50, 768>);
  check_program("softmax, long", 1e-6, SoftmaxOp<-1>{}, in<f32, 5, 4096>);
  check_program("softmax, a warp a row", 1e-6, SoftmaxOp<-1>{}, in<f32, 90, 10>);
  check_program(  // 32 kB of each row are kept, and four rows would share a block
      "exponentials over the sum of a plane", 1e-6,
      [](auto x, auto b) {
        const auto e = exp(x + b);
        return e / sum<1, 2>(e, keepdim);
      },
      in<f32, 16, 128, 32>, in<f32, 32>);
  check_program(
      "cross entropy", 1e-5, [](auto x, auto l) { return cross_entropy(x, l); }, in<f32, 700, 10>,
      in<i32, 700>);
  check_program(
      "argmax", 0, [](auto x) { return argmax<-1>(x); }, in<f32, 70, 300>);
  check_against_f64(
      "columns and total", 1e-6,
      [](auto x) {
        return std::tuple{sum<0>(x), sum<>(x * x)};
      },
      in<f32, 3000, 96>);
}

TEST_CASE("cuda programs: products") {
  check_program(
      "matmul", 1e-5, [](auto a, auto b) { return relu(matmul(a, b)); }, in<f32, 64, 40>, in<f32, 40, 72>);
  check_program(
      "integers", 0, [](auto a, auto b) { return matmul(a, b); }, in<i32, 20, 33>, in<i32, 33, 17>);
  check_program(
      "a batch of integers, of several tiles each", 0, [](auto a, auto b) { return matmul(a, b); },
      in<i32, 3, 20, 33>, in<i32, 3, 33, 40>);
}

TEST_CASE("cuda programs: products and what is added to them") {
  constexpr auto linear = [](auto a, auto b, auto x, auto bias) { return x + (matmul(a, b) + bias); };
  check_program("residual and bias", 1e-5, linear, in<f32, 64, 40>, in<f32, 40, 72>, in<f32, 64, 72>,
                in<f32, 72>);
  check_program("a batch of them", 1e-5, linear, in<f32, 3, 16, 40>, in<f32, 3, 40, 24>, in<f32, 3, 16, 24>,
                in<f32, 24>);
  check_program(
      "a bias not aligned to 16 bytes", 1e-5,
      [](auto a, auto b, auto bias) { return matmul(a, b) + slice<0, 1, 73>(bias); }, in<f32, 64, 40>,
      in<f32, 40, 72>, in<f32, 73>);
  check_program(
      "factors without a unit stride", 1e-5,
      [](auto a, auto b, auto x, auto bias) {
        return matmul(slice<1, 0, 80, 2>(slice<0, 0, 64, 2>(a)), b) + x + bias;
      },
      in<f32, 64, 80>, in<f32, 40, 24>, in<f32, 32, 24>, in<f32, 24>);
}

namespace {

// Whole numbers of 16 bits, whose products and sums are exact in whatever order.
template <class T>
struct Whole {
  constexpr auto operator()(auto x) const { return cast<T>(cast<f32>(remainder(x, 8)) - 4.0f); }
};

template <class T>
void check_small_products(const std::string& type) {
  check_program(
      type + ", several tiles", 0, [](auto a, auto b) { return matmul(Whole<T>{}(a), Whole<T>{}(b)); },
      in<i32, 130, 203>, in<i32, 203, 259>);
  check_program(
      type + ", the first turned", 0,
      [](auto a, auto b) { return matmul(permute<1, 0>(Whole<T>{}(a)), Whole<T>{}(b)); }, in<i32, 72, 136>,
      in<i32, 72, 40>);
  check_program(
      type + ", the second turned", 0,
      [](auto a, auto b) { return matmul(Whole<T>{}(a), permute<1, 0>(Whole<T>{}(b))); }, in<i32, 24, 64>,
      in<i32, 131, 64>);
  check_program(
      type + ", both turned, a batch", 0,
      [](auto a, auto b) { return matmul(permute<0, 2, 1>(Whole<T>{}(a)), permute<0, 2, 1>(Whole<T>{}(b))); },
      in<i32, 3, 65, 40>, in<i32, 3, 33, 65>);
  check_program(
      type + ", one factor for a batch, and a bias", 0,
      [](auto a, auto b, auto bias) { return matmul(Whole<T>{}(a), Whole<T>{}(b)) + Whole<T>{}(bias); },
      in<i32, 2, 3, 17, 40>, in<i32, 40, 24>, in<i32, 24>);
  check_program(
      type + ", factors without a unit stride", 0,
      [](auto a, auto b, auto x, auto bias) {
        return matmul(slice<1, 0, 80, 2>(slice<0, 0, 64, 2>(Whole<T>{}(a))),
                      slice<1, 1, 25, 3>(Whole<T>{}(b))) +
               Whole<T>{}(x) + Whole<T>{}(bias);
      },
      in<i32, 64, 80>, in<i32, 40, 25>, in<i32, 32, 8>, in<i32, 8>);
}

}  // namespace

TEST_CASE("cuda programs: products of 16 bits") {
  check_small_products<bf16>("bf16");
  check_small_products<f16>("f16");
}

TEST_CASE("cuda programs: sums of several loops wait for one second stage") {
  check_against_f64(
      "sums", 1e-6,
      [](auto x, auto y) {
        auto columns = sum<0>(x);
        return std::tuple{columns, max<0>(y), sum<>(y * y), sum<0>(x * (columns * 0.01f)), sum<1>(y)};
      },
      in<f32, 3000, 96>, in<f32, 4100, 33>);
}

TEST_CASE("cuda programs: a batch that is more than one call of the library") {
  check_program(
      "more small products than one call takes", 1e-5, [](auto a, auto b) { return matmul(a, b); },
      in<f32, 65600, 2, 1>, in<f32, 65600, 1, 2>);
}

TEST_CASE("cuda programs: inputs from the host that are larger than a slot of pinned memory") {
  constexpr i64 size = i64{5} << 20;  // 20 MB
  auto f = compile(
      Cuda{}, [](auto x, auto y) { return slice<0, 0, size, 4096>(x) + y; }, in<f32, size>, in<f32, 1>);
  for (const float shift : {0.0f, 100.0f}) {
    std::vector<f32> x(size);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = shift + static_cast<f32>(i / 4096);
    const std::vector<f32> sum = f(x, std::vector<f32>{0.5f}).to_vector();
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == shift + static_cast<f32>(i) + 0.5f);
  }

  using Small =
      exec::Compiled<exec::FunctionSource<decltype([](auto x) { return x + 1; }), Input<f32, Shape<1024>>>>;
  exec::CudaProgram<Small> small(Cuda{}, {});
  const std::size_t before = small.pinned_bytes();
  CHECK(before < 1024);
  const std::vector<f32> x(1024);
  small.bind_input(0, x.data());
  CHECK(small.pinned_bytes() >= 4096);
  small.run();
  small.wait();
}

TEST_CASE("cuda programs: along one axis") {
  check_program(
      "running sums", 1e-6,
      [](auto x) {
        return std::tuple{cumsum<1>(x), cumsum<0>(x), cumprod<1>(x * 0.1f + 1.0f), logcumsumexp<1>(x)};
      },
      in<f32, 60, 1500>);
  check_program(
      "running sums of few long lines", 1e-6,
      [](auto x, auto y, auto i) {
        return std::tuple{cumsum<0>(x), cumsum<0>(y), cumsum<1>(i)};
      },
      in<f32, 20001>, in<f32, 4100, 33>, in<i64, 2, 9000>);
  check_program(
      "sorted", 0,
      [](auto x) {
        return std::tuple{argsort<1>(x), std::get<0>(sort<0>(x)), std::get<1>(topk<5>(x))};
      },
      in<f32, 40, 5000>);
  check_program(
      "sorted integers", 0, [](auto x) { return argsort<0>(x, descending); }, in<i64, 3000, 3>);
  check_program(
      "gathered and scattered", 1e-6,
      [](auto x, auto i, auto u) {
        return std::tuple{gather<1>(x, i), index_select<0>(x, select<1, 0>(i)), scatter_add<1>(x, i, u),
                          scatter_reduce<1>(x, i, u, reduce::amax), bincount<12>(abs(i))};
      },
      in<f32, 50, 12>, in<i64, 50, 30>, in<f32, 50, 30>);
  check_program(
      "rows of several tiles added to a table", 1e-6,
      [](auto table, auto i) {
        return grad([i](auto t) { return sum<>(square(index_select<0>(t, i))); })(table);
      },
      in<f32, 20, 300>, in<i64, 40>);
  check_program(
      "places in sorted lines", 0,
      [](auto x, auto v) { return searchsorted(std::get<0>(sort(x)), v, right_side); }, in<f32, 7, 300>,
      in<f32, 7, 90>);
}

TEST_CASE("cuda programs: blocks whose place is known at run time") {
  check_program(
      "slices and updates", 0,
      [](auto x, auto y, auto at, auto starts) {
        const auto row = select<0, 0>(at), column = select<0, 1>(at);
        const auto each = vmap<0, unmapped, 0>([](auto v, auto w, auto o) {
          return std::tuple{dynamic_slice<64>(v, o), dynamic_update_slice(v, w, o)};
        })(x, select<0, 0>(y), starts);
        return std::tuple_cat(std::tuple{dynamic_slice<5, 64>(x, row, column), dynamic_slice<0, 3>(x, row),
                                         dynamic_update_slice(x * 2.0f, y, row, column),
                                         dynamic_update_slice<0>(x, slice<0, 0, 8>(x), column)},
                              each);
      },
      in<f32, 70, 128>, in<f32, 3, 96>, in<i32, 5>, in<i32, 70>);
  check_program(
      "written trip by trip", 0,
      [](auto x) {
        return std::get<0>(loop<64>(
            [&](auto carry) {
              const auto [rows, t] = carry;
              return std::tuple{dynamic_update_slice<0>(rows, dynamic_slice<0, 1>(x, t - 3) * 2.0f, t),
                                t + 1};
            },
            std::tuple{zeros_like(x), full<i32>(0)}));
      },
      in<f32, 66, 20>);
}

TEST_CASE("cuda programs: convolutions, their gradients and pooling") {
  // y and the gradients of the sum of its squares
  const auto both = [](auto f) {
    return [](auto x, auto w) {
      const auto loss = [](auto a, auto b) {
        const auto y = decltype(f){}(a, b);
        return sum(y * y);
      };
      const auto [dx, dw] = grad<0, 1>(loss)(x, w);
      return std::tuple{decltype(f){}(x, w), dx, dw};
    };
  };
  check_program("conv", 1e-4, both([](auto x, auto w) {
                  return conv2d<ConvOptions{.stride = {1, 2}, .padding = {1, 2}}>(x, w);
                }),
                in<f32, 9, 5, 14, 13>, in<f32, 70, 5, 3, 3>);
  check_against_f64("conv, parts", 1e-6,
                    both([](auto x, auto w) { return conv2d<ConvOptions{.padding = 1}>(x, w); }),
                    in<f32, 40, 8, 12, 12>, in<f32, 16, 8, 3, 3>);
  check_program("depthwise", 1e-4, both([](auto x, auto w) {
                  return conv2d<ConvOptions{.stride = 2, .padding = 1, .groups = 8}>(x, w);
                }),
                in<f32, 4, 8, 13, 12>, in<f32, 8, 1, 3, 3>);
  check_program("transposed", 1e-4, both([](auto x, auto w) {
                  return conv_transpose2d<ConvTransposeOptions{.stride = 2, .padding = 1, .groups = 2}>(x, w);
                }),
                in<f32, 3, 8, 7, 6>, in<f32, 8, 9, 3, 4>);
  check_program(
      "bf16", 2e-2, [](auto x, auto w) { return conv2d<ConvOptions{.padding = "same"}>(x, w); },
      in<bf16, 3, 8, 9, 9>, in<bf16, 12, 8, 3, 3>);
  check_program(
      "pooling", 1e-6,
      [](auto x) {
        const auto loss = [](auto z) {
          return sum(max_pool2d<3, PoolOptions{.stride = 2, .padding = 1}>(z)) +
                 sum(avg_pool2d<3, PoolOptions{.stride = 1}>(max_pool2d<2>(z)));
        };
        return std::tuple{max_pool2d<2>(x), avg_pool2d<2>(x), grad(loss)(x)};
      },
      in<f32, 3, 4, 12, 10>);
}

TEST_CASE("cuda programs: compile and tensors") {
  auto f = compile(
      Cuda{}, [](auto x, auto z) { return x + z; }, in<f32, 4, 8>, in<f32, 4, 8>);
  const Tensor<f32, Shape<4, 8>, Cuda> a(numbers<f32>(32, 1)), b(numbers<f32>(32, 2));
  const std::vector<f32> sum = f(a, b).to_vector(), x = a.to_vector(), y = b.to_vector();
  for (std::size_t i = 0; i < 32; ++i) CHECK(sum[i] == x[i] + y[i]);
  const Tensor<f32, Shape<4, 8>, Cuda> c = a * 2.0f + b;
  CHECK(c.to_vector()[5] == x[5] * 2.0f + y[5]);
}

TEST_CASE("cuda programs: tensors are made of the braces that the host's are made of") {
  const Tensor<f32, Shape<2, 2>, Cuda> rows{{1, 2}, {3, 4.5f}};
  CHECK(rows.to_vector() == std::vector<f32>{1, 2, 3, 4.5f});
  const Tensor<bf16, Shape<2, 2>, Cuda> rounded{{1.0f, 2.0f}, {3.0f, 4.5f}};
  CHECK(static_cast<f32>(rounded.to_vector()[3]) == 4.5f);
  Tensor<f16, Shape<3>, Cuda> x{1.0f, 2.0f, 3.0f};
  CHECK(static_cast<f32>(x.to_vector()[2]) == 3);
  x.view() = {4.0f, 5.0f, 6.0f};
  CHECK(static_cast<f32>(x.to_vector()[1]) == 5);
  x.view() = 7;
  CHECK(static_cast<f32>(x.to_vector()[0]) == 7);
}

TEST_CASE("cuda programs: tensors of both devices are computed with and assigned") {
  using S = Shape<3, 50>;
  std::vector<f32> v(150), w(150);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<f32>(i % 7) - 3, w[i] = static_cast<f32>(i % 5) + 1;
  Tensor<f32, S, Cuda> x(v);
  const Tensor<f32, S, Cuda> y(w);
  x += 1.0f;
  x *= y;
  Tensor<f32, S> a(v);
  const Tensor<f32, S> b(w);
  a += 1.0f;  // an expression of the host's in a file that nvcc compiles
  a *= b;
  CHECK(x.to_vector() == a.to_vector());
  Tensor positive = x > 0.0f;
  positive &= y > 2.0f;
  int wrong = 0;
  const auto found = positive.to_vector();
  for (std::size_t i = 0; i < v.size(); ++i) wrong += found[i] != ((v[i] + 1) * w[i] > 0 && w[i] > 2);
  CHECK(wrong == 0);
  x = Tensor<f32, S>(w);
  CHECK(x.to_vector() == w);
  CHECK(Tensor<f32, S, Cuda>::full(2.5f).to_vector() == std::vector<f32>(150, 2.5f));
}

TEST_CASE("cuda programs: a tensor on the caller's stream holds its values when it is made") {
  const Stream mine;
  const Cuda device{0, mine.get()};
  auto twice = compile(
      device, [](auto x) { return x + x; }, in<f32, 256>);
  for (u32 repeat = 0; repeat < 8; ++repeat) {
    const std::vector<f32> values = numbers<f32>(256, repeat);
    const Tensor<f32, Shape<256>, Cuda> x(values, device);
    const Tensor<f32, Shape<256>, Cuda> copy(x);
    const std::vector<f32> a = twice(x).to_vector(), b = twice(copy).to_vector();
    for (std::size_t i = 0; i < 256; ++i) CHECK((a[i] == 2 * values[i] && b[i] == a[i]));
  }
}

TEST_CASE("cuda programs: in the caller's capture a function of tensors of the device is recorded") {
  const Stream stream;
  const Cuda device{0, stream.get()};
  auto f = compile(
      device, [](auto x) { return matmul(x, x) + 1; }, in<f32, 4, 4>);
  Tensor<f32, Shape<4, 4>, Cuda> x(std::vector<f32>(16, 2.0f), device);
  std::optional<TensorView<f32, Shape<4, 4>, Cuda>> y;
  const GraphExec graph = GraphExec::capture(stream.get(), [&](cudaStream_t) { y.emplace(f(x)); });
  graph.launch(stream.get());
  CHECK(y->to_vector()[3] == 17);
  y.reset();  // a result that is held would be moved by the next call, which takes memory

  auto noisy = compile(
      device, [](auto z) { return dropout(z, 0.5); }, in<f32, 4, 4>);
  const std::vector<f32> host(16);
  const auto refused = [&](const auto& run) {
    std::string said;
    try {
      GraphExec::capture(stream.get(), [&](cudaStream_t) { run(); });
    } catch (const Error& e) {
      said = e.id();
    }
    return said;
  };
  CHECK(refused([&] { f(host); }) == "cuda/capture");
  CHECK(refused([&] { noisy(x); }) == "cuda/capture");
  CHECK(f(host).to_vector()[3] == 1);  // and both run on, outside of it
  CHECK(noisy(x).to_vector().size() == 16);
}

TEST_CASE("cuda programs: on the second GPU, whichever is current") {
  if (cuda_device_count() < 2) return;
  const Cuda device{1};
  auto twice = compile(
      device, [](auto x) { return x + x; }, in<f32, 256>);
  for (u32 repeat = 0; repeat < 8; ++repeat) {
    const std::vector<f32> values = numbers<f32>(256, repeat);
    const Tensor<f32, Shape<256>, Cuda> x(values, device);
    auto y = twice(x);
    const Tensor<f32, Shape<256>, Cuda> copy(y.view(), device);
    const Tensor<f32, Shape<256>, Cuda> there(x + 1.0f, device),
        here(Tensor<f32, Shape<256>, Cuda>(x) + 1.0f);
    const std::vector<f32> a = y.to_vector(), b = copy.to_vector();
    for (std::size_t i = 0; i < 256; ++i) CHECK((a[i] == 2 * values[i] && b[i] == a[i]));
    CHECK(there.to_vector() == here.to_vector());
  }
}

TEST_CASE("cuda programs: results are fed back, kept, and held when their function is gone") {
  constexpr auto step = [](auto x) { return tanh(matmul(x, permute<1, 0>(x)) * 0.02f); };
  std::optional<decltype(compile(Cuda{}, step, in<f32, 64, 64>))> f(compile(Cuda{}, step, in<f32, 64, 64>));
  auto host = compile(Cpu{}, step, in<f32, 64, 64>);
  auto h = (*f)(numbers<f32>(4096, 1));
  auto wanted = host(numbers<f32>(4096, 1));
  std::vector<decltype(h)> kept;
  std::vector<std::vector<f32>> kept_wanted;
  const auto near = [](const std::vector<f32>& a, const std::vector<f32>& b) {
    for (std::size_t i = 0; i < b.size(); ++i)
      if (!(std::abs(a[i] - b[i]) <= 1e-5f)) return false;
    return a.size() == b.size();
  };
  for (int k = 0; k < 4; ++k) {
    kept.push_back(h);
    kept_wanted.push_back(wanted.to_vector());
    h = (*f)(h);
    wanted = host(wanted);
  }
  const std::string profile = f->profile();  // launch by launch, by the GPU's clock
  CAPTURE(profile);
  CHECK(profile.find(std::to_string(f->launches()) + " launches: ") != std::string::npos);
  CHECK(profile.find("dot") != std::string::npos);
  CHECK(f->measure() > 0);
  f.reset();
  CHECK(near(h.to_vector(), wanted.to_vector()));
  for (std::size_t k = 0; k < kept.size(); ++k) CHECK(near(kept[k].to_vector(), kept_wanted[k]));
}
