#include <cuda_bf16.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/error_of.hpp"
#include "weft/device/best.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/cuda_buffer.cuh"
#include "weft/device/cuda_staging.cuh"
#include "weft/device/graph_exec.cuh"
#include "weft/kernels/gemm/cublaslt.cuh"
#include "weft/kernels/team/cuda.cuh"
#include "weft/kernels/team/emulated.hpp"

using namespace weft;
using weft::testing::error_of;
using namespace weft::kernels;

static_assert(std::is_same_v<best_device, Cuda>);
static_assert(Team<BlockTeam<32>> && Team<BlockTeam<1024>> && Team<EmulatedTeam>);

namespace {

bool no_gpu() {
  if (cuda_device_count() > 0) return false;
  MESSAGE("skipped: no CUDA device");
  return true;
}

std::vector<float> values(std::size_t count, u32 state) {
  std::vector<float> v(count);
  for (float& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<i32>(state)) / 2147483648.0f;
  }
  return v;
}

template <class T>
DeviceBuffer upload(const std::vector<T>& v, cudaStream_t stream) {
  DeviceBuffer buffer(v.size() * sizeof(T));
  cuda_copy(buffer.data(), v.data(), buffer.size(), stream);
  return buffer;
}

template <class T>
std::vector<T> download(const DeviceBuffer& buffer, cudaStream_t stream) {
  std::vector<T> v(buffer.size() / sizeof(T));
  cuda_copy(v.data(), buffer.data(), buffer.size(), stream);
  cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return v;
}

__global__ void add_one(int* x) { ++*x; }

