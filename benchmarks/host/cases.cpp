// The cases of `./weft bench host`, one a process: benchmarks/host/run starts them beside their PyTorch
// counterparts (peer.py) and lets the two take turns. `cases NAME` serves one case (worker.hpp says how),
// `cases` lists them with what the program was built with.

#include <random>
#include <weft/weft.hpp>

#include "../models.hpp"
#include "worker.hpp"

using namespace weft;
namespace nn = weft::nn;

namespace {

// Normal numbers; the same every time.
std::vector<f32> normal(i64 count, u32 seed, f32 scale = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<f32> draw(0, scale);
  std::vector<f32> v(static_cast<std::size_t>(count));
  for (f32& x : v) x = draw(engine);
  return v;
}
std::vector<i32> labels(i64 count, i32 classes, u32 seed) {
  std::mt19937 engine(seed);
  std::vector<i32> v(static_cast<std::size_t>(count));
  for (i32& x : v) x = static_cast<i32>(engine() % static_cast<u32>(classes));
  return v;
}

// The plain matrix products of a training step of a chain of linear layers, with the program's engine, in its
// order: forwards, then for every layer from the last the weights' gradient and the layer's input's (the
// first layer's input has none).
class Products {
 public:
  Products(i64 batch, std::vector<i64> widths) : batch_(batch), widths_(std::move(widths)) {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      activations_.push_back(normal(batch * widths_[i], 1));
      activation_gradients_.push_back(normal(batch * widths_[i], 2));
      if (i == 0) continue;
      weights_.push_back(normal(widths_[i] * widths_[i - 1], 3));
      weight_gradients_.push_back(normal(widths_[i] * widths_[i - 1], 4));
    }
  }
  void operator()() {
    const int layers = static_cast<int>(weights_.size());
    for (int l = 0; l < layers; ++l) {  // (batch, in) (out, in)^T
      const i64 in = width(l), out = width(l + 1);
      product({batch_, out, in, in, 1, 1, in, out}, at(activations_, l), at(weights_, l),
              at(activations_, l + 1));
    }
    for (int l = layers - 1; l >= 0; --l) {
      const i64 in = width(l), out = width(l + 1);
      product({out, in, batch_, 1, out, in, 1, in}, at(activation_gradients_, l + 1), at(activations_, l),
              at(weight_gradients_, l));
      if (l > 0)
        product({batch_, in, out, out, 1, in, 1, in}, at(activation_gradients_, l + 1), at(weights_, l),
                at(activation_gradients_, l));
    }
  }

 private:
  using Buffers = std::vector<std::vector<f32>>;
  i64 width(int i) const { return widths_[static_cast<std::size_t>(i)]; }
  static f32* at(Buffers& b, int i) { return b[static_cast<std::size_t>(i)].data(); }
  static void product(const kernels::DotShape& s, const f32* a, const f32* b, f32* c) {
    kernels::dot<f32, f32, f32>(s, a, b, c);
  }

  i64 batch_;
  std::vector<i64> widths_;
  Buffers activations_, activation_gradients_, weights_, weight_gradients_;
};

std::string fact(const char* name, i64 value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

struct Lstm {
  nn::LSTM<128, 128, nn::Recurrent{.num_layers = 2}> rnn;
  constexpr auto operator()(auto x) const { return std::get<0>(rnn(x)); }
};

// A training step with SGD on one sequence of 64 steps.
int lstm_case() {
  const bench::MemoryWatch memory;
  auto trainer = make_trainer<Lstm>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 64, 32, 128>,
      in<f32, 64, 32, 128>, optim::SGD{.lr = 0.01f});
  const auto x = normal(64 * 32 * 128, 1), y = normal(64 * 32 * 128, 2);
  bench::Timed timed;
  timed.run = [&] { trainer.step(x, y); };
  timed.facts = fact("launches", trainer.launches()) + ", " +
                fact("workspace_bytes", trainer.workspace_bytes()) + ", " +
                fact("state_bytes", trainer.state_bytes());
  return bench::serve(memory, timed);
}

