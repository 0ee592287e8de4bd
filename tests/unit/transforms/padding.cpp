#include "weft/transforms/padding.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/exec/inputs.hpp"
#include "weft/exec/trace.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

// The graph of f, and what its inputs are read for.
template <class M, class F, class... I>
ir::Graph traced(std::vector<transforms::InputUse>& uses) {
  ir::Builder b;
  b.graph.scalar_count = exec::random_words;
  if constexpr (std::is_void_v<M>) {
    exec::add_outputs(b, exec::call<I...>(b, F{}));
  } else {
    const M model = exec::bind_model<M>(b, true);
    exec::add_outputs(b, exec::call<I...>(b, F{}, model));
  }
  uses.resize(sizeof...(I));
  transforms::find_input_uses(b.graph, uses.data());
  return b.graph;
}
// Whether padded rows of a batch of 8 count in result 0 of f.
template <class M = void, class F, class... I>
bool counts(F, I...) {
  std::vector<transforms::InputUse> uses;
  const ir::Graph g = traced<M, F, I...>(uses);
  return transforms::padding_counts(g, g.outputs[0], 8, uses.data());
}
// Whether they make gradients of it that are no numbers.
template <class M, class F, class... I>
bool is_nan(F, I...) {
  std::vector<transforms::InputUse> uses;
  const ir::Graph g = traced<M, F, I...>(uses);
  return transforms::padding_is_nan(g, 8, uses.data());
}
struct Mlp {
  nn::Linear<6, 5> fc1;
  nn::LayerNorm<5> norm;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<5, 4> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(gelu(norm(fc1(x))))); }
};
struct Conv {
  nn::Conv2d<1, 3, 3> conv;
  nn::Linear<108, 4> fc;
  constexpr auto operator()(auto x) const {
    return fc(flatten<1>(max_pool2d<1>(relu(conv(reshape<8, 1, 8, 8>(x))))));
  }
};
struct Normed {
  nn::Linear<6, 4> fc;
  nn::BatchNorm1d<4> norm;
  constexpr auto operator()(auto x) const { return norm(fc(x)); }
};
struct Reader {
  nn::Embedding<11, 6> table;
  nn::LSTM<6, 5, nn::Recurrent{.batch_first = true}> rnn;
  nn::Linear<5, 4> fc;
  constexpr auto operator()(auto tokens) const {
    const auto [y, state] = rnn(table(tokens));
    return fc(squeeze<1>(slice<1, 6, 7>(y)));
  }
};
struct Attends {
  nn::Embedding<11, 8> table;
  nn::MultiheadAttention<8, 2, nn::MultiheadOptions{.batch_first = true}> attention;
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto tokens) const {
    const auto x = table(tokens);
    return fc(attention(x, x, x));
  }
};

// Of a cross entropy of what f makes of x, as the model's or by its weights.
template <class F>
bool is_nan_before(F) {
  return is_nan<Mlp>([](const auto& m, auto x, auto l) { return cross_entropy(m(F{}(x)), l); }, in<f32, 8, 6>,
                     in<i32, 8>);
}
template <class F>
bool is_nan_behind(F) {
  return is_nan<Mlp>(
      [](const auto& m, auto x, auto l) {
        const auto h = matmul(x, transpose<0, 1>(m.fc1.weight));
        return cross_entropy(linear(F{}(h), m.fc2.weight), l);
      },
      in<f32, 8, 6>, in<i32, 8>);
}

constexpr auto classify = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };
constexpr auto regress = [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); };

}  // namespace

TEST_CASE("padding: labels leave their rows out") {
  CHECK(!counts<Mlp>(classify, in<f32, 8, 6>, in<i32, 8>));
  CHECK(!counts<Conv>(classify, in<f32, 8, 64>, in<i64, 8>));
  CHECK(!counts<Reader>(classify, in<i32, 8, 7>, in<i32, 8>));
  CHECK(!counts<Attends>(classify, in<i32, 8, 7>, in<i32, 8, 7>));
  CHECK(!counts<Mlp>([](const auto& m, auto x, auto l) { return nll_loss(log_softmax<-1>(m(x)), l); },
                     in<f32, 8, 6>, in<i32, 8>));
  CHECK(!counts<Mlp>([](const auto& m, auto x, auto l) { return accuracy(m(x), l); }, in<f32, 8, 6>,
                     in<i32, 8>));
  CHECK(!counts<Mlp>(
      [](const auto& m, auto x, auto l) {
        return cross_entropy<reduction::sum>(m(x), l, {.ignore_index = 2, .label_smoothing = 0.1});
      },
      in<f32, 8, 6>, in<i32, 8>));
}

