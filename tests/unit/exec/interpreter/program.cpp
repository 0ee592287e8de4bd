#include "weft/exec/interpreter/program.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "../../io/scratch.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

// A primitive of this test's own.
template <>
struct weft::custom_op<weft::op_id("interpreted_swish")> {
  static constexpr const char* name = "interpreted_swish";
  template <class T>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = x[i] / (1 + std::exp(-x[i]));
  }
  static constexpr auto gradient(auto g, auto y, auto x) {
    return g * (sigmoid(x) + y * (1.0f - sigmoid(x)));
  }
};

namespace {

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  using T = typename A::dtype;
  static_assert(std::is_same_v<T, typename B::dtype>);
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0;
}
template <class A, class B>
double difference(const A& a, const B& b) {
  double most = 0;
  for (i64 i = 0; i < a.size(); ++i)
    most = std::max(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}
template <class T>
std::vector<T> numbers(i64 count, double low, double high) {
  std::vector<T> x;
  for (i64 i = 0; i < count; ++i) {
    const double part = static_cast<double>((i * 7919 + 13) % 1009) / 1009;
    x.push_back(static_cast<T>(static_cast<f32>(low + (high - low) * part)));
  }
  return x;
}

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};
constexpr auto classify = [](const auto& model, auto image, auto label) {
  return cross_entropy(model(image), label);
};

// One chain through every pointwise function of floats, on both devices.
constexpr auto functions = [](auto x) {
  const auto a = exp(-abs(x)) + expm1(x * 0.25f) + log(abs(x) + 0.5f) + log1p(abs(x));
  const auto b =
      sqrt(abs(x)) + rsqrt(abs(x) + 0.5f) + sin(x) + cos(x) + tan(x * 0.5f) + asin(x * 0.2f) + acos(x * 0.2f);
  const auto c =
      atan(x) + sinh(x) + cosh(x) + tanh(x) + sigmoid(x) + erf(x) + erfc(x) + floor(x) + ceil(x) + round(x);
  const auto d = trunc(x) + pow(abs(x) + 0.1f, x) + fmod(x, abs(x) + 0.7f) + atan2(x, x + 0.3f) + sign(x);
  return std::tuple{a * b - c / (abs(d) + 1.0f), where(x > 0.3f, a, maximum(b, c)), minimum(c, d) <= b,
                    gelu(x), silu(x)};
};

template <class T>
void check_functions() {
  const std::vector<T> x = numbers<T>(1003, -4, 4);
  auto cpu = compile(Cpu{}, functions, in<T, 17, 59>);
  auto interpreted = compile(Interpreter{}, functions, in<T, 17, 59>);
  const auto expected = cpu(x), got = interpreted(x);
  CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
  CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
  CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
  CHECK(same_bits(std::get<3>(got), std::get<3>(expected)));
  CHECK(same_bits(std::get<4>(got), std::get<4>(expected)));
}

}  // namespace

TEST_CASE("interpreter: what is not summed has Cpu's bits in every dtype") {
  check_functions<f32>();
  check_functions<f64>();
  check_functions<f16>();
  check_functions<bf16>();
  constexpr auto integers = [](auto a, auto b) {
    return std::tuple{a * b + a / b - fmod(a, b),
                      (a ^ b) | (a & b),
                      cast<f32>(a) / 3.0f,
                      cast<bf16>(a),
                      cast<i8>(a),
                      a == b};
  };
  const std::vector<i32> a = numbers<i32>(70, -1000, 1000), b = numbers<i32>(70, -9, 9);
  const auto expected = compile(Cpu{}, integers, in<i32, 7, 10>, in<i32, 7, 10>)(a, b);
  const auto got = compile(Interpreter{}, integers, in<i32, 7, 10>, in<i32, 7, 10>)(a, b);
  CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
  CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
  CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
  CHECK(same_bits(std::get<5>(got), std::get<5>(expected)));
}

TEST_CASE("interpreter: the same random numbers") {
  constexpr auto draws = [](auto x) {
    return std::tuple{dropout(x, 0.3f), rand<f32, 5, 13>(), randn<f32, 5, 13>(), randint<i64, 5, 13>(0, 100)};
  };
  const std::vector<f32> x = numbers<f32>(65, -1, 1);
  auto cpu = compile(Cpu{}, draws, in<f32, 5, 13>, seed{7});
  auto interpreted = compile(Interpreter{}, draws, in<f32, 5, 13>, seed{7});
  for (int call = 0; call < 3; ++call) {
    const auto expected = cpu(x), got = interpreted(x);
    CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
    CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
    CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
    CHECK(same_bits(std::get<3>(got), std::get<3>(expected)));
  }
}

