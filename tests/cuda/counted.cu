// What the kernels of a GPU ask of memory, counted on the software device (tests/softgpu): sectors that are
// asked for once, no conflicts between banks, few instructions. A GPU counts nothing: there these tests only
// run.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "softgpu/launch_records.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

using Record = softgpu::LaunchRecord;

// The launches of run(), which waits for them; none on a GPU.
template <class F>
std::vector<Record> counted(F run) {
  const softgpu::LaunchRecords* const device = softgpu::launch_records();
  if (device != nullptr) device->start();
  run();
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (device == nullptr) return {};
  std::size_t count = 0;
  const Record* const launches = device->stop(&count);
  return {launches, launches + count};
}
// Those of one call of f on inputs of zeros, without what only the first call does.
template <class F, class... I>
std::vector<Record> counted_function(F, I...) {
  exec::CudaProgram<exec::Compiled<exec::FunctionSource<F, I...>>> program(Cuda{}, {});
  int number = 0;
  const auto bind = [&]<class In>(std::type_identity<In>) {
    const Tensor<typename In::dtype, typename In::shape, Cuda> x;
    program.bind_input(number++, x.data());
    program.wait();
  };
  (bind(std::type_identity<I>{}), ...);
  program.run();
  program.wait();
  return counted([&] {
    program.run();
    program.wait();
  });
}

std::uint64_t instructions(const Record& r, const std::string& kind) {
  for (int k = 0; k < Record::classes; ++k)
    if (softgpu::launch_records()->class_names[k] == kind) return r.instructions[k];
  FAIL("no such class");
  return 0;
}
std::uint64_t instructions(const Record& r) {
  std::uint64_t all = 0;
  for (const std::uint64_t n : r.instructions) all += n;
  return all;
}
bool is(const Record& r, const char* kernel) { return std::string(r.name).find(kernel) != std::string::npos; }
double ratio(std::uint64_t asked, std::uint64_t distinct) {
  return distinct == 0 ? 1.0 : static_cast<double>(asked) / static_cast<double>(distinct);
}
// Of the launches of fused kernels: what they ask for beyond what they touch.
void check_sectors(const std::vector<Record>& launches, double loads, double stores) {
  for (const Record& r : launches) {
    if (!is(r, "fused_kernel")) continue;
    CAPTURE(r.name);
    CAPTURE(r.threads);
    CHECK(ratio(r.sectors_loaded, r.distinct_loaded) <= loads);
    CHECK(ratio(r.sectors_stored, r.distinct_stored) <= stores);
    CHECK(r.bank_conflicts == 0);
    CHECK(r.local_bytes == 0);
  }
}

struct Layers {
  nn::Linear<64, 128> fc1{};
  nn::Linear<128, 64> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

}  // namespace

TEST_CASE("counted: an optimiser's update stores 16 bytes a thread at once") {
  auto trainer = make_trainer<Layers>(
      Cuda{}, [](const auto& m, auto x) { return mean(m(x)); }, in<f32, 32, 64>,
      optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f});
  const std::vector<float> x(32 * 64, 0.5f);
  trainer.step(x);
  const auto launches = counted([&] { trainer.step(x); });
  const Record* update = nullptr;
  for (const Record& r : launches)
    if (is(r, "fused_kernel") && (update == nullptr || r.sectors_stored > update->sectors_stored))
      update = &r;
  if (softgpu::launch_records() == nullptr) return;
  REQUIRE(update != nullptr);
  CHECK(update->distinct_stored >= 3 * (64 * 128 + 128 * 64) * 4 / 32);
  CHECK(ratio(update->sectors_stored, update->distinct_stored) <= 1.05);
}

