#include "weft/transforms/recognize_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/leaves.hpp"
#include "weft/transforms/differentiate.hpp"
#include "weft/weft.hpp"

namespace nn = weft::nn;
using namespace weft;
using ir::Op;
using weft::testing::Array;
using weft::testing::Leaves;

namespace {

int count(const ir::Graph& g, Op op) {
  int n = 0;
  for (const ir::Node& node : g.nodes) n += node.op == op;
  return n;
}
// As the user's function leaves it.
template <class F, class... I>
ir::Graph composed(F, I...) {
  ir::Builder b;
  b.graph.scalar_count = 4;
  exec::add_outputs(b, exec::FunctionSource<F, I...>::trace(b));
  return static_cast<ir::Graph&&>(b.graph);
}
// Half the sum of squares of the first result is differentiated by every float input; results behind.
ir::Graph with_gradients(ir::Graph g) {
  ir::Builder b(static_cast<ir::Graph&&>(g));
  const ir::Value y{&b, b.graph.outputs[0]};
  List<int> wrt;
  for (const int x : b.graph.inputs)
    if (x >= 0 && is_float(b.graph.nodes[x].dtype)) wrt.push(x);
  for (const ir::Value& dx : transforms::differentiate(y, y, wrt)) b.graph.outputs.push(dx.id);
  return static_cast<ir::Graph&&>(b.graph);
}
Leaves leaves_of(const ir::Graph& g) {
  Leaves leaves;
  u32 state = 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(g.inputs.size()); ++k) {
    const int x = g.inputs[static_cast<int>(k)];
    leaves.inputs.emplace_back();
    for (i64 i = 0; i < g.dims(x).size(); ++i) {
      state = state * 1664525u + 1013904223u;
      const double value = 2 * static_cast<double>(static_cast<i32>(state)) / 2147483648.0;
      leaves.inputs.back().push_back(is_float(g.nodes[x].dtype)
                                         ? testing::rounded(g.nodes[x].dtype, value)
                                         : static_cast<double>(i % 7 != static_cast<i64>(k)));
    }
  }
  leaves.scalars = Array(4);
  leaves.seed = 5, leaves.step = 3;
  return leaves;
}

// That f's attentions become so many operations, and that these have its values and gradients.
template <class F, class... I>
void recognizes(int attentions, double tolerance, F f, I... inputs) {
  const ir::Graph before = composed(f, inputs...);
  ir::Graph after = before;
  CHECK(transforms::recognize_attention(after) == (attentions > 0));
  CHECK(!ir::verify(after));
  CHECK(count(after, Op::attention) == attentions);
  CHECK(count(after, Op::exp) == count(before, Op::exp) - attentions);
  CHECK(after.outputs.size() == before.outputs.size());
  const Leaves leaves = leaves_of(before);
  const std::vector<Array> expected = interpret(with_gradients(before), leaves);
  for (const bool lowered : {false, true}) {
    const std::vector<Array> got = lowered ? interpret_lowered(with_gradients(after), leaves).outputs
                                           : interpret(with_gradients(after), leaves);
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      double largest = 0, apart = 0;
      for (std::size_t i = 0; i < got[k].size(); ++i) {
        largest = std::fmax(largest, std::fabs(expected[k][i]));
        apart = std::fmax(apart, std::fabs(got[k][i] - expected[k][i]));
      }
      CHECK(largest > 1e-3);
      CHECK_MESSAGE(apart <= tolerance * largest, k << (lowered ? " lowered" : ""));
    }
  }
}
template <class F, class... I>
void leaves_alone(F f, I... inputs) {
  const ir::Graph before = composed(f, inputs...);
  ir::Graph after = before;
  CHECK(!transforms::recognize_attention(after));
  CHECK(after.nodes.size() == before.nodes.size());
}

constexpr auto head = in<f32, 2, 3, 70, 8>;  // batch, heads, sequence, width
constexpr auto matrix = in<f32, 70, 8>;
constexpr double near = 2e-5;

}  // namespace

