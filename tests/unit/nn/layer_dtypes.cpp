// Layers whose parameters are doubles or of 16 bits, beside PyTorch's
// (tests/parity/generate_layer_dtypes.py).
#include "reference.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/conv.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/instance_norm.hpp"
#include "weft/nn/transformer_layer.hpp"
#include "weft/optim/sgd.hpp"

using namespace nn_test;

namespace {

constexpr float eps = 0x1p-17f, momentum = 0.125f;

// [layers]
template <class T>
struct Image {
  nn::Conv2d<4, 6, 3, nn::ConvOptions{.padding = 1, .dtype = dtype_of<T>}> conv{};
  nn::BatchNorm2d<6, nn::BatchNormOptions{.dtype = dtype_of<T>}> batch{.eps = eps, .momentum = momentum};
  nn::GroupNorm<3, 6, true, T> group{.eps = eps};
  nn::InstanceNorm2d<
      6, nn::InstanceNormOptions{.affine = true, .track_running_stats = true, .dtype = dtype_of<T>}>
      single{.eps = eps, .momentum = momentum};
  nn::ConvTranspose2d<6, 4, 2, nn::ConvTransposeOptions{.stride = 2, .bias = false, .dtype = dtype_of<T>}>
      up{};
  nn::LayerNormNoBiasOf<T, 16> row{.eps = eps};
  constexpr auto operator()(const auto& x) const {
    return row(up(single(tanh(group(tanh(batch(conv(x))))))));
  }
};

template <class T>
constexpr nn::TransformerOptions options{
    .dim_feedforward = 12, .dropout = 0, .layer_norm_eps = eps, .batch_first = true, .dtype = dtype_of<T>};
template <class T>
struct Text {
  nn::Embedding<9, 8, T, 0> table{};
  nn::TransformerEncoderLayer<8, 2, options<T>, nn::GELU> layer{};
  nn::RMSNormOf<T, 8> rms{.eps = eps};
  nn::LayerNormOf<T, 8> layer_norm{.eps = eps};
  constexpr auto operator()(const auto& index) const { return layer_norm(tanh(rms(layer(table(index))))); }
};
// [/layers]

const io::Safetensors& reference() {
  static const io::Safetensors file = open("layer_dtypes");
  return file;
}

// f(entry of the file, bytes of the model) of each of its tensors, which are called "<prefix><name>" there.
template <class M, class Device>
void each_tensor(Model<M, Device>& model, const std::string& prefix, bool parameters, const auto& f) {
  const auto& table = nn::state_table<M>;
  for (int i = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    if (row.trained && !parameters) continue;
    const std::string name = prefix + std::string(row.name.view());
    CAPTURE(name);
    const io::SafetensorsEntry& entry = reference().at(name);
    REQUIRE(entry.dtype == row.dtype);
    REQUIRE(entry.shape == exec::extents(row.dims));
    f(entry, model.state() + row.offset);
  }
}
template <class M, class Device>
void start(Model<M, Device>& model, const std::string& prefix) {
  each_tensor(model, prefix, true,
              [](const auto& entry, std::byte* at) { std::memcpy(at, entry.data, entry.bytes); });
}

// |got - wanted| <= bound of the greatest |wanted|
template <class T>
void near(const T* got, const T* wanted, i64 count, f64 bound) {
  f64 most = 0;
  for (i64 i = 0; i < count; ++i) most = std::fmax(most, std::abs(static_cast<f64>(wanted[i])));
  for (i64 i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK(std::abs(static_cast<f64>(got[i]) - static_cast<f64>(wanted[i])) <= bound * most);
  }
}
template <class T, class M, class Device>
void compare(Model<M, Device>& model, const std::string& prefix, bool parameters, f64 bound) {
  each_tensor(model, prefix, parameters, [&](const auto& entry, const std::byte* at) {
    if (entry.dtype == DType::i64)
      CHECK(std::memcmp(at, entry.data, entry.bytes) == 0);
    else
      near(reinterpret_cast<const T*>(at), reinterpret_cast<const T*>(entry.data),
           static_cast<i64>(entry.bytes / sizeof(T)), bound);
  });
}

template <class Net, class X, class Y>
void train_doubles(const std::string& name, X, Y) {
  auto trainer = make_trainer<Net>(
      test_device(), [](const auto& m, auto x, auto upstream) { return sum<>(m(x) * upstream); }, X{}, Y{},
      optim::SGD{.lr = 0x1p-4f});
  start(trainer.model(), name + ".f64.start.");
  const auto* x = values<typename X::dtype>(reference(), name + ".x");
  for (int step = 0; step < 3; ++step) trainer.step(x, values<f64>(reference(), name + ".upstream"));
  compare<f64>(trainer.model(), name + ".f64.after.", true, 1e-11);
}

// A pass in training mode, which moves the buffers, then one by them. PyTorch's own error against f64 is what
// the result's may be, give or take the rounding of its last operation.
template <class Net, class X>
void run_halves(const std::string& name, X) {
  Model<Net, TestDevice> model(test_device());
  start(model, name + ".bf16.start.");
  std::vector<typename X::dtype> x(static_cast<std::size_t>(X::shape::size));
  if constexpr (std::is_same_v<typename X::dtype, bf16>) {
    const f64* exact = values<f64>(reference(), name + ".x");
    for (bf16& e : x) e = bf16(static_cast<f32>(*exact++));
  } else {
    std::memcpy(x.data(), values<typename X::dtype>(reference(), name + ".x"), x.size() * sizeof(x[0]));
  }
  const auto forward = [](const auto& m, auto e) { return m(e); };
  auto train = compile(model, forward, X{}, mode::train);
  (void)train(x);
  compare<bf16>(model, name + ".bf16.after.", false, 0x1p-7);
  each_tensor(model, name + ".bf16.after.", false,
              [](const auto& entry, std::byte* at) { std::memcpy(at, entry.data, entry.bytes); });
  auto evaluate = compile(model, forward, X{});
  const std::vector<bf16> y = evaluate(x).to_vector();
  const auto* exact = values<f64>(reference(), name + ".bf16.exact_y");
  const auto* theirs = values<bf16>(reference(), name + ".bf16.eval_y");
  f64 most = 0, own = 0, other = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    most = std::fmax(most, std::abs(exact[i]));
    own = std::fmax(own, std::abs(static_cast<f64>(y[i]) - exact[i]));
    other = std::fmax(other, std::abs(static_cast<f64>(theirs[i]) - exact[i]));
  }
  CAPTURE(own);
  CAPTURE(other);
  CHECK(own <= other + 0x1p-8 * most);
}

}  // namespace

TEST_CASE("layer dtypes: layers of doubles train as PyTorch's, to the rounding of doubles") {
  train_doubles<Image<f64>>("Image", in<f64, 3, 4, 8, 8>, in<f64, 3, 4, 16, 16>);
  train_doubles<Text<f64>>("Text", in<i64, 2, 5>, in<f64, 2, 5, 8>);
}

TEST_CASE("layer dtypes: layers of bf16 compute and keep statistics as PyTorch's") {
  run_halves<Image<bf16>>("Image", in<bf16, 3, 4, 8, 8>);
  run_halves<Text<bf16>>("Text", in<i64, 2, 5>);
}