// A training step with SGD on 64 pictures of 28x28.
int conv_net_case() {
  const bench::MemoryWatch memory;
  auto trainer = make_trainer<bench::ConvNet>(
      Cpu{}, [](const auto& model, auto x, auto label) { return cross_entropy(model(x), label); },
      in<f32, 64, 1, 28, 28>, in<i32, 64>, optim::SGD{.lr = 0.01f});
  const auto x = normal(64 * 28 * 28, 1);
  const auto label = labels(64, 10, 2);
  bench::Timed timed;
  timed.run = [&] { trainer.step(x, label); };
  timed.facts = fact("launches", trainer.launches()) + ", " +
                fact("workspace_bytes", trainer.workspace_bytes()) + ", " +
                fact("state_bytes", trainer.state_bytes());
  return bench::serve(memory, timed);
}

// A training step with AdamW, on one of four batches in turn.
template <class M, i64 Batch, i64 Features>
int training(const std::vector<i64>& widths) {
  const bench::MemoryWatch memory;
  auto trainer = make_trainer<M>(
      Cpu{}, [](const auto& model, auto x, auto label) { return cross_entropy(model(x), label); },
      in<f32, Batch, Features>, in<i32, Batch>, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f});
  std::vector<std::vector<f32>> x;
  std::vector<std::vector<i32>> label;
  for (u32 i = 0; i < 4; ++i) {
    x.push_back(normal(Batch * Features, 10 + i));
    label.push_back(labels(Batch, 10, 20 + i));
  }
  std::size_t turn = 0;
  bench::Timed timed;
  timed.run = [&] {
    trainer.step(x[turn], label[turn]);
    turn = (turn + 1) % x.size();
  };
  timed.make_floor = [&] { return [products = Products(Batch, widths)]() mutable { products(); }; };
  timed.facts = fact("launches", trainer.launches()) + ", " +
                fact("workspace_bytes", trainer.workspace_bytes()) + ", " +
                fact("state_bytes", trainer.state_bytes());
  return bench::serve(memory, timed);
}

template <class Function>
std::string facts(const Function&) {
  return fact("launches", Function::launches()) + ", " + fact("workspace_bytes", Function::workspace_bytes());
}

// The result is the view that the call returns.
int chain() {
  const bench::MemoryWatch memory;
  auto f = compile(
      Cpu{}, [](auto x, auto a, auto b) { return gelu(x * a + b) * sigmoid(x); }, in<f32, 4096, 1024>,
      in<f32, 4096, 1024>, in<f32, 4096, 1024>);
  const auto x = normal(4096 * 1024, 1), a = normal(4096 * 1024, 2), b = normal(4096 * 1024, 3);
  return bench::serve(memory, {[&] { f(x, a, b); }, facts(f)});
}

int layer_norm_case() {
  const bench::MemoryWatch memory;
  auto f = compile(Cpu{}, bench::LayerNormBothWays{}, in<f32, 4096, 768>, in<f32, 768>, in<f32, 768>,
                   in<f32, 4096, 768>);
  const auto x = normal(4096 * 768, 1), weight = normal(768, 2), bias = normal(768, 3),
             upstream = normal(4096 * 768, 4);
  return bench::serve(memory, {[&] { f(x, weight, bias, upstream); }, facts(f)});
}

// The same of a layer that normalises, in training: its result, and the gradients by its input and
// parameters.
struct LayerBothWays {
  constexpr auto operator()(const auto& layer, auto x, auto upstream) const {
    const auto y = layer(x);
    const auto weight = to_expr(layer.weight);
    List<int> arguments;
    arguments.push(x.value.id);
    arguments.push(weight.value.id);
    if constexpr (requires { layer.bias; }) arguments.push(to_expr(layer.bias).value.id);
    const auto found = transforms::differentiate(y.value, upstream.value, arguments);
    using W = std::remove_cvref_t<decltype(weight)>;
    if constexpr (requires { layer.bias; })
      return std::tuple{y, decltype(x){found[0]}, W{found[1]}, W{found[2]}};
    else
      return std::tuple{y, decltype(x){found[0]}, W{found[1]}};
  }
};

