// Work and memory handed over between weft and other code of the same GPU: events, DLPack, and what is said
// when a kernel takes the GPU from the process.

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/error_of.hpp"
#include "weft/dlpack.hpp"
#include "weft/weft.hpp"

namespace nn = weft::nn;
using namespace weft;
using weft::testing::error_of;
using weft::testing::said;

namespace {

constexpr i64 size = 4096;

__global__ void fill(float* x, float value, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = value + static_cast<float>(i % 64);
}
__global__ void stop() { __trap(); }

// What this program says when one of its cases runs alone, in a process of its own.
std::string output_of_case(const std::string& name) {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  REQUIRE(length > 0);
  std::FILE* const pipe =
      ::popen(("'" + std::string(path.data()) + "' --no-skip --test-case='" + name + "' 2>&1").c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

// A pool of the caller's: pieces of one block, none of which is used twice.
class Pool final : public CudaAllocator {
 public:
  explicit Pool(std::size_t bytes) : block_(bytes) {}
  void* allocate(std::size_t bytes) override {
    const std::size_t begin = used_;
    if (begin + bytes > block_.size()) return nullptr;
    used_ = (begin + bytes + 255) / 256 * 256;
    ++taken;
    return block_.data() + begin;
  }
  void release(void* data, std::size_t) noexcept override {
    given_back += data >= block_.data() && data < block_.data() + block_.size() ? 1 : 0;
  }
  bool has(const void* data) const { return data >= block_.data() && data < block_.data() + block_.size(); }
  int taken = 0, given_back = 0;

 private:
  DeviceBuffer block_;
  std::size_t used_ = 0;
};

struct Net {
  nn::Linear<64, 64> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Deep {
  nn::Linear<64, 96> in{};
  nn::Linear<96, 64> out{};
  constexpr auto operator()(auto x) const { return out(gelu(in(x))); }
};

// A block that is lent, in parts that follow each other. Numbers that nobody may find lie in all of it and,
// behind each part, 256 bytes that nobody may write.
class Lent {
 public:
  explicit Lent(std::vector<i64> parts) : parts_(std::move(parts)), block_(begin(parts_.size())) {
    cuda_check(cudaMemsetAsync(block_.data(), rubbish, block_.size(), cudaStreamPerThread),
               "cudaMemsetAsync");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  std::byte* part(std::size_t k) { return block_.data() + begin(k); }
  bool has(const void* data, std::size_t k) { return data >= part(k) && data < part(k) + parts_[k]; }
  // Whether part k has been used, and nothing behind it.
  bool used_within(std::size_t k) {
    std::vector<unsigned char> seen(begin(k + 1) - begin(k));
    exec::copy_now(seen.data(), part(k), static_cast<i64>(seen.size()));
    bool within = false;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == rubbish) continue;
      if (static_cast<i64>(i) >= parts_[k]) return false;
      within = true;
    }
    return within;
  }

 private:
  static constexpr int rubbish = 0xff;  // NaN
  std::size_t begin(std::size_t k) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < k; ++i) bytes += (static_cast<std::size_t>(parts_[i]) + 511) / 256 * 256;
    return bytes;
  }

  std::vector<i64> parts_;
  DeviceBuffer block_;
};

auto deep_trainer(Model<Deep, Cuda>& model, const lend& lent) {
  return make_trainer(
      model, [](const auto& m, auto x, auto y) { return mse_loss(dropout(m(x), 0.1f), y); }, in<f32, 8, 64>,
      in<f32, 8, 64>, optim::AdamW{.lr = 1e-2f}, clip::norm(1.0f), precision::bf16, accumulate<2>, seed{3},
      lent);
}

}  // namespace