TEST_CASE(
    "interpreter: sums agree to rounding: products, convolutions, attention, loops, sorting, scatters") {
  const auto run = [&](auto device) {
    auto f = compile(
        device,
        [](auto x, auto w, auto i) {
          constexpr auto take_first = [](auto v) { return slice<0, 0, 48>(v); };
          const auto rows = reshape<6, 36>(x);
          const auto heads = reshape<2, 3, 6, 6>(x);
          const auto recurrence = loop(
              [&](const auto& h, const auto& row) {
                const auto next = tanh(matmul(h, w) + row);
                return std::pair{next, next * 2.0f};
              },
              zeros<f32, 2, 6>(), reshape<18, 2, 6>(x));
          return std::tuple{
              conv2d<ConvOptions{.stride = 2, .padding = 1}>(heads, reshape<4, 3, 2, 2>(take_first(x))),
              recurrence.first,
              recurrence.second,
              scaled_dot_product_attention(heads, heads * 0.5f, heads + 1.0f),
              cumsum<1>(rows),
              logsumexp<1>(rows),
              matmul(cast<bf16>(reshape<36, 6>(x)), cast<bf16>(w)),
              custom<"interpreted_swish">(x),
              argsort<1>(rows),
              index_select<0>(rows, i)};
        },
        in<f32, 216>, in<f32, 6, 6>, in<i32, 4>);
    return f(numbers<f32>(216, -1, 1), numbers<f32>(36, -0.5, 0.5), std::vector<i32>{5, 0, 2, 2});
  };
  const auto expected = run(Cpu{}), got = run(Interpreter{});
  CHECK(difference(std::get<0>(got), std::get<0>(expected)) < 1e-5);
  CHECK(difference(std::get<1>(got), std::get<1>(expected)) < 1e-5);
  CHECK(difference(std::get<2>(got), std::get<2>(expected)) < 1e-5);
  CHECK(difference(std::get<3>(got), std::get<3>(expected)) < 1e-5);
  CHECK(same_bits(std::get<4>(got), std::get<4>(expected)));
  CHECK(difference(std::get<5>(got), std::get<5>(expected)) < 1e-5);
  CHECK(difference(std::get<6>(got), std::get<6>(expected)) < 0.02);
  CHECK(same_bits(std::get<7>(got), std::get<7>(expected)));
  CHECK(same_bits(std::get<8>(got), std::get<8>(expected)));
  CHECK(same_bits(std::get<9>(got), std::get<9>(expected)));
}

TEST_CASE("interpreter: the network of the README is trained alike") {
  const std::vector<f32> x = numbers<f32>(128 * 64, 0, 1);
  std::vector<i32> y(128);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<i32>(i * 7 % 10);
  const auto run = [&](auto device, auto... options) {
    auto trainer = make_trainer<Mlp>(device, classify, in<f32, 128, 64>, in<i32, 128>,
                                     optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f}, seed{3}, options...);
    std::vector<f32> losses;
    for (int step = 0; step < 6; ++step) losses.push_back(trainer.step(x, y));
    const auto weight = trainer.model().template get<"fc1.weight">().to_vector();
    for (const f32 w : weight) losses.push_back(w);
    return losses;
  };
  const auto close = [](const std::vector<f32>& a, const std::vector<f32>& b, double most) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      largest = std::max(largest, std::fabs(static_cast<double>(a[i] - b[i])));
    return a.size() == b.size() && largest < most;
  };
  CHECK(close(run(Interpreter{}), run(Cpu{}), 1e-4));
  CHECK(close(run(Interpreter{}, precision::bf16, clip::norm(1.0f)),
              run(Cpu{}, precision::bf16, clip::norm(1.0f)), 1e-2));
}

TEST_CASE("interpreter: a model's starting values, its files, and one that is shared with Cpu") {
  Model<Mlp> model(Cpu{}, 5);
  Model<Mlp, Interpreter> same(Interpreter{}, 5);
  CHECK(same_bits(same.get<"fc1.weight">(), model.get<"fc1.weight">()));
  Model<Mlp, Interpreter> shared(Interpreter{}, model);
  CHECK(shared.state() == model.state());
  constexpr auto call = [](const auto& m, auto v) { return m(v); };
  auto f = compile(model, call, in<f32, 2, 64>);
  auto g = compile(shared, call, in<f32, 2, 64>);
  const std::vector<f32> x = numbers<f32>(128, 0, 1);
  CHECK(difference(g(x), f(x)) < 1e-5);
  model.get<"fc2.bias">()[3] += 1;
  CHECK(difference(g(x), f(x)) < 1e-5);
}