TEST_CASE("recognize attention: products written in several ways") {
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        return matmul(softmax<-1>(matmul(q, transpose<-2, -1>(k)) / std::sqrt(8.0f)), v);
      },
      head, head, head);
  recognizes(
      1, near, [](auto q, auto k, auto v) { return matmul(softmax<-1>(matmul(q * 0.3f, k)), v); }, head,
      in<f32, 2, 3, 8, 70>, in<f32, 2, 3, 70, 5>);
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        return einsum<"bhst,bhtd->bhsd">(softmax<-1>(einsum<"bhsd,bhtd->bhst">(q, k) * 0.3f), v);
      },
      head, head, head);
  // heads behind the sequence, as many models keep them
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        return einsum<"bhst,bthd->bhsd">(softmax<-1>(einsum<"bshd,bthd->bhst">(q, k) * 0.3f), v);
      },
      in<f32, 2, 70, 3, 8>, in<f32, 2, 70, 3, 8>, in<f32, 2, 70, 3, 8>);
  recognizes(
      1, near, [](auto q, auto k, auto v) { return bmm(softmax<-1>(bmm(q, transpose<1, 2>(k)) * 0.3f), v); },
      in<f32, 4, 70, 8>, in<f32, 4, 65, 8>, in<f32, 4, 65, 8>);
  recognizes(
      1, near,
      [](auto q, auto k, auto v) { return matmul(softmax<-1>(matmul(q, transpose<0, 1>(k)) * 0.3f), v); },
      matrix, matrix, matrix);
  // a softmax by hand, with and without what keeps it from overflowing
  recognizes(
      2, near,
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<0, 1>(k)) * 0.3f, t = matmul(v, transpose<0, 1>(k)) * 0.2f;
        const auto e = exp(s), f = exp(t - amax<-1>(t, keepdim));
        return matmul(e / sum<-1>(e, keepdim), v) + matmul(f / sum<-1>(f, keepdim), q);
      },
      matrix, matrix, matrix);
}

TEST_CASE("recognize attention: masks, biases and functions of the scores") {
  // causal, as GPT-2's code has it
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        const auto open = tril(ones<f32, 70, 70>());
        return matmul(softmax<-1>(masked_fill(s, open == 0.0f, -INFINITY)), v);
      },
      head, head, head);
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        const auto open = unsqueeze<0>(arange<i32, 70>()) <= unsqueeze<1>(arange<i32, 70>());
        return matmul(softmax<-1>(where(open, s, -1e9f)), v);
      },
      head, head, head);
  // additive masks, a learned bias of heads and places, padding of the keys
  recognizes(
      1, near,
      [](auto q, auto k, auto v, auto mask, auto bias, auto keep) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f + mask + bias;
        return matmul(softmax<-1>(where(reshape<2, 1, 1, 70>(keep), s, -1e4f)), v);
      },
      head, head, head, in<f32, 70, 70>, in<f32, 3, 70, 70>, in<bool, 2, 70>);
  // a soft cap, and a temperature that is learned
  recognizes(
      1, near,
      [](auto q, auto k, auto v, auto t) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * exp(reshape<3, 1, 1>(t));
        return matmul(softmax<-1>(20.0f * tanh(s / 20.0f)), v);
      },
      head, head, head, in<f32, 3>);
  // a bias that is a product itself, as of relative places
  recognizes(
      1, near,
      [](auto q, auto k, auto v, auto r) {
        const auto s = matmul(q, transpose<-2, -1>(k)) + matmul(q, transpose<-2, -1>(r));
        return matmul(softmax<-1>(s * 0.3f), v);
      },
      head, head, head, in<f32, 70, 8>);
}

TEST_CASE("recognize attention: dropped weights are the same ones") {
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        return matmul(dropout(softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f), 0.25f), v);
      },
      head, head, head);
  recognizes(
      1, near,
      [](auto q, auto k, auto v, auto keep) {
        const auto w = softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f);
        return matmul(w * cast<f32>(unsqueeze<0>(keep)) / 0.5f, v);
      },
      head, head, head, in<i32, 70, 70>);
}

