// What a training step leaves on the GPU, beside the host: Muon's products, an average of the weights, batch
// statistics, a weighted loss; the search of L-BFGS; metrics that add up on the device.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "weft/nn/metric.hpp"
#include "weft/nn/tied.hpp"
#include "weft/train/lbfgs.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<8, 24, true, f32, nn::init::Orthogonal<>, nn::init::TruncNormal<>> fc1{};
  nn::BatchNorm1d<24> norm{};
  nn::Linear<24, 4> fc2{};
  constexpr auto operator()(auto x) const { return fc2(nn::Mish{}(norm(fc1(x)))); }
};
// Of the compiler alone: nvcc tells some templates apart by their members only.
static_assert(nn::is_tied<nn::Tied<"wte.weight">> && !nn::is_tied<Net>);
struct Metrics {
  nn::Accuracy accuracy{};
  nn::ConfusionMatrix<4> matrix{};
};

struct Batch {
  std::vector<f32> x;
  std::vector<i32> y;
  Batch() : x(256), y(32) {
    for (int i = 0; i < 256; ++i) x[static_cast<std::size_t>(i)] = static_cast<f32>(i * 37 % 101) / 50 - 1;
    for (int i = 0; i < 32; ++i) y[static_cast<std::size_t>(i)] = i % 5 == 4 ? -100 : i * 7 % 4;
  }
};

template <class Device>
auto muon(const Device& device) {
  return make_trainer<Net>(
      device, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y, {.label_smoothing = 0.1}); },
      in<f32, 32, 8>, in<i32, 32>,
      optim::groups(optim::no_decay(is_vector), optim::ema(optim::Muon{.lr = 0.02f}, 0.5f)), clip::norm(1),
      seed{4});
}
template <class Device>
auto lbfgs(const Device& device) {
  return make_trainer<Net>(
      device, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 8>,
      in<i32, 32>, optim::LBFGS{.lr = 0.1f, .max_iter = 3}, seed{4});
}

// The loss scale and the count of updates are state of one element, which kernels of their own update in
// place.
template <class Device>
auto scaled(const Device& device) {
  return make_trainer<Net>(
      device, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 8>,
      in<i32, 32>, optim::AdamW{.lr = 1e-2f}, accumulate<2>, clip::norm(1.0f), precision::f16, seed{4});
}

}  // namespace

TEST_CASE("training: Muon with an average follows the host") {
  const Batch batch;
  auto host = muon(Cpu{1});
  auto device = muon(Cuda{0});
  for (int step = 0; step < 10; ++step) {
    const float a = host.step(batch.x, batch.y), b = device.step(batch.x, batch.y);
    CHECK(b == doctest::Approx(a).epsilon(1e-3));
  }
  auto a = host.average();
  auto b = device.average();
  const auto wanted = a.get<"fc1.weight">().to_vector(), got = b.get<"fc1.weight">().to_vector();
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-3);
}

TEST_CASE("training: f16 with gathered gradients follows the host") {
  const Batch batch;
  auto host = scaled(Cpu{1});
  auto device = scaled(Cuda{0});
  for (int step = 0; step < 6; ++step) {
    const float a = host.step(batch.x, batch.y), b = device.step(batch.x, batch.y);
    CHECK(b == doctest::Approx(a).epsilon(1e-2));
  }
}

TEST_CASE("training: L-BFGS follows the host") {
  const Batch batch;
  auto host = lbfgs(Cpu{1});
  auto device = lbfgs(Cuda{0});
  for (int step = 0; step < 3; ++step)
    CHECK(device.step(batch.x, batch.y) == doctest::Approx(host.step(batch.x, batch.y)).epsilon(1e-3));
  CHECK(device.evaluations() == host.evaluations());
}