TEST_CASE("padding: targets without labels count") {
  CHECK(counts<Mlp>(regress, in<f32, 8, 6>, in<f32, 8, 4>));
  CHECK(counts<Mlp>(
      [](const auto& m, auto x, auto l) { return cross_entropy(m(x), l) + 0.1f * mean<>(square(x + 1.0f)); },
      in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts<Mlp>([](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 8, 6>));
  CHECK(counts([](auto x) { return max<>(x); }, in<f32, 8>));
  CHECK(counts([](auto x) { return mean<>(where(x > 3, x, 1.0f)); }, in<f32, 8>));
}

TEST_CASE("padding: a mean over the batch mixes its rows") {
  CHECK(counts<Normed>(classify, in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts([](auto x, auto l) { return cross_entropy(x - mean<0>(x + 1.0f), l); }, in<f32, 8, 4>,
               in<i32, 8>));
  CHECK(counts([](auto x, auto l) { return cross_entropy(matmul(transpose<0, 1>(x + 2.0f), x + 1.0f), l); },
               in<f32, 8, 8>, in<i32, 8>));
  CHECK(counts([](auto x, auto l) { return cross_entropy(cumsum<0>(x + 1.0f), l); }, in<f32, 8, 4>,
               in<i32, 8>));
  CHECK(counts([](auto x, auto l) { return cross_entropy(flip<0>(x), l); }, in<f32, 8, 4>, in<i32, 8>));
  CHECK(!counts([](auto x, auto l) { return cross_entropy(flip<1>(cumsum<1>(x)), l); }, in<f32, 8, 4>,
                in<i32, 8>));
}

TEST_CASE("padding: a block that is whole along the batch keeps its rows") {
  CHECK(!counts([](auto x, auto l, auto i) { return cross_entropy(dynamic_slice<1, 4>(x, i), l); },
                in<f32, 8, 6>, in<i32, 8>, in<i64>));
  CHECK(
      !counts([](auto x, auto l,
                 auto i) { return cross_entropy(dynamic_update_slice(zeros<f32, 8, 7>(), x * 2, i, i), l); },
              in<f32, 8, 6>, in<i32, 8>, in<i64>));
  CHECK(
      counts([](auto x, auto l,
                auto i) { return cross_entropy(dynamic_update_slice<0>(x, slice<0, 4, 8>(x + 1.0f), i), l); },
             in<f32, 8, 6>, in<i32, 8>, in<i64>));
  CHECK(counts([](auto x, auto l) { return cross_entropy(dynamic_slice<1, 4>(x, cast<i32>(max(x))), l); },
               in<f32, 8, 6>, in<i32, 8>));
}

TEST_CASE("padding: a weight that is 0 in padded rows leaves them out") {
  CHECK(
      !counts<Mlp>([](const auto& m, auto x, auto target,
                      auto weight) { return sum<>(weight * mean<1>(square(m(x) - target))) / sum<>(weight); },
                   in<f32, 8, 6>, in<f32, 8, 4>, in<f32, 8>));
}

// A loader may take any signed integer for the label: its padded rows are 0 or -100.
TEST_CASE("padding: an integer that is above 0 in every sample says which rows count") {
  const auto masked = [](const auto& m, auto x, auto target, auto present) {
    const auto weight = cast<f32>(present > 0);
    return sum<>(weight * mean<1>(square(m(x) - target))) / sum<>(weight);
  };
  CHECK(!counts<Mlp>(masked, in<f32, 8, 6>, in<f32, 8, 4>, in<i32, 8>));
  CHECK(!counts<Mlp>(masked, in<f32, 8, 6>, in<f32, 8, 4>, in<i64, 8>));
  CHECK(!counts<Mlp>(masked, in<f32, 8, 6>, in<f32, 8, 4>, in<u8, 8>));
  CHECK(!counts([](auto x, auto present) { return sum<>(where(present == 1, x + 1.0f, 0.0f)); }, in<f32, 8>,
                in<i32, 8>));
  CHECK(!counts([](auto x, auto a, auto b) { return sum<>(where((a > 0) & (b > 0), x + 1.0f, 0.0f)); },
                in<f32, 8>, in<i32, 8>, in<i64, 8>));
  CHECK(!counts([](auto x, auto a, auto b) { return sum<>(where(a > 0, x + 1.0f, where(b > 0, x, 0.0f))); },
                in<f32, 8>, in<i32, 8>, in<i64, 8>));
  // 0 would count in the one, -100 in the other
  CHECK(counts([](auto x, auto present) { return sum<>(where(present >= 0, x + 1.0f, 0.0f)); }, in<f32, 8>,
               in<i32, 8>));
  CHECK(counts([](auto x, auto kind) { return sum<>(where(kind < 0, x + 1.0f, 0.0f)); }, in<f32, 8>,
               in<i32, 8>));
  CHECK(counts([](auto x, auto kind) { return sum<>(cast<f32>(kind) * x + cast<f32>(kind)); }, in<f32, 8>,
               in<i32, 8>));
  // three numbers are possible, all of which leave the rows out: said to count
  CHECK(counts([](auto x, auto a, auto b) { return sum<>(where(a + b > 0, x + 1.0f, 0.0f)); }, in<f32, 8>,
               in<i32, 8>, in<i32, 8>));
}

// Such a mean is smaller, the more rows are padded.
TEST_CASE("padding: a mean in which padded rows are 0 counts them in its divisor") {
  const auto mean_of_losses = [](const auto& m, auto x, auto l) {
    return mean<>(cross_entropy<reduction::none>(m(x), l));
  };
  CHECK(counts<Mlp>(mean_of_losses, in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts<Mlp>(
      [](const auto& m, auto x, auto l) { return sum<>(cross_entropy<reduction::none>(m(x), l)) / 8.0f; },
      in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts<Mlp>(
      [](const auto& m, auto x, auto l) {
        const auto each = cross_entropy<reduction::none>(m(x), l);
        return cross_entropy(m(x), l) + 0.1f * mean<>(each * each);
      },
      in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts([](auto x, auto y, auto w) { return mean<>(unsqueeze<1>(w) * square(x - y)); }, in<f32, 8, 4>,
               in<f32, 8, 4>, in<f32, 8>));
  CHECK(counts([](auto x, auto y, auto w) { return sum<>(mean<0>(unsqueeze<1>(w) * square(x - y))); },
               in<f32, 8, 4>, in<f32, 8, 4>, in<f32, 8>));
  CHECK(counts([](auto x, auto y, auto w) { return sqrt(mean<>(w * square(x - y))); }, in<f32, 8>, in<f32, 8>,
               in<f32, 8>));
  CHECK(counts([](auto x, auto w) { return cast<f32>(mean<>(cast<bf16>(w * (x + 1.0f)))); }, in<f32, 8>,
               in<f32, 8>));
  CHECK(counts([](auto x, auto w) { return matmul(unsqueeze<0>(w), unsqueeze<1>(x + 1.0f)) * 0.125f; },
               in<f32, 8>, in<f32, 8>));
  // a mean of one over a mean of the other is one over those that count; a sum is a sum
  CHECK(!counts([](auto x, auto y, auto w) { return mean<>(w * square(x - y)) / mean<>(w); }, in<f32, 8>,
                in<f32, 8>, in<f32, 8>));
  CHECK(!counts([](auto x, auto y, auto w) { return mean<>(w * square(x - y)) * (1.0f / mean<>(w)); },
                in<f32, 8>, in<f32, 8>, in<f32, 8>));
  CHECK(!counts([](auto x, auto y, auto w) { return 0.5f * sum<>(w * square(x - y)); }, in<f32, 8>,
                in<f32, 8>, in<f32, 8>));
  CHECK(!counts<Mlp>(
      [](const auto& m, auto x, auto l) {
        return 0.3f * cross_entropy(m(x), l) + 1e-3f * mean<>(square(m.fc1.weight));
      },
      in<f32, 8, 6>, in<i32, 8>));
}

TEST_CASE("padding: labels that are tokens, too, cannot be masked") {
  CHECK(counts<Attends>(
      [](const auto& m, auto tokens) {
        return cross_entropy(slice<1, 0, 6>(m(tokens)), remainder(slice<1, 0, 6>(tokens), 4));
      },
      in<i32, 8, 7>));
  CHECK(counts([](auto tokens, auto x) { return cross_entropy(x, tokens) + mean<>(cast<f32>(tokens)); },
               in<i32, 8>, in<f32, 8, 4>));
}

TEST_CASE("padding: what is no number in padded rows, or has no slope, leaves no gradient") {
  CHECK(is_nan_before([](auto x) { return log(x); }));
  CHECK(is_nan_before([](auto x) { return log(abs(2 * x)); }));
  CHECK(is_nan_before([](auto x) { return log2(x * x); }));
  CHECK(is_nan_before([](auto x) { return log1p(0.1f * x - 1); }));
  CHECK(is_nan_before([](auto x) { return log(expm1(x)); }));
  CHECK(is_nan_before([](auto x) { return x * log(x); }));
  CHECK(is_nan_before([](auto x) { return x + log(sum<1>(x, keepdim)); }));
  CHECK(is_nan_before([](auto x) { return log(matmul(x, ones<f32, 6, 6>())); }));
  CHECK(is_nan_before([](auto x) { return x / cumsum<1>(x); }));
  CHECK(is_nan_before([](auto x) { return fmod(x + 1, x); }));
  CHECK(is_nan_before([](auto x) { return 1 / x; }));
  CHECK(is_nan_before([](auto x) { return softmax<-1>(masked_fill(x, x == 0, -INFINITY)); }));
  CHECK(is_nan_behind([](auto h) { return sqrt(h * h); }));
  CHECK(is_nan_behind([](auto h) { return h + sqrt(sum<1>(h * h, keepdim)); }));
  CHECK(is_nan_behind([](auto h) { return where(h > 0, log(h), 0); }));
  // a root of what no parameter changes, a value that is not chosen, and what has no derivative there
  CHECK(!is_nan_before([](auto x) { return sqrt(x * x); }));
  CHECK(!is_nan_before([](auto x) { return where(x > 0, log(x), 0); }));
  CHECK(!is_nan_before([](auto x) { return xlogy(x, x); }));
  CHECK(!is_nan_before([](auto x) { return masked_fill(x, x == 0, -1e9f); }));
  CHECK(!is_nan_behind([](auto h) { return stop_gradient(sqrt(h * h)) + h; }));
  CHECK(!is_nan_behind([](auto h) { return layer_norm<5>(gelu(h)); }));
  CHECK(!is_nan_behind([](auto h) { return nn::functional::normalize(h); }));
  CHECK(!is_nan_behind([](auto h) { return logsumexp<1>(h, keepdim) + softplus(h) + elu(h); }));
}

TEST_CASE("padding: 0 times what is no number is none") {
  CHECK(counts<Mlp>(
      [](const auto& m, auto x, auto y, auto w) {
        return sum<>(w * square(squeeze<1>(slice<1, 0, 1>(m(x))) - log(y))) / sum<>(w);
      },
      in<f32, 8, 6>, in<f32, 8>, in<f32, 8>));
  CHECK(counts([](auto y, auto w) { return sum<>(w * log(y)); }, in<f32, 8>, in<f32, 8>));
  CHECK(
      counts([](auto y, auto w) { return sum<>(w * where(y == 0, -INFINITY, y)); }, in<f32, 8>, in<f32, 8>));
  CHECK(!counts([](auto y, auto w) { return sum<>(w * log(y + 1)); }, in<f32, 8>, in<f32, 8>));
}

TEST_CASE("padding: what is scattered nowhere does not count") {
  CHECK(!counts<Mlp>([](const auto& m, auto x, auto l) { return cast<f32>(confusion_matrix<4>(m(x), l)); },
                     in<f32, 8, 6>, in<i32, 8>));
  CHECK(counts([](auto c) { return bincount<4>(c); }, in<u8, 8>));
  // rows of 0 that are added, and columns of which each is a row of the batch
  const auto rows = [](auto x) {
    const ir::Value index = ir::constant(*x.value.builder, DType::i32, Shape<8>::value, 0);
    return sum<>(Expr<f32, Shape<3, 4>>{ir::scatter_add(index, x.value, 3)} + 1);
  };
  CHECK(!counts(rows, in<f32, 8, 4>));
  const auto columns = [](auto x) {
    const ir::Value index = ir::constant(*x.value.builder, DType::i32, Shape<4>::value, 0);
    return sum<>(Expr<f32, Shape<3, 8>>{ir::scatter_add(index, t(x).value, 3)} + 1);
  };
  CHECK(counts(columns, in<f32, 8, 4>));
}