TEST_CASE("recognize attention: heads that groups of queries share are not repeated in memory") {
  const auto with = [](auto repeated) {
    constexpr auto query = in<f32, 2, 6, 70, 8>;
    const auto grouped = [](auto q, auto k, auto v) {
      constexpr decltype(repeated) all{};
      return matmul(softmax<-1>(matmul(q, transpose<-2, -1>(all(k))) * 0.3f), all(v));
    };
    recognizes(1, near, grouped, query, head, head);
    ir::Graph g = composed(grouped, query, head, head);
    transforms::recognize_attention(g);
    for (int i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].op == Op::attention) CHECK(ir::attention_shape(g, i).kv_heads == 3);
  };
  with([](auto x) { return repeat_interleave<2, 1>(x); });
  with([](auto x) { return reshape<2, 6, 70, 8>(expand<2, 3, 2, 70, 8>(unsqueeze<2>(x))); });
}

TEST_CASE("recognize attention: small floats are scored in f32") {
  recognizes(
      1, 2e-2,
      [](auto q, auto k, auto v) { return matmul(softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f), v); },
      in<bf16, 2, 3, 70, 8>, in<bf16, 2, 3, 70, 8>, in<bf16, 2, 3, 70, 8>);
  recognizes(
      1, 3e-3,
      [](auto q, auto k, auto v) {
        const auto s = cast<f32>(matmul(q, transpose<-2, -1>(k))) * 0.3f;
        return matmul(cast<f16>(softmax<-1>(s)), v);
      },
      in<f16, 2, 3, 70, 8>, in<f16, 2, 3, 70, 8>, in<f16, 2, 3, 70, 8>);
}

TEST_CASE("recognize attention: scores that go through integers and truth values") {
  recognizes(
      1, near,
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        return matmul(softmax<-1>(s * cast<f32>(s > 0.0f) + cast<f32>(cast<i32>(s * 2.0f))), v);
      },
      head, head, head);
}

TEST_CASE("recognize attention: another precision than the products' or f32 stays as it was written") {
  leaves_alone(  // a softmax in f64
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        return matmul(cast<f32>(softmax<-1>(cast<f64>(s) + 1e9)), v);
      },
      head, head, head);
  leaves_alone(  // weights that are rounded
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        return matmul(cast<f32>(cast<f8e4m3>(softmax<-1>(s))), v);
      },
      head, head, head);
  leaves_alone(  // scores that are
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        return matmul(softmax<-1>(cast<f32>(cast<bf16>(s))), v);
      },
      head, head, head);
}

TEST_CASE("recognize attention: what something else reads, too, stays as it was written") {
  leaves_alone(  // the weights are a result
      [](auto q, auto k, auto v) {
        const auto w = softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f);
        return std::tuple{matmul(w, v), w};
      },
      head, head, head);
  leaves_alone(  // and the only one
      [](auto q, auto k, auto v) {
        const auto w = softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f);
        static_cast<void>(matmul(w, v));
        return mean<1>(w);
      },
      head, head, head);
  leaves_alone(  // the scores are
      [](auto q, auto k, auto v) {
        const auto s = matmul(q, transpose<-2, -1>(k)) * 0.3f;
        return std::tuple{matmul(softmax<-1>(s), v), mean<>(s)};
      },
      head, head, head);
  leaves_alone(  // two products of the weights
      [](auto q, auto k, auto v) {
        const auto w = softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f);
        return matmul(w, v) + matmul(w, k);
      },
      head, head, head);
  leaves_alone(  // a gradient that is traced reads the scores again
      [](auto q, auto k, auto v) {
        return grad([=](auto x) {
          return sum<>(square(matmul(softmax<-1>(matmul(x, transpose<-2, -1>(k)) * 0.3f), v)));
        })(q);
      },
      head, head, head);
  leaves_alone(  // a gate of the weights is to learn
      [](auto q, auto k, auto v, auto gate) {
        return matmul(softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f) * gate, v);
      },
      head, head, head, in<f32, 70, 70>);
  leaves_alone(  // weights of another axis
      [](auto q, auto k, auto v) { return matmul(softmax<-2>(matmul(q, transpose<-2, -1>(k)) * 0.3f), v); },
      head, head, head);
  leaves_alone(  // scores that are no arithmetic at single places
      [](auto q, auto k, auto v) {
        return matmul(softmax<-1>(cumsum<-1>(matmul(q, transpose<-2, -1>(k)))), v);
      },
      head, head, head);
  leaves_alone(
      [](auto q, auto k, auto v) { return matmul(softmax<-1>(matmul(q, transpose<-2, -1>(k)) * 0.3f), v); },
      in<f64, 2, 3, 70, 8>, in<f64, 2, 3, 70, 8>, in<f64, 2, 3, 70, 8>);
  leaves_alone([](auto x, auto w) { return matmul(softmax<-1>(x), w); }, in<f32, 64, 70>, in<f32, 70, 5>);
}