struct Pair {
  float value;
  i32 index;
};
struct ArgMax {
  WEFT_HD Pair operator()(Pair a, Pair b) const {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

struct Reduced {
  float sum, prod, max, min, broadcast, reversed;
  double wide;
  Pair best;
  i32 shuffled[4];
};

// One body for the block and for its emulation.
template <class T>
WEFT_HD void reduce_body(T& team, const float* x, Reduced* out) {
  const int r = team.rank();
  const float v = x[r];
  Reduced& y = out[r];  // each result at once: held together they take more registers than 1,024 threads have
  y.sum = team.sum(v);
  y.prod = team.prod(1.0f + v / 64.0f);
  y.max = team.max(v);
  y.min = team.min(v);
  y.wide = team.sum(static_cast<double>(v));
  y.best = team.all_reduce(Pair{v, r}, ArgMax{});
  y.broadcast = team.broadcast(v, team.size() - 1);
  auto tile = team.template shared<float>(team.size());
  tile[r] = v;
  team.sync();
  y.reversed = tile[team.size() - 1 - r];
  y.shuffled[0] = team.shuffle_xor(r, 3);
  y.shuffled[1] = team.shuffle_down(r, 5);
  y.shuffled[2] = team.shuffle_up(r, 7);
  y.shuffled[3] = team.shuffle(r, 11);
}

template <int Threads>
__global__ void __launch_bounds__(Threads) reduce_kernel(const float* x, Reduced* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  BlockTeam<Threads> team(memory);
  reduce_body(team, x, out);
}

template <int Threads>
void check_block_team(cudaStream_t stream) {
  const std::vector<float> x = values(Threads, Threads);
  std::vector<Reduced> expected(Threads);
  std::memset(static_cast<void*>(expected.data()), 0, Threads * sizeof(Reduced));
  emulate_block(Threads, Threads * 4, 1,
                [&](EmulatedTeam& team) { reduce_body(team, x.data(), expected.data()); });
  const DeviceBuffer in = upload(x, stream);
  const DeviceBuffer out(Threads * sizeof(Reduced));
  cuda_zero(out.data(), out.size(), stream);
  reduce_kernel<Threads><<<1, Threads, Threads * 4, stream>>>(reinterpret_cast<const float*>(in.data()),
                                                              reinterpret_cast<Reduced*>(out.data()));
  cuda_check_launch("reduce_kernel");
  const auto got = download<Reduced>(out, stream);
  int different = 0;
  for (int i = 0; i < Threads; ++i) {
    const auto& a = got[static_cast<std::size_t>(i)];
    const auto& b = expected[static_cast<std::size_t>(i)];
    different += std::memcmp(&a, &b, sizeof a) != 0;
  }
  CHECK_MESSAGE(different == 0, Threads, " threads");
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }

double gelu_slope(double x) {
  const double t = std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.79788456080286536 * (1 + 3 * 0.044715 * x * x);
}

// Converts between what is stored and double.
template <class T>
T store(double x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
double load(T x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(__bfloat162float(x));
  } else {
    return static_cast<double>(x);
  }
}

struct Case {
  i64 m, n, k;
  bool ta = false, tb = false;
  i64 batch = 1;
  bool accumulate = false;
  DotFinish finish = DotFinish::none;
  bool tf32 = false;
};

CublasLtDotSpec spec_of(const Case& t, DType ab, DType c) {
  CublasLtDotSpec spec;
  spec.shape = {t.m, t.n, t.k, t.ta ? 1 : t.k, t.ta ? t.m : 1, t.tb ? 1 : t.n, t.tb ? t.k : 1, t.n};
  if (t.batch > 1) spec.batch = {1, {t.batch}, {t.m * t.k}, {t.k * t.n}, {t.m * t.n}, {t.m * t.n}};
  spec.ab = ab;
  spec.c = c;
  spec.accumulate = t.accumulate;
  spec.finish = t.finish;
  spec.tf32 = t.tf32;
  spec.alignment = 256;
  return spec;
}

// A plan against the definition in f64. `tolerance` is relative to the largest element.
template <class In, class Out>
void check_dot(const CublasLtHandle& handle, cudaStream_t stream, const Case& t, DType ab, DType c,
               double tolerance) {
  CAPTURE(t.m);
  CAPTURE(t.n);
  CAPTURE(t.k);
  CAPTURE(static_cast<int>(t.finish));
  const CublasLtDotSpec spec = spec_of(t, ab, c);
  const std::size_t a_count = static_cast<std::size_t>(t.batch * t.m * t.k);
  const std::size_t b_count = static_cast<std::size_t>(t.batch * t.k * t.n);
  const std::size_t c_count = static_cast<std::size_t>(t.batch * t.m * t.n);
  const std::size_t bias_count = static_cast<std::size_t>(t.finish == DotFinish::bgrad_a ? t.m : t.n);
  auto rounded = [](std::size_t count, u32 seed, auto example) {
    using T = decltype(example);
    std::vector<T> v(count);
    const auto x = values(count, seed);
    for (std::size_t i = 0; i < count; ++i) v[i] = store<T>(static_cast<double>(x[i]));
    return v;
  };
  const auto a = rounded(a_count, 1, In{}), b = rounded(b_count, 2, In{});
  auto result = rounded(c_count, 3, Out{}), bias = rounded(bias_count, 4, Out{}),
       aux = rounded(c_count, 5, Out{});

  std::vector<double> want(c_count), want_bias(bias_count), want_aux(c_count);
  double largest = 0;
  for (i64 e = 0; e < t.batch; ++e) {
    for (i64 i = 0; i < t.m; ++i) {
      for (i64 j = 0; j < t.n; ++j) {
        const auto at = static_cast<std::size_t>((e * t.m + i) * t.n + j);
        double x = t.accumulate ? load(result[at]) : 0.0;
        for (i64 l = 0; l < t.k; ++l) {
          x += load(a[static_cast<std::size_t>(e * t.m * t.k + (t.ta ? l * t.m + i : i * t.k + l))]) *
               load(b[static_cast<std::size_t>(e * t.k * t.n + (t.tb ? j * t.k + l : l * t.n + j))]);
        }
        const auto column = static_cast<std::size_t>(j);
        if (t.finish == DotFinish::bias || t.finish == DotFinish::relu_bias ||
            t.finish == DotFinish::gelu_bias || t.finish == DotFinish::gelu_aux_bias) {
          x += load(bias[column]);
        }
        want_aux[at] = x;
        if (t.finish == DotFinish::relu_bias) x = x > 0 ? x : 0;
        if (t.finish == DotFinish::gelu_bias || t.finish == DotFinish::gelu_aux_bias) x = gelu(x);
        if (t.finish == DotFinish::dgelu_bgrad) {
          x *= gelu_slope(load(aux[at]));
          want_bias[column] += x;
        }
        want[at] = x;
        largest = std::max(largest, std::abs(x));
      }
      if (t.finish == DotFinish::bgrad_a) {
        for (i64 l = 0; l < t.k; ++l) {
          want_bias[static_cast<std::size_t>(i)] +=
              load(a[static_cast<std::size_t>(t.ta ? l * t.m + i : i * t.k + l)]);
        }
      }
    }
  }
  if (t.finish == DotFinish::bgrad_b) {
    for (i64 j = 0; j < t.n; ++j) {
      for (i64 l = 0; l < t.k; ++l) {
        want_bias[static_cast<std::size_t>(j)] +=
            load(b[static_cast<std::size_t>(t.tb ? j * t.k + l : l * t.n + j)]);
      }
    }
  }

  CublasLtDot plan(handle, spec);
  CHECK(plan.workspace_bytes() <= spec.workspace_cap);
  const DeviceBuffer a_d = upload(a, stream), b_d = upload(b, stream), c_d = upload(result, stream);
  const DeviceBuffer bias_d = upload(bias, stream), aux_d = upload(aux, stream),
                     again_d = upload(result, stream);
  const DeviceBuffer workspace(plan.workspace_bytes());
  plan(stream, a_d.data(), b_d.data(), c_d.data(), c_d.data(), bias_d.data(), aux_d.data(), workspace.data());
  const auto got = download<Out>(c_d, stream);
  double worst = 0;
  for (std::size_t i = 0; i < c_count; ++i) worst = std::max(worst, std::abs(load(got[i]) - want[i]));
  CHECK(worst <= tolerance * largest);

  auto compare = [&](const DeviceBuffer& buffer, const std::vector<double>& expected) {
    const auto have = download<Out>(buffer, stream);
    double most = 0, error = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      most = std::max(most, std::abs(expected[i]));
      error = std::max(error, std::abs(load(have[i]) - expected[i]));
    }
    CHECK(error <= tolerance * most);
  };
  if (dot_finish_is_gradient(t.finish)) compare(bias_d, want_bias);
  if (t.finish == DotFinish::gelu_aux_bias) compare(aux_d, want_aux);

  // A second plan gives the same bits.
  CublasLtDot second(handle, spec);
  second(stream, a_d.data(), b_d.data(), again_d.data(), again_d.data(), bias_d.data(), aux_d.data(),
         workspace.data());
  if (!dot_finish_is_gradient(t.finish)) {
    const auto repeated = download<Out>(again_d, stream);
    CHECK(std::memcmp(repeated.data(), got.data(), c_count * sizeof(Out)) == 0);
  }
}

}  // namespace