template <class Layer, i64... Dims>
int layer_case() {
  const bench::MemoryWatch memory;
  using X = Input<f32, Shape<Dims...>>;
  Model<Layer> layer(Cpu{}, 1);
  CompiledFunction<Cpu, exec::ModelSource<Layer, LayerBothWays, true, X, X>, X, X> f(layer.device(),
                                                                                     layer.states());
  const auto x = normal((Dims * ...), 1), upstream = normal((Dims * ...), 2);
  return bench::serve(memory, {[&] { f(x, upstream); }, facts(f)});
}

// A function of x and parameters with its gradients, given the upstream one, from one trace.
template <class F>
struct FunctionBothWays {
  constexpr auto operator()(auto upstream, auto... x) const {
    const auto y = F{}(x...);
    List<int> arguments;
    (arguments.push(x.value.id), ...);
    const auto found = transforms::differentiate(y.value, upstream.value, arguments);
    int n = 0;
    ((x.value = found[n++]), ...);
    return std::tuple{y, x...};
  }
};

// A depthwise layer as in MobileNet, both ways.
int depthwise_case() {
  const bench::MemoryWatch memory;
  const auto layer = [](auto x, auto w) { return conv2d<ConvOptions{.padding = 1, .groups = 128}>(x, w); };
  auto f = compile(Cpu{}, FunctionBothWays<std::remove_const_t<decltype(layer)>>{}, in<f32, 16, 128, 56, 56>,
                   in<f32, 16, 128, 56, 56>, in<f32, 128, 1, 3, 3>);
  const auto x = normal(16 * 128 * 56 * 56, 1), upstream = normal(16 * 128 * 56 * 56, 2),
             w = normal(128 * 9, 3);
  return bench::serve(memory, {[&] { f(upstream, x, w); }, facts(f)});
}

// Averages of windows that overlap, both ways.
int avg_pool_case() {
  const bench::MemoryWatch memory;
  const auto pool = [](auto x) { return avg_pool2d<3, PoolOptions{.stride = 2, .padding = 1}>(x); };
  auto f = compile(Cpu{}, FunctionBothWays<std::remove_const_t<decltype(pool)>>{}, in<f32, 16, 64, 28, 28>,
                   in<f32, 16, 64, 56, 56>);
  const auto x = normal(16 * 64 * 56 * 56, 1), upstream = normal(16 * 64 * 28 * 28, 2);
  return bench::serve(memory, {[&] { f(upstream, x); }, facts(f)});
}

// Attention of (B, H, L, E); with its gradients where `Both`.
template <i64 B, i64 H, i64 L, i64 E, bool Both, class F>
int attention_case(F) {
  const bench::MemoryWatch memory;
  using X = Input<f32, Shape<B, H, L, E>>;
  constexpr i64 size = B * H * L * E;
  const auto q = normal(size, 1), k = normal(size, 2), v = normal(size, 3), upstream = normal(size, 4);
  if constexpr (Both) {
    auto f = compile(Cpu{}, FunctionBothWays<F>{}, X{}, X{}, X{}, X{});
    return bench::serve(memory, {[&] { f(upstream, q, k, v); }, facts(f)});
  } else {
    auto f = compile(Cpu{}, F{}, X{}, X{}, X{});
    return bench::serve(memory, {[&] { f(q, k, v); }, facts(f)});
  }
}
constexpr auto full_attention = [](auto q, auto k, auto v) { return scaled_dot_product_attention(q, k, v); };
constexpr auto causal_attention = [](auto q, auto k, auto v) {
  return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v);
};
constexpr auto window_attention = [](auto q, auto k, auto v) {
  return attention(q, k, v, [](auto, auto, auto i, auto j) { return (j <= i) & (i - j < 512); });
};

// The gradient of an embedding of 8192 tokens in a table of 50000 rows.
int embedding_case() {
  const bench::MemoryWatch memory;
  auto f = compile(
      Cpu{},
      [](auto table, auto tokens, auto upstream) {
        const auto rows = nn::functional::embedding(tokens, table);
        List<int> arguments;
        arguments.push(table.value.id);
        return decltype(table){transforms::differentiate(rows.value, upstream.value, arguments)[0]};
      },
      in<f32, 50000, 256>, in<i32, 8192>, in<f32, 8192, 256>);
  const auto table = normal(50000 * 256, 1), upstream = normal(8192 * 256, 2);
  const auto tokens = labels(8192, 50000, 3);
  return bench::serve(memory, {[&] { f(table, tokens, upstream); }, facts(f)});
}