TEST_CASE("interpreter: a run that Cpu began goes on, and is evaluated, alike") {
  const ScratchFolder folder;
  const std::vector<f32> x = numbers<f32>(8 * 64, 0, 1);
  const std::vector<i32> y{0, 1, 2, 3, 4, 5, 6, 7};
  const auto make = [](auto device, auto... options) {
    return make_trainer<Mlp>(device, classify, in<f32, 8, 64>, in<i32, 8>, optim::AdamW{.lr = 1e-3f},
                             accumulate<2>, options...);
  };
  auto cpu = make(Cpu{}, seed{3});
  for (int step = 0; step < 4; ++step) cpu.step(x, y);
  cpu.save(folder / "run.safetensors");
  auto interpreted = make(Interpreter{}, seed{4});
  interpreted.load(folder / "run.safetensors");
  CHECK(interpreted.steps() == 4);
  for (int step = 0; step < 4; ++step) {
    const f32 wanted = cpu.step(x, y), got = interpreted.step(x, y);
    CHECK(std::fabs(wanted - got) < 1e-5f);
  }
  const auto set = data::Arrays<f32, i32>({x, {64}}, {y, {}});
  CHECK(std::fabs(cpu.evaluate(set) - interpreted.evaluate(set)) < 1e-5);
  AnyTrainer<Input<f32, Shape<8, 64>>, Input<i32, Shape<8>>> any(std::move(interpreted));
  CHECK(any.step(x, y).value() > 0);
}

TEST_CASE("interpreter: results are fed back, kept, written elsewhere") {
  auto f = compile(
      Interpreter{},
      [](auto x) {
        return std::pair{tanh(matmul(x, x)), x + 1.0f};
      },
      in<f32, 4, 4>);
  auto reference = compile(
      Cpu{},
      [](auto x) {
        return std::pair{tanh(matmul(x, x)), x + 1.0f};
      },
      in<f32, 4, 4>);
  const std::vector<f32> x = numbers<f32>(16, -1, 1);
  auto [h, kept] = f(x);
  auto [wanted, ignored] = reference(x);
  for (int step = 0; step < 4; ++step) {
    h = std::get<0>(f(h));
    wanted = std::get<0>(reference(wanted));
    CHECK(difference(h, wanted) < 1e-5);
  }
  for (std::size_t i = 0; i < 16; ++i) CHECK(kept[static_cast<i64>(i)] == x[i] + 1.0f);
  const auto again = f(std::get<0>(f(x)).span());  // in the program's own memory
  CHECK(difference(std::get<0>(again), std::get<0>(reference(std::get<0>(reference(x))))) < 1e-5);
  std::vector<f32> to(16), other(16);
  f.into(to, other)(x);
  CHECK(other[5] == x[5] + 1.0f);
  const Tensor<f32, Shape<4, 4>> a(x);
  const Tensor<f32, Shape<4, 4>, Interpreter> y = exp(a) * 2.0f;
  const Tensor<f32, Shape<4, 4>> z = exp(a) * 2.0f;
  CHECK(same_bits(y, z));
  static_assert(f.workspace_bytes() >= 2 * 16 * 4 && f.launches() > 2);
}

namespace {

int visits = 0;
std::vector<std::string> visited;
void visit(const NodeValue& value) {
  ++visits;
  visited.push_back(to_text(value));
}

}  // namespace

TEST_CASE("interpreter: a visitor sees the value of every node") {
  auto f = compile(
      Interpreter{.visit = visit}, [](auto x) { return exp(x) > 1.0f; }, in<f32, 2>);
  f(std::vector<f32>{0, 1});
  CHECK(visits == 4);
  CHECK(visited[0] == "%0 = input 0 : f32 (2,)\ntensor([0., 1.])");
  CHECK(visited[1] == "%1 = exp(%0) : f32 (2,)\ntensor([1.0000, 2.7183])");
  CHECK(visited[3].find("tensor([False,  True])") != std::string::npos);
  visits = 0;
  Model<Mlp, Interpreter> model(Interpreter{.visit = visit}, 1);
  CHECK(visits == 0);
}

// Numbers that the dtype does not hold are rounded where they become elements, whatever is fused behind them.
TEST_CASE_TEMPLATE("interpreter: numbers among small floats", T, f16, bf16, f8e4m3, f8e5m2) {
  constexpr auto f = [](auto x) {
    return std::tuple{maximum(x, 0.2f) * x, minimum(x, 0.3f) * 1.7f, where(x > 0.1f, x, 0.7f) * x,
                      clamp(x, -0.123f, 0.456f) * x, pad<1, 1>(x, 0.1f) * 1.3f};
  };
  std::vector<T> x;
  for (int k = 0; k < 64; ++k) x.push_back(T(static_cast<float>(k - 32) * 0.031f));
  auto cpu = compile(Cpu{}, f, in<T, 64>);
  auto interpreter = compile(Interpreter{}, f, in<T, 64>);
  const auto a = cpu(x), b = interpreter(x);
  const auto same = [](const auto& p, const auto& q) {
    const auto u = p.to_vector(), v = q.to_vector();
    return u.size() == v.size() && std::memcmp(u.data(), v.data(), u.size() * sizeof u[0]) == 0;
  };
  CHECK(same(std::get<0>(a), std::get<0>(b)));
  CHECK(same(std::get<1>(a), std::get<1>(b)));
  CHECK(same(std::get<2>(a), std::get<2>(b)));
  CHECK(same(std::get<3>(a), std::get<3>(b)));
  CHECK(same(std::get<4>(a), std::get<4>(b)));
}