namespace {

// One block of a decoder; `Shows`: with the sum of its weights, so that it stays as it is written.
template <bool Shows>
struct BlockOf {
  nn::Linear<32, 96> qkv{};
  nn::Linear<32, 32> out{};
  nn::Dropout drop{.p = 0.2f};
  constexpr auto operator()(auto x) const {
    const auto [q, k, v] = unbind<0>(permute<2, 0, 3, 1, 4>(reshape<2, 70, 3, 4, 8>(qkv(x))));
    const auto s = matmul(q, transpose<-2, -1>(k)) * 0.35f;
    const auto open = unsqueeze<0>(arange<i32, 70>()) <= unsqueeze<1>(arange<i32, 70>());
    const auto w = drop(softmax<-1>(where(open, s, -INFINITY)));
    const auto y = x + out(reshape<2, 70, 32>(transpose<1, 2>(matmul(w, v))));
    if constexpr (Shows)
      return std::pair{y, sum<>(w)};
    else
      return y;
  }
};
using Block = BlockOf<false>;
struct Unrolled {
  std::array<Block, 2> h{};
  constexpr auto operator()(auto x) const {
    for (const Block& block : h) x = block(x);
    return x;
  }
};
struct Stacked {
  nn::Stack<Block, 2> h{};
  constexpr auto operator()(auto x) const { return h(x); }
};

std::vector<f32> wave(std::size_t n) {
  std::vector<f32> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.3f * static_cast<f32>(i % 977));
  return x;
}
int attentions(const std::string& text) {
  int n = 0;
  for (std::size_t at = text.find("attention"); at != std::string::npos; at = text.find("attention", at + 1))
    ++n;
  return n;
}

}  // namespace

TEST_CASE("recognize attention: in trainers, unrolled and stacked, with the composition's losses") {
  const auto x = wave(2 * 70 * 32);
  const auto loss = [](const auto& m, auto a) { return mean<>(square(m(a) - 1)); };
  auto unrolled = make_trainer<Unrolled>(Cpu{2}, loss, in<f32, 2, 70, 32>, optim::SGD{.lr = 0.5f}, seed{3});
  auto stacked = make_trainer<Stacked>(Cpu{2}, loss, in<f32, 2, 70, 32>, optim::SGD{.lr = 0.5f}, seed{3});
  auto one = make_trainer<Block>(Cpu{2}, loss, in<f32, 2, 70, 32>, optim::SGD{.lr = 0.5f}, seed{3});
  auto by_hand = make_trainer<BlockOf<true>>(
      Cpu{2},
      [](const auto& m, auto a) {
        const auto [y, weights] = m(a);
        return mean<>(square(y - 1)) + 0 * weights;
      },
      in<f32, 2, 70, 32>, optim::SGD{.lr = 0.5f}, seed{3});
  CHECK(attentions(unrolled.explain()) >= 4);
  CHECK(attentions(stacked.explain()) >= 2);
  CHECK(attentions(by_hand.explain()) == 0);
  for (int step = 0; step < 5; ++step) {
    const f32 a = one.step(x), b = by_hand.step(x);
    CHECK(a == doctest::Approx(b).epsilon(1e-5));
    unrolled.step(x), stacked.step(x);
  }
  CHECK(unrolled.step(x) < 1);
  CHECK(stacked.step(x) < 1);
}