int topk_case() {
  const bench::MemoryWatch memory;
  auto f = compile(
      Cpu{}, [](auto x) { return topk<500>(x); }, in<f32, 1024, 10000>);
  const auto x = normal(1024 * 10000, 1);
  return bench::serve(memory, {[&] { f(x); }, facts(f)});
}

int cross_entropy_case() {
  const bench::MemoryWatch memory;
  auto f = compile(
      Cpu{},
      [](auto x, auto target) {
        return value_and_grad([](auto logits, auto t) { return cross_entropy(logits, t); })(x, target);
      },
      in<f32, 2048, 50257>, in<i32, 2048>);
  const auto x = normal(i64{2048} * 50257, 1);
  const auto target = labels(2048, 50257, 2);
  return bench::serve(memory, {[&] { f(x, target); }, facts(f)});
}

enum class Engine { builtin, blas };

int product_of_squares(Engine engine) {
  const bench::MemoryWatch memory;
  constexpr i64 n = 1024;
  const auto a = normal(n * n, 1), b = normal(n * n, 2);
  std::vector<f32> c(static_cast<std::size_t>(n * n));
  const kernels::DotShape s{n, n, n, n, 1, n, 1, n};
  bench::Timed timed;
  timed.facts = fact("engine", engine == Engine::builtin ? 0 : 1);
  if (engine == Engine::builtin) {
    timed.run = [&] {
      kernels::dot<f32, f32, f32>(s, a.data(), b.data(), c.data(), 0, {}, kernels::DotEngine::builtin);
    };
  } else {
#if defined(WEFT_WITH_CBLAS)
    timed.run = [&] {  // with the library's own threads
      kernels::weft_cblas_sgemm(101, 111, 111, n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f, c.data(), n);
    };
#else
    return 2;
#endif
  }
  return bench::serve(memory, timed);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "mlp") return training<bench::Mlp, 128, 784>({784, 512, 256, 10});
  if (name == "small_mlp") return training<bench::SmallMlp, 32, 64>({64, 128, 10});
  if (name == "lstm") return lstm_case();
  if (name == "conv_net") return conv_net_case();
  if (name == "chain") return chain();
  if (name == "layer_norm") return layer_norm_case();
  if (name == "rms_norm") return layer_case<nn::RMSNorm<768>, 4096, 768>();
  if (name == "batch_norm") return layer_case<nn::BatchNorm2d<64>, 64, 64, 28, 28>();
  if (name == "group_norm") return layer_case<nn::GroupNorm<8, 64>, 64, 64, 28, 28>();
  if (name == "instance_norm")
    return layer_case<nn::InstanceNorm2d<64, nn::InstanceNormOptions{.affine = true}>, 64, 64, 28, 28>();
  if (name == "depthwise") return depthwise_case();
  if (name == "avg_pool") return avg_pool_case();
  if (name == "attention") return attention_case<8, 12, 1024, 64, false>(causal_attention);
  if (name == "attention_both") return attention_case<8, 12, 1024, 64, true>(causal_attention);
  if (name == "attention_long") return attention_case<2, 16, 4096, 64, false>(causal_attention);
  if (name == "attention_long_both") return attention_case<2, 16, 4096, 64, true>(causal_attention);
  if (name == "attention_short_both") return attention_case<16, 8, 128, 64, true>(full_attention);
  if (name == "attention_window") return attention_case<2, 16, 4096, 64, false>(window_attention);
  if (name == "embedding") return embedding_case();
  if (name == "topk") return topk_case();
  if (name == "cross_entropy") return cross_entropy_case();
  if (name == "matmul") return product_of_squares(Engine::builtin);
  if (name == "matmul_blas") return product_of_squares(Engine::blas);
#if defined(WEFT_WITH_CBLAS)
  const std::string blas = std::string("OpenBLAS (") + kernels::openblas_core() + ")";
#else
  const std::string blas;
#endif
  std::printf("{\"weft\": \"%d.%d.%d\", \"threads\": %d, \"compiler\": \"%s\", \"blas\": \"%s\"}\n",
              WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH, hardware_threads(), __VERSION__,
              blas.c_str());
  return name.empty() ? 0 : 2;
}