TEST_CASE("cuda: a GPU that is not there is an error with advice, and on_best_device picks one that is") {
  const int count = cuda_device_count();
  CHECK(count >= 0);
  CHECK(error_of([&] { require_cuda(Cuda{count}); }) ==
        (count == 0 ? "cuda/no-device" : "cuda/no-such-device"));
  CHECK(error_of([&] { CudaContext context(Cuda{count}); }) ==
        (count == 0 ? "cuda/no-device" : "cuda/no-such-device"));
  if (count == 0) {
    try {
      CudaContext context(Cuda{0});
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("Cpu{}") != std::string::npos);
    }
  }
  const bool on_gpu = on_best_device([](auto device) { return std::is_same_v<decltype(device), Cuda>; });
  CHECK(on_gpu == (count > 0));
}

TEST_CASE("cuda: a failed call is an error that names it") {
  CHECK(error_of([] { cuda_check(cudaErrorInvalidValue, "cudaMemcpyAsync", "test"); }) ==
        "cuda/cudaErrorInvalidValue");
  CHECK(error_of([] { cuda_check(cudaSuccess, "cudaMemcpyAsync"); }) == "none");
  CHECK(error_of([] { cublas_check(CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmul"); }) ==
        "cublas/CUBLAS_STATUS_NOT_SUPPORTED");
  CHECK(error_of([] { cublas_check(CUBLAS_STATUS_SUCCESS, "cublasLtMatmul"); }) == "none");
  alignas(256) std::byte memory[512];
  CHECK(error_of([&] { DeviceBuffer::borrow(memory + 1, 8); }) == "cuda/misaligned");
  CHECK(!DeviceBuffer::borrow(memory, 512).owned());
}

TEST_CASE("cuda: cuBLASLt accepts the descriptions of every finish and type") {
  for (auto finish :
       {DotFinish::none, DotFinish::bias, DotFinish::relu_bias, DotFinish::gelu_bias,
        DotFinish::gelu_aux_bias, DotFinish::dgelu_bgrad, DotFinish::bgrad_a, DotFinish::bgrad_b}) {
    for (bool transposed : {false, true}) {
      for (DType type : {DType::f32, DType::bf16, DType::f16, DType::f64}) {
        if (type == DType::f64 && finish != DotFinish::none) continue;
        const CublasLtDotSpec spec =
            spec_of({16, 32, 64, transposed, transposed, 1, false, finish}, type, type);
        CublasLtDescriptors descriptors(spec);
        u32 epilogue = 0;
        std::size_t written = 0;
        CHECK(cublasLtMatmulDescGetAttribute(descriptors.operation(), CUBLASLT_MATMUL_DESC_EPILOGUE,
                                             &epilogue, sizeof epilogue, &written) == CUBLAS_STATUS_SUCCESS);
        CHECK(epilogue == static_cast<u32>(kernels::detail::cublas_epilogue(finish)));
        CublasLtDescriptors copy = descriptors;
        u32 copied = 0;
        CHECK(cublasLtMatmulDescGetAttribute(copy.operation(), CUBLASLT_MATMUL_DESC_EPILOGUE, &copied,
                                             sizeof copied, &written) == CUBLAS_STATUS_SUCCESS);
        CHECK(copied == epilogue);
        u64 rows = 0;
        CHECK(cublasLtMatrixLayoutGetAttribute(descriptors.a(), CUBLASLT_MATRIX_LAYOUT_ROWS, &rows,
                                               sizeof rows, &written) == CUBLAS_STATUS_SUCCESS);
        CHECK(rows == (transposed ? 64u : 32u));
      }
    }
  }
  CHECK(error_of([] {
          CublasLtDescriptors descriptors(spec_of({0, 32, 64}, DType::f32, DType::f32));
        }) == "dot/not-expressible");
  CublasLtDotSpec heads = spec_of({16, 16, 8}, DType::bf16, DType::bf16);
  heads.batch = {2, {2, 3}, {1024, 8}, {1024, 8}, {768, 256}, {768, 256}};
  heads.shape = {16, 16, 8, 24, 1, 1, 24, 16};
  CHECK(CublasLtDescriptors(heads).alignment(heads) == 256);
  heads.batch.a[0] = 1032;
  CHECK(CublasLtDescriptors(heads).alignment(heads) == 16);
}

TEST_CASE("cuda: streams, events and the current device") {
  if (no_gpu()) return;
  int before = -1, after = -2;
  cuda_check(cudaGetDevice(&before), "cudaGetDevice");
  CudaContext context(Cuda{cuda_device_count() - 1});
  { DeviceGuard guard(context.ordinal()); }
  cuda_check(cudaGetDevice(&after), "cudaGetDevice");
  CHECK(before == after);
  CHECK(context.multiprocessors() > 0);
  CHECK(context.max_shared_bytes() >= 48 * 1024);

  Stream mine;
  CHECK(mine.owned());
  {
    const CudaContext lent(Cuda{0, mine.get()});
    CHECK(lent.stream() == mine.get());
  }
  Event start(true), stop(true), never;
  CHECK(never.reached());
  start.record(mine.get());
  stop.record(mine.get());
  Stream other;
  stop.block(other.get());
  stop.synchronize();
  CHECK(stop.reached());
  CHECK(stop.milliseconds_since(start) >= 0);
  other.synchronize();
  mine.synchronize();
}

TEST_CASE(
    "cuda: buffers hold what was put into them; too much memory is an error that leaves the device usable") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  const auto x = values(1000, 9);
  DeviceBuffer buffer = upload(x, context.stream());
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
  CHECK(download<float>(buffer, context.stream()) == x);
  {
    const DeviceBuffer borrowed = DeviceBuffer::borrow(buffer.data(), buffer.size());
    cuda_zero(borrowed.data(), borrowed.size(), context.stream());
  }
  CHECK(download<float>(buffer, context.stream()) == std::vector<float>(1000, 0.0f));
  CHECK(error_of([] { DeviceBuffer huge(std::size_t{1} << 50); }) == "cuda/cudaErrorMemoryAllocation");
  CHECK(download<float>(buffer, context.stream()) == std::vector<float>(1000, 0.0f));
}

TEST_CASE("cuda: the staging ring frees the caller's memory on return") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  const int count = 200;
  const std::size_t bytes = 1 << 18;
  const DeviceBuffer out(count * sizeof(int));
  const DeviceBuffer large(bytes);
  CudaStagingRing ring({context.stream()}, 3, bytes);
  for (int i = 0; i < count; ++i) {
    std::vector<int> source(bytes / sizeof(int), i);
    ring.send(large.data(), source.data(), bytes);
    cuda_copy(out.data() + static_cast<std::size_t>(i) * sizeof(int), large.data() + bytes - sizeof(int),
              sizeof(int), context.stream());
    std::fill(source.begin(), source.end(), -1);
  }
  const auto got = download<int>(out, context.stream());
  for (int i = 0; i < count; ++i) CHECK(got[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("cuda: a captured sequence runs once per launch, and not while it is captured") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  const DeviceBuffer counter(sizeof(int));
  cuda_zero(counter.data(), sizeof(int), context.stream());
  int* const x = reinterpret_cast<int*>(counter.data());
  GraphExec graph = GraphExec::capture(context.stream(), [&](cudaStream_t stream) {
    for (int i = 0; i < 3; ++i) {
      add_one<<<1, 1, 0, stream>>>(x);
      cuda_check_launch("add_one");
    }
  });
  CHECK(graph.node_count() == 3);
  CHECK(download<int>(counter, context.stream())[0] == 0);
  for (int i = 0; i < 5; ++i) graph.launch(context.stream());
  CHECK(download<int>(counter, context.stream())[0] == 15);
  GraphExec moved = std::move(graph);
  CHECK(!graph);
  moved.launch(context.stream());
  CHECK(download<int>(counter, context.stream())[0] == 18);

  CHECK(error_of([&] {
          GraphExec::capture(context.stream(), [&](cudaStream_t stream) {
            add_one<<<1, 1, 0, stream>>>(x);
            throw Error("test/thrown", "while capturing");
          });
        }) == "test/thrown");
  CHECK(download<int>(counter, context.stream())[0] == 18);
  moved.launch(context.stream());
  CHECK(download<int>(counter, context.stream())[0] == 21);
}

TEST_CASE("cuda: the block team gives the bits of its emulation, in every thread") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  check_block_team<32>(context.stream());
  check_block_team<64>(context.stream());
  check_block_team<96>(context.stream());
  check_block_team<256>(context.stream());
  check_block_team<352>(context.stream());
  check_block_team<1024>(context.stream());
}

TEST_CASE("cuda: products agree with the definition, and two plans with each other") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  const CublasLtHandle handle;
  const cudaStream_t stream = context.stream();
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      check_dot<float, float>(handle, stream, {64, 96, 128, ta, tb}, DType::f32, DType::f32, 1e-5);
      check_dot<float, float>(handle, stream, {33, 17, 65, ta, tb, 3, true}, DType::f32, DType::f32, 1e-5);
      check_dot<double, double>(handle, stream, {40, 24, 56, ta, tb}, DType::f64, DType::f64, 1e-13);
      check_dot<__nv_bfloat16, __nv_bfloat16>(handle, stream, {64, 96, 128, ta, tb, 2}, DType::bf16,
                                              DType::bf16, 1.6e-2);
      check_dot<__nv_bfloat16, float>(handle, stream, {64, 96, 128, ta, tb}, DType::bf16, DType::f32, 1e-5);
    }
  }
  // ten bits of mantissa in each factor
  check_dot<float, float>(handle, stream, {64, 96, 128, false, false, 1, false, DotFinish::none, true},
                          DType::f32, DType::f32, 2e-3);
  // a long sum over a small result, where libraries like to split
  check_dot<float, float>(handle, stream, {16, 16, 8192}, DType::f32, DType::f32, 1e-4);
  for (auto finish : {DotFinish::bias, DotFinish::relu_bias, DotFinish::gelu_bias, DotFinish::gelu_aux_bias,
                      DotFinish::dgelu_bgrad, DotFinish::bgrad_a, DotFinish::bgrad_b}) {
    check_dot<__nv_bfloat16, __nv_bfloat16>(
        handle, stream,
        {64, 96, 128, finish == DotFinish::bgrad_a, finish == DotFinish::bias, 1, false, finish}, DType::bf16,
        DType::bf16, 1.6e-2);
  }
}