TEST_CASE("training: checkpoints go from the host to the GPU and back") {
  const Batch batch;
  const char* const path = "cuda_checkpoint_test.safetensors";
  auto host = muon(Cpu{1}), other = muon(Cpu{1});
  auto device = muon(Cuda{0});
  for (int step = 0; step < 3; ++step) host.step(batch.x, batch.y);
  host.save(path);
  CHECK(device.load(path).notes.empty());
  CHECK(device.steps() == 3);
  CHECK(static_cast<f32>(device.step(batch.x, batch.y)) ==
        doctest::Approx(static_cast<f32>(host.step(batch.x, batch.y))).epsilon(1e-3));
  device.save(path);
  other.load(path);
  CHECK(other.steps() == 4);
  CHECK(static_cast<f32>(device.step(batch.x, batch.y)) ==
        doctest::Approx(static_cast<f32>(other.step(batch.x, batch.y))).epsilon(1e-3));
  auto search = lbfgs(Cpu{1});
  auto there = lbfgs(Cuda{0});
  CHECK_THROWS_AS(search.load(path), Error);
  search.step(batch.x, batch.y);
  search.save(path);
  there.load(path);
  CHECK(there.step(batch.x, batch.y) == doctest::Approx(search.step(batch.x, batch.y)).epsilon(1e-3));
  std::remove(path);
}

TEST_CASE("training: a step does not wait for its loss, and each of the last 64 can be read") {
  const Batch batch;
  auto host = muon(Cpu{1});
  auto device = muon(Cuda{0});
  std::vector<weft::StepLoss> losses;
  for (int step = 0; step < 70; ++step) losses.push_back(device.step(batch.x, batch.y));
  for (int step = 0; step < 70; ++step) {
    const float wanted = host.step(batch.x, batch.y);
    if (step >= 6)
      CHECK(losses[static_cast<std::size_t>(step)] == doctest::Approx(wanted).epsilon(0.02));
    else
      CHECK_THROWS_AS(losses[static_cast<std::size_t>(step)].value(), const Error&);
  }
}

TEST_CASE("training: what one thread starts is in order, from program to program and after a step") {
  auto longer = compile(
      Cuda{0}, [](auto a) { return matmul(a, matmul(a, a)); }, in<f32, 512, 512>);
  auto add = compile(
      Cuda{0}, [](auto a) { return a + 1; }, in<f32, 512, 512>);
  std::vector<f32> x(512 * 512, 0);
  for (std::size_t i = 0; i < 512; ++i) x[513 * i] = 2;  // twice the identity
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = add(longer(x)).to_vector();
    CHECK(y[0] == 9);
    CHECK(y[1] == 1);
  }
  const Batch batch;
  auto device = muon(Cuda{0});
  auto bias = compile(device.model(), [](const auto& m) { return m.fc2.bias + 0; });
  for (int step = 0; step < 20; ++step) {
    device.step(batch.x, batch.y);
    CHECK(bias().to_vector() == device.model().get<"fc2.bias">().to_vector());
  }
}