TEST_CASE("cuda handover: a call waits for an event, and its own event is waited for") {
  const Stream theirs, ours;
  const Cuda device{0, ours.get()};
  Tensor<f32, Shape<size>, Cuda> x(device), y(device);
  auto f = compile(
      device, [](auto a) { return a * 2 + 1; }, in<f32, size>);
  std::vector<f32> seen(size);
  for (int round = 0; round < 3; ++round) {
    // x is written and y is read in their stream, with no wait of the host between
    fill<<<size / 256, 256, 0, theirs.get()>>>(x.data(), static_cast<float>(round), size);
    Event written;
    // [events]
    written.record(theirs.get());                    // a weft::Event or a cudaEvent_t, of any stream and GPU
    f.after(written).into(y)(x);                     // what f launches from now on runs behind it
    cudaStreamWaitEvent(theirs.get(), f.done(), 0);  // f.done(): behind all that f has launched
    // [/events]
    cuda_check(
        cudaMemcpyAsync(seen.data(), y.data(), size * sizeof(f32), cudaMemcpyDeviceToHost, theirs.get()),
        "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(theirs.get()), "cudaStreamSynchronize");
    for (std::size_t i = 0; i < size; ++i)
      REQUIRE(seen[i] == (static_cast<f32>(round) + static_cast<f32>(i % 64)) * 2 + 1);
  }
}

TEST_CASE(
    "cuda handover: what reads a result in another stream runs behind what writes it, and before it is "
    "written anew") {
  const Stream theirs, ours;
  const Cuda here{0, ours.get()}, there{0, theirs.get()};
  auto f = compile(
      here, [](auto a) { return a * 2 + 1; }, in<f32, size>);
  auto g = compile(
      there, [](auto a) { return a + 3; }, in<f32, size>);
  for (int round = 0; round < 4; ++round) {
    const auto first = static_cast<f32>(round);
    const Tensor<f32, Shape<size>, Cuda> x(std::vector<f32>(size, first), here);
    auto r = f(x);
    auto s = g(r);              // in another stream
    const Tensor z = r + 1.0f;  // and in this thread's
    auto again = f(r);          // moves r
    auto t = g(r);
    if (round == 2) r = f(x);  // what g has read goes
    const auto last = f(x);
    CHECK(s.to_vector()[70] == first * 2 + 4);
    CHECK(t.to_vector()[70] == first * 2 + 4);
    CHECK(z.to_vector()[size - 1] == first * 2 + 2);
    CHECK(again.to_vector()[70] == first * 4 + 3);
    CHECK(r.to_vector()[5] == first * 2 + 1);
    CHECK(last.to_vector()[5] == first * 2 + 1);
  }
}

TEST_CASE(
    "cuda handover: a tensor that results are written to is read by other streams, and the host waits for "
    "none") {
  const Stream theirs, ours;
  auto f = compile(
      Cuda{0, ours.get()}, [](auto a) { return a * 2; }, in<f32, size>);
  auto g = compile(
      Cuda{0, theirs.get()}, [](auto a) { return a + 1; }, in<f32, size>);
  Tensor<f32, Shape<size>, Cuda> x(std::vector<f32>(size, 3), Cuda{0, ours.get()}), y, z;
  for (int round = 0; round < 4; ++round) {
    f.into(y)(x);
    g.into(z)(y);
    f.into(y)(z);  // behind g, which reads y
    g.into(x)(y);
    f.into(z)(x);  // z was read by f
  }
  // x -> 4 x + 3 in each round
  CHECK(x.to_vector()[70] == 3 * 256 + 255);
  CHECK(z.to_vector()[70] == 2 * (3 * 256 + 255));
}

TEST_CASE(
    "cuda handover: in the caller's capture results are written to tensors of the device, and to no others") {
  const Stream stream;
  const Cuda device{0, stream.get()};
  const auto plus = [](auto a) { return a + 1; };
  auto f = compile(device, plus, in<f32, size>);
  Tensor<f32, Shape<size>, Cuda> x(std::vector<f32>(size, 1), device), y(device);
  std::vector<f32> host(size);
  std::string to_host, made;
  const GraphExec graph = GraphExec::capture(stream.get(), [&](cudaStream_t) {
    f.into(y)(x);
    f.into(x)(y);
    to_host = error_of([&] { f.into(host)(x); });
    made = error_of([&] { compile(device, plus, in<f32, size>); });
  });
  CHECK(to_host == "cuda/capture");
  CHECK(made == "cuda/capture");
  for (int round = 0; round < 3; ++round) graph.launch(stream.get());
  CHECK(y.to_vector()[70] == 6);
  CHECK(x.to_vector()[70] == 7);
}

TEST_CASE("cuda handover: a trainer's step waits for an event, and hands one out") {
  const Stream theirs, ours;
  const Cuda device{0, ours.get()};
  Tensor<f32, Shape<8, 64>, Cuda> x(device);
  const auto train = [&](bool events) {
    auto trainer = make_trainer<Net>(
        device, [](const auto& m, auto a) { return mean<>(square(m(a))); }, in<f32, 8, 64>,
        optim::SGD{.lr = 0.1f}, seed{3});
    for (int step = 0; step < 3; ++step) {
      fill<<<2, 256, 0, theirs.get()>>>(x.data(), static_cast<float>(step) / 8, 8 * 64);
      if (events) {
        Event written;
        written.record(theirs.get());
        trainer.after(written.get()).step(x);
        cuda_check(cudaStreamWaitEvent(theirs.get(), trainer.done(), 0), "cudaStreamWaitEvent");
      } else {
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        trainer.step(x);
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      }
    }
    return trainer.model().template get<"fc.weight">().to_vector();
  };
  CHECK(train(true) == train(false));
}

TEST_CASE(
    "cuda handover: a tensor of the GPU goes through DLPack, and its stream's work before the consumer's") {
  const Stream theirs;
  Tensor<f32, Shape<64, 64>, Cuda> x(std::vector<f32>(64 * 64, 3));
  dlpack::ManagedTensor* const p = to_dlpack(x);
  CHECK(p->dl_tensor.data == x.data());
  CHECK(p->dl_tensor.device.type == dlpack::cuda);
  CHECK(p->dl_tensor.device.id == 0);
  CHECK(error_of([&] { from_dlpack<f32, Shape<64, 64>, Cpu>(p); }) == "dlpack/mismatch");
  fill<<<16, 256, 0, cudaStreamPerThread>>>(x.data(), 1, 64 * 64);
  hand_over(Cuda{}, theirs.get());
  std::vector<f32> seen(64 * 64);
  cuda_check(
      cudaMemcpyAsync(seen.data(), p->dl_tensor.data, seen.size() * 4, cudaMemcpyDeviceToHost, theirs.get()),
      "cudaMemcpyAsync");
  cuda_check(cudaStreamSynchronize(theirs.get()), "cudaStreamSynchronize");
  CHECK(seen[70] == 7);
  const auto back = from_dlpack<f32, Shape<64, 64>, Cuda>(p);
  auto f = compile(
      Cuda{}, [](auto a) { return a + 1; }, in<f32, 64, 64>);
  CHECK(f(back).to_vector()[70] == 8);

  // a result is copied, for its function would overwrite it
  dlpack::ManagedTensor* const result = to_dlpack(f(back));
  f(std::vector<f32>(64 * 64, 9));
  const auto kept = from_dlpack<const f32, Shape<64, 64>, Cuda>(result);
  CHECK(kept.to_vector()[70] == 8);
}

TEST_CASE("cuda handover: parameters are written, from the host and from the GPU") {
  Model<Net, Cuda> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 8, 64>);
  const std::vector<f32> x(8 * 64, 1.0f);
  f(x);
  std::vector<f32> steps(64);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<f32>(i);
  model.get<"fc.weight">() = 0;
  model.get<"fc.bias">() = steps;
  CHECK(f(x).to_vector()[63] == 63);
  model.get<"fc.bias">() *= 2;
  CHECK(f(x).to_vector()[63] == 126);
  const Tensor<f32, Shape<64>, Cuda> on_gpu(steps);
  model.get<"fc.bias">() = on_gpu;
  model.get<"fc.bias">() += on_gpu.view() * on_gpu;
  CHECK(model.get<"fc.bias">().to_vector()[63] == 63 + 63 * 63);
  model.get<"fc.bias">() = Tensor<f32, Shape<64>>(steps).view();
  CHECK(model.get<"fc.bias">().to_vector() == steps);
}