TEST_CASE("cuda: permuted heads run as several batched calls, and a missing pointer is an error") {
  if (no_gpu()) return;
  const CudaContext context(Cuda{});
  const CublasLtHandle handle;
  const cudaStream_t stream = context.stream();
  const i64 B = 2, S = 16, H = 4, D = 8;  // memory (B, S, H, D)
  CublasLtDotSpec spec;
  spec.shape = {S, S, D, H * D, 1, 1, H * D, S};
  spec.batch = {2, {B, H}, {S * H * D, D}, {S * H * D, D}, {H * S * S, S * S}, {H * S * S, S * S}};
  const auto q = values(static_cast<std::size_t>(B * S * H * D), 1), k = values(q.size(), 2);
  const DeviceBuffer q_d = upload(q, stream), k_d = upload(k, stream);
  const DeviceBuffer scores(static_cast<std::size_t>(B * H * S * S) * sizeof(float));
  CublasLtDot plan(handle, spec);
  CHECK(plan.layout().calls() == 2);
  const DeviceBuffer workspace(plan.workspace_bytes());
  plan(stream, q_d.data(), k_d.data(), nullptr, scores.data(), nullptr, nullptr, workspace.data());
  const auto got = download<float>(scores, stream);
  double worst = 0;
  for (i64 b = 0; b < B; ++b) {
    for (i64 h = 0; h < H; ++h) {
      for (i64 i = 0; i < S; ++i) {
        for (i64 j = 0; j < S; ++j) {
          double x = 0;
          for (i64 d = 0; d < D; ++d) {
            x += static_cast<double>(q[static_cast<std::size_t>(((b * S + i) * H + h) * D + d)]) *
                 static_cast<double>(k[static_cast<std::size_t>(((b * S + j) * H + h) * D + d)]);
          }
          worst = std::max(worst,
                           std::abs(x - static_cast<double>(
                                            got[static_cast<std::size_t>(((b * H + h) * S + i) * S + j)])));
        }
      }
    }
  }
  CHECK(worst < 1e-5);
  CHECK(error_of([&] { plan(stream, nullptr, k_d.data(), nullptr, scores.data()); }) == "cublas/pointer");
  CHECK(error_of([&] { plan(stream, q_d.data() + 4, k_d.data(), nullptr, scores.data()); }) ==
        "cublas/pointer");
}