TEST_CASE("training: tf32 rounds the factors of a product, f32 does not") {
  auto product = [](auto a, auto b) { return matmul(a, b); };
  auto exact = compile(Cuda{0}, product, in<f32, 64, 128>, in<f32, 128, 64>);
  auto rounded = compile(Cuda{0}, product, in<f32, 64, 128>, in<f32, 128, 64>, precision::tf32);
  auto host = compile(Cpu{1}, product, in<f32, 64, 128>, in<f32, 128, 64>);
  std::vector<f32> a(64 * 128), b(128 * 64);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<f32>(i * 37 % 1009) / 1009;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<f32>(i * 53 % 997) / 997;
  const auto wanted = host(a, b).to_vector(), full = exact(a, b).to_vector(),
             less = rounded(a, b).to_vector();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(full[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
    CHECK(less[i] == doctest::Approx(wanted[i]).epsilon(1e-2));  // 2 factors of relative error 2^-11
  }
  CHECK(less != full);
}

TEST_CASE("training: metrics add up on the device") {
  const Batch batch;
  Model<Metrics, Cuda> metrics(Cuda{0});
  auto add = compile(
      metrics,
      [](const auto& m, auto logits, auto labels) {
        m.matrix(logits, labels);
        return m.accuracy(logits, labels);
      },
      in<f32, 32, 4>, in<i32, 32>);
  auto read = compile(metrics, [](const auto& m) {
    return std::tuple{m.accuracy.value(), m.matrix.value()};
  });
  std::vector<f32> logits(128, 0);
  for (std::size_t i = 0; i < 32; ++i) logits[4 * i + (i % 3)] = 1;
  add(logits, batch.y);
  add(logits, batch.y);
  const auto [accuracy, matrix] = read();
  int hits = 0, all = 0;
  for (std::size_t i = 0; i < 32; ++i)
    if (batch.y[i] >= 0) ++all, hits += batch.y[i] == static_cast<i32>(i % 3) ? 1 : 0;
  CHECK(accuracy.to_vector()[0] == doctest::Approx(static_cast<double>(hits) / all));
  i64 total = 0;
  for (i64 count : matrix.to_vector()) total += count;
  CHECK(total == 2 * all);
}

TEST_CASE("training: two threads make trainers, train and read at the same time") {
  const Batch batch;
  const auto work = [&](std::vector<f32>& losses) {
    for (int made = 0; made < 8; ++made) {
      auto device = muon(Cuda{0});
      for (int step = 0; step < 3; ++step) losses.push_back(device.step(batch.x, batch.y));
      losses.push_back(device.model().get<"fc2.bias">().to_vector()[0]);
    }
  };
  std::vector<f32> alone, first, second;
  work(alone);
  std::string failed;
  const auto kept = [&](std::vector<f32>& losses) {
    try {
      work(losses);
    } catch (const Error& error) {
      failed = error.what();
    }
  };
  std::thread other([&] { kept(second); });
  kept(first);
  other.join();
  INFO(failed);
  CHECK(failed.empty());
  CHECK(first == alone);
  CHECK(second == alone);
}

TEST_CASE("training: on the second GPU") {
  if (cuda_device_count() < 2) return;
  const Batch batch;
  auto first = muon(Cuda{0}), second = muon(Cuda{1});
  for (int step = 0; step < 3; ++step)
    CHECK(static_cast<f32>(first.step(batch.x, batch.y)) == static_cast<f32>(second.step(batch.x, batch.y)));
  CHECK(first.model().get<"fc1.weight">().to_vector() == second.model().get<"fc1.weight">().to_vector());
}

namespace {

struct Block8 {
  nn::LayerNorm<16> norm{};
  nn::Linear<16, 32> up{};
  nn::Linear<32, 16> down{};
  constexpr auto operator()(auto x) const { return x + down(relu(up(norm(x)))); }
};
struct Net8 {
  nn::Linear<8, 16> in{};
  nn::Stack<Block8, 2> h{};
  nn::Linear<16, 4> head{};
  constexpr auto operator()(auto x) const { return head(h(in(x))); }
};
template <class Device>
auto in_8_bits(const Device& device) {
  return make_trainer<Net8>(
      device, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 8>,
      in<i32, 32>, optim::AdamW{.lr = 1e-2f}, precision::f8, seed{4});
}

}  // namespace

TEST_CASE("training: f8 follows the host, and goes on there with the same scales") {
  const Batch batch;
  auto host = in_8_bits(Cpu{1});
  auto device = in_8_bits(Cuda{0});
  for (int step = 0; step < 5; ++step) {
    const float a = host.step(batch.x, batch.y), b = device.step(batch.x, batch.y);
    CHECK(b == doctest::Approx(a).epsilon(2e-2));
  }
  const std::string path = "f8_from_gpu.safetensors";
  device.save(path);
  const io::Safetensors saved(path);
  const f32 scale = *reinterpret_cast<const f32*>(saved.at("f8.scale.input.h.1.down.weight").data);
  CHECK(scale > 1);
  CHECK(host.load(path).notes.empty());
  const float a = host.step(batch.x, batch.y), b = device.step(batch.x, batch.y);
  CHECK(b == doctest::Approx(a).epsilon(2e-2));
  std::remove(path.c_str());
}
