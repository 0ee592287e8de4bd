// The cases of `./weft bench host`, one a process: benchmarks/host/run starts them beside their PyTorch
// counterparts (peer.py) and lets the two take turns. `cases NAME` serves one case (worker.hpp says how),
// `cases` lists them with what the program was built with.

#include <random>
#include <weft/weft.hpp>

#include "../models.hpp"
#include "transformers.hpp"
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

// A linear layer's features.
struct Features {
  i64 in = 0, out = 0;
};
// Those of a chain of layers.
std::vector<Features> chain_of(const std::vector<i64>& widths) {
  std::vector<Features> layers;
  for (std::size_t i = 1; i < widths.size(); ++i) layers.push_back({widths[i - 1], widths[i]});
  return layers;
}

// The plain matrix products of a training step of linear layers on `rows` rows, with the program's engine, in
// its order: forwards, then for every layer from the last the weights' gradient and the layer's input's, of
// the first layer's where `first` says so.
class Products {
 public:
  Products(i64 rows, std::vector<Features> layers, bool first = false)
      : rows_(rows), layers_(std::move(layers)), first_(first) {
    for (const Features& layer : layers_) {
      x_.push_back(normal(rows * layer.in, 1));
      x_gradients_.push_back(normal(rows * layer.in, 2));
      y_.push_back(normal(rows * layer.out, 1));
      y_gradients_.push_back(normal(rows * layer.out, 2));
      weights_.push_back(normal(layer.out * layer.in, 3));
      weight_gradients_.push_back(normal(layer.out * layer.in, 4));
    }
  }
  void operator()() {
    for (std::size_t l = 0; l < layers_.size(); ++l) {  // (rows, in) (out, in)^T
      const auto [in, out] = layers_[l];
      product({rows_, out, in, in, 1, 1, in, out}, x_[l], weights_[l], y_[l]);
    }
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const auto [in, out] = layers_[l];
      product({out, in, rows_, 1, out, in, 1, in}, y_gradients_[l], x_[l], weight_gradients_[l]);
      if (l > 0 || first_)
        product({rows_, in, out, out, 1, in, 1, in}, y_gradients_[l], weights_[l], x_gradients_[l]);
    }
  }

 private:
  using Buffer = std::vector<f32>;
  static void product(const kernels::DotShape& s, const Buffer& a, const Buffer& b, Buffer& c) {
    kernels::dot<f32, f32, f32>(s, a.data(), b.data(), c.data());
  }

  i64 rows_;
  std::vector<Features> layers_;
  bool first_;
  std::vector<Buffer> x_, x_gradients_, y_, y_gradients_, weights_, weight_gradients_;
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
  timed.make_floor = [&] { return [products = Products(Batch, chain_of(widths))]() mutable { products(); }; };
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
  auto f = compile(Cpu{}, bench::BothWays<bench::LayerNorm>{}, in<f32, 4096, 768>, in<f32, 768>, in<f32, 768>,
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

// The GPT's linear layers.
std::function<void()> gpt_products() {
  constexpr i64 d = bench::small_gpt.width;
  std::vector<Features> layers;
  for (int k = 0; k < bench::small_gpt.layers; ++k)
    for (const Features& f : {Features{d, 3 * d}, Features{d, d}, Features{d, 4 * d}, Features{4 * d, d}})
      layers.push_back(f);
  layers.push_back({d, bench::small_gpt.vocabulary});
  return
      [products = Products(bench::texts * bench::small_gpt.context, layers, true)]() mutable { products(); };
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
  if (name == "gpt")
    return bench::transformer_step<gpt::Gpt<bench::small_gpt>>(
        labels(32 * 128, 128, 1), labels(32 * 128, 128, 2), in<i32, 32, 128>, in<i32, 32, 128>, gpt_products);
  if (name == "vit")
    return bench::transformer_step<bench::Vit>(normal(32 * 3 * 32 * 32, 1), labels(32, 10, 2),
                                               in<f32, 32, 3, 32, 32>, in<i32, 32>);
  if (name == "bert")
    return bench::transformer_step<bench::Bert>(labels(32 * 128, 1000, 1), labels(32 * 128, 1000, 2),
                                                in<i32, 32, 128>, in<i32, 32, 128>);
  if (name == "gpt_decode") return bench::decode_case();
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