TEST_CASE("cuda handover: a model takes over another's values, and moves towards them with the host's bits") {
  Model<Net, Cuda> target(Cuda{0}, 1), source(Cuda{0}, 2);
  Model<Net> on_host(Cpu{}, 1);
  const Model<Net> towards(Cpu{}, 2);
  auto f = compile(
      target, [](const auto& m, auto x) { return m(x); }, in<f32, 8, 64>);
  const std::vector<f32> x(8 * 64, 1.0f);
  const std::vector<f32> before = f(x).to_vector();
  target.lerp(source, 0.25f);
  on_host.lerp(towards, 0.25f);
  CHECK(target.get<"fc.weight">().to_vector() == on_host.get<"fc.weight">().to_vector());
  CHECK(f(x).to_vector() != before);
  target.load(towards);
  CHECK(target.get<"fc.weight">().to_vector() == source.get<"fc.weight">().to_vector());
  on_host.load(target);
  CHECK(on_host.get<"fc.bias">().to_vector() == towards.get<"fc.bias">().to_vector());
}

TEST_CASE("cuda handover: memory comes from the caller's pool, and goes back to it") {
  Pool pool(std::size_t{8} << 20);
  const auto train = [](const Cuda& device) {
    auto trainer = make_trainer<Net>(
        device, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 8, 64>,
        optim::AdamW{.lr = 1e-2f}, seed{3});
    const Tensor<f32, Shape<8, 64>, Cuda> x(std::vector<f32>(8 * 64, 0.5f), device);
    for (int step = 0; step < 3; ++step) trainer.step(x);
    return trainer.model().template get<"fc.weight">().to_vector();
  };
  const std::vector<f32> expected = train(Cuda{});
  CHECK(pool.taken == 0);
  {
    const Cuda device{0, nullptr, &pool};
    CHECK(train(device) == expected);
    CHECK(pool.taken >= 4);  // the model, the optimiser's state, a program, a tensor
    CHECK(pool.given_back == pool.taken);
    const Tensor<f32, Shape<64>, Cuda> x(device);
    CHECK(pool.has(x.data()));
  }
  CHECK(pool.given_back == pool.taken);
  Pool none(256);
  const Cuda empty{0, nullptr, &none};
  CHECK(error_of([&] { Tensor<f32, Shape<65>, Cuda> x(empty); }) == "cuda/cudaErrorMemoryAllocation");
  CHECK(none.taken == none.given_back);
}