TEST_CASE("counted: numbers of 16 bits become floats and back by the GPU's own instructions") {
  const auto launches =
      counted_function([](auto x, auto y) { return x * y; }, in<bf16, 64, 4096>, in<bf16, 64, 4096>);
  for (const Record& r : launches) {
    CHECK(ratio(r.sectors_loaded, r.distinct_loaded) == 1);
    // 8 elements a thread: a product each, a conversion a pair
    const double values = 64 * 4096 / 8 / 32;
    CHECK(static_cast<double>(instructions(r, "convert")) / values <= 15);
    CHECK(static_cast<double>(instructions(r)) / values <= 120);
  }
  REQUIRE((softgpu::launch_records() == nullptr || launches.size() == 1));
}

TEST_CASE("counted: sums along rows that are wider than a block ask for every sector once") {
  check_sectors(counted_function([](auto x) { return sum<0>(x); }, in<f32, 2048, 3072>), 1.01, 1.01);
  check_sectors(counted_function(
                    [](auto x, auto y) {
                      return std::tuple{sum<0>(x * y), sum<0>(y)};
                    },
                    in<bf16, 512, 5000>, in<f32, 512, 5000>),
                1.05, 1.01);
  check_sectors(counted_function(
                    [](auto x, auto g) {
                      return std::tuple{where(x > 0.0f, g, 0.0f), sum<0>(g)};
                    },
                    in<f32, 256, 3072>, in<f32, 256, 3072>),
                1.01, 1.01);
}

TEST_CASE("counted: narrow rows share a block") {
  const auto launches =
      counted_function([](auto x) { return permute<0, 2, 1, 3>(x) * 2.0f; }, in<f32, 8, 64, 12, 16>);
  check_sectors(launches, 1.01, 1.01);
  for (const Record& r : launches) CHECK(r.lanes >= 30 * instructions(r));
  check_sectors(counted_function([](auto x) { return sum<0>(x); }, in<f32, 4096, 40>), 1.01, 1.05);
}

TEST_CASE("counted: long rows are read once, odd ones too") {
  const auto both_ways = [](auto x, auto target) {
    return value_and_grad([](auto logits, auto t) { return cross_entropy(logits, t); })(x, target);
  };
  const auto launches = counted_function(both_ways, in<f32, 16, 50257>, in<i32, 16>);
  check_sectors(launches, 1.15, 1.15);
  std::uint64_t most = 0;
  for (const Record& r : launches) most = std::max(most, r.most_in_flight);
  CHECK((launches.empty() || most >= 32));
  check_sectors(counted_function(SoftmaxOp<-1>{}, in<f32, 64, 4096>), 1.05, 1.01);
  check_sectors(counted_function(SoftmaxOp<-1>{}, in<bf16, 64, 16384>), 1.05, 1.01);
  check_sectors(counted_function(SoftmaxOp<-1>{}, in<bf16, 16, 50257>), 1.15, 1.15);
  check_sectors(counted_function([](auto x) { return x * 2.0f; }, in<f32, 64, 1001>), 1.15, 1.15);
}

TEST_CASE("counted: what is joined is asked for once, each operand where it lies") {
  const auto launches = counted_function(
      [](auto q, auto k, auto v) {
        const auto rows = [](auto x) { return reshape<2, 64, 512>(permute<0, 2, 1, 3>(x)); };
        return concat<2>(rows(q), rows(k), rows(v));
      },
      in<bf16, 2, 8, 64, 64>, in<bf16, 2, 8, 64, 64>, in<bf16, 2, 8, 64, 64>);
  check_sectors(launches, 1.05, 1.01);
}