TEST_CASE("cuda handover: a function works in the memory lent to it, with the bits of one with its own") {
  const auto f = [](auto a, auto b) { return std::tuple{matmul(a, b), sum<1>(exp(a))}; };
  auto own = compile(Cuda{}, f, in<f32, 64, 96>, in<f32, 96, 64>);
  constexpr i64 bytes = decltype(own)::memory_bytes();
  static_assert(bytes > decltype(own)::workspace_bytes());
  Lent lent({bytes});
  {
    auto borrows = compile(Cuda{}, f, in<f32, 64, 96>, in<f32, 96, 64>, lend{.workspace = lent.part(0)});
    std::vector<f32> a(64 * 96), b(96 * 64);
    for (int call = 0; call < 4; ++call) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<f32>((i * 37 + static_cast<std::size_t>(call) * 5) % 101) / 50 - 1;
        b[i] = static_cast<f32>(i * 53 % 103) / 51 - 1;
      }
      const auto [product, sums] = borrows(a, b);
      CHECK(lent.has(product.data(), 0));
      CHECK(lent.has(sums.data(), 0));
      const auto [expected_product, expected_sums] = own(a, b);
      CHECK(!lent.has(expected_product.data(), 0));
      CHECK(product.to_vector() == expected_product.to_vector());
      CHECK(sums.to_vector() == expected_sums.to_vector());
    }
    CHECK(error_of([&] {
            compile(Cuda{}, f, in<f32, 64, 96>, in<f32, 96, 64>, lend{.optimizer = lent.part(0)});
          }) == "exec/lent");
  }
  CHECK(lent.used_within(0));
}

TEST_CASE("cuda handover: a model and its trainer work in memory lent to them, with the bits of their own") {
  using Made = decltype(deep_trainer(std::declval<Model<Deep, Cuda>&>(), lend{}));
  static_assert(Made::memory_bytes() > Made::workspace_bytes());
  std::vector<f32> x(8 * 64), y(8 * 64);
  const auto train = [&](void* state, const lend& lent) {
    Model<Deep, Cuda> model(Cuda{}, 5, state);
    auto trainer = deep_trainer(model, lent);
    std::vector<f32> all;
    for (int step = 0; step < 6; ++step) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<f32>((i * 37 + static_cast<std::size_t>(step) * 11) % 101) / 50 - 1;
        y[i] = static_cast<f32>(i * 29 % 97) / 48 - 1;
      }
      all.push_back(trainer.step(x, y));
    }
    for (const std::vector<f32>& weights :
         {model.get<"in.weight">().to_vector(), model.get<"out.bias">().to_vector()})
      all.insert(all.end(), weights.begin(), weights.end());
    return all;
  };
  const std::vector<f32> expected = train(nullptr, lend{});
  Lent lent({Made::memory_bytes(), Made::optimizer_bytes(), Model<Deep, Cuda>::state_bytes()});
  CHECK(train(lent.part(2), {.workspace = lent.part(0), .optimizer = lent.part(1)}) == expected);
  for (std::size_t k = 0; k < 3; ++k) CHECK(lent.used_within(k));
  CHECK(error_of([&] { train(nullptr, {.optimizer = lent.part(1) + 4}); }) == "cuda/misaligned");
}

TEST_CASE("cuda handover: a GPU that is lost is one error, whoever lost it") {
  const std::string text = output_of_case("cuda handover alone: lost");
  CAPTURE(text);
  CHECK(weft::testing::has(text, "first: cuda/lost"));
  CHECK(weft::testing::has(text, "then: cuda/lost"));
  CHECK(weft::testing::has(text, "cudaErrorLaunchFailure"));
}
TEST_CASE("cuda handover alone: lost" * doctest::skip()) {
  auto f = compile(
      Cuda{}, [](auto a) { return a + 1; }, in<f32, 64>);
  stop<<<1, 1, 0, cudaStreamPerThread>>>();
  const auto call = [&] { f(std::vector<f32>(64)).to_vector(); };
  std::printf("first: %s\n", said(call).c_str());
  std::printf("then: %s\n", error_of(call).c_str());
  std::fflush(stdout);
  ::_exit(0);  // what the GPU held cannot be given back
}