TEST_CASE("counted: convolutions go to tensor cores, and their memory to all banks") {
  const auto both_ways = [](auto x, auto w, auto g) {
    const auto [dx, dw] = grad<0, 1>([](auto x_, auto w_, auto g_) {
      return sum(conv2d<ConvOptions{.padding = 1}>(x_, w_) * g_);
    })(x, w, g);
    return std::tuple{conv2d<ConvOptions{.padding = 1}>(x, w), dx, dw};
  };
  const auto launches =
      counted_function(both_ways, in<bf16, 8, 64, 16, 16>, in<bf16, 64, 64, 3, 3>, in<bf16, 8, 64, 16, 16>);
  std::uint64_t tensor = 0;
  for (const Record& r : launches) {
    CAPTURE(r.name);
    CHECK(!is(r, "conv_tile"));
    CHECK(!is(r, "conv_direct"));
    if (!is(r, "conv_")) continue;
    CHECK(r.bank_conflicts * 100 <= r.shared_accesses);
    CHECK(r.local_bytes == 0);
    CHECK(ratio(r.sectors_stored, r.distinct_stored) <= 1.05);
    if (is(r, "conv_pack") && r.distinct_loaded > 4096)  // of images
      CHECK(ratio(r.sectors_loaded, r.distinct_loaded) <= 1.05);
    if (is(r, "conv_mma")) tensor += instructions(r, "tensor");
  }
  // what the three products need, of 16 x 8 sums and 16 deep; edges of tiles are nobody's
  const std::uint64_t needed = 3 * (64 / 16) * (8 * 16 * 16 / 8) * (64 * 9 / 16);
  if (!launches.empty()) CHECK(tensor >= needed);
  if (!launches.empty()) CHECK(static_cast<double>(tensor) <= 1.05 * static_cast<double>(needed));
}

TEST_CASE("counted: attention multiplies the tiles that are left, and reads keys and values once for each") {
  constexpr i64 heads = 2, length = 512, width = 64, tile = 64;
  constexpr auto one = in<bf16, 1, heads, length, width>;
  const auto both_ways = [](auto q, auto k, auto v, auto g) {
    const auto attend = [](auto q_, auto k_, auto v_) {
      return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q_, k_, v_);
    };
    const auto [dq, dk, dv] = grad<0, 1, 2>(
        [attend](auto q_, auto k_, auto v_, auto g_) { return sum<>(attend(q_, k_, v_) * g_); })(q, k, v, g);
    return std::tuple{attend(q, k, v), dq, dk, dv};
  };
  const auto launches = counted_function(both_ways, one, one, one, one);
  // of a causal order's tiles, and what a product of one takes: 16 x 8 sums, 16 deep
  const std::uint64_t row = length / tile, left = heads * row * (row + 1) / 2;
  const std::uint64_t product = tile * tile * width / (16 * 8 * 16);
  const std::uint64_t whole = heads * length * width * sizeof(bf16) / 32,
                      part = tile * width * sizeof(bf16) / 32;
  std::uint64_t products = 0, kernels = 0;
  for (const Record& r : launches) {
    if (!is(r, "attention_kernel") && !is(r, "attention_gradient_kernel")) continue;
    CAPTURE(r.name);
    ++kernels;
    CHECK(r.bank_conflicts == 0);
    CHECK(r.local_bytes == 0);
    const std::uint64_t tensor = instructions(r, "tensor");
    products += tensor / product;
    CHECK(tensor % (left * product) == 0);
    // queries, or keys and values, once; the others for each tile; sums of rows beside them
    const std::uint64_t once = tensor == 2 * left * product ? 1 : 2;
    CHECK(r.sectors_loaded <= 1.1 * static_cast<double>(once * whole + 2 * left * part));
  }
  if (launches.empty()) return;
  CHECK(kernels == 3);
  CHECK(products == (2 + 3 + 4) * left);
}

TEST_CASE("counted: rows that are alike are read once for many") {
  const auto both_ways = [](auto x, auto w, auto b, auto g) {
    return value_and_grad<0, 1, 2>(
        [](auto x_, auto w_, auto b_, auto g_) { return sum<>(layer_norm(x_, w_, b_) * g_); })(x, w, b, g);
  };
  const auto norm =
      counted_function(both_ways, in<f32, 16384, 1024>, in<f32, 1024>, in<f32, 1024>, in<f32, 16384, 1024>);
  check_sectors(norm, 1.05, 1.01);
  for (const Record& r : norm)
    if (is(r, "fused_kernel") && r.grid > 1) CHECK(r.most_in_flight >= 32);
}
