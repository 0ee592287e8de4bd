#include "weft/targets/cuda/schedule.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/weft.hpp"

using namespace weft;

namespace {

template <class F, class... I>
using Program = exec::Compiled<exec::FunctionSource<F, I...>>;

struct Net {
  nn::Linear<70, 129> up{};
  nn::LayerNorm<129> norm{};
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<129, 10> down{};
  constexpr auto operator()(auto x) const { return down(drop(gelu(norm(up(x))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
template <class... O>
using Step = exec::Compiled<train::StepSource<Net, decltype(loss), train::Options<O...>, true,
                                              Input<f32, Shape<300, 70>>, Input<i32, Shape<300>>>>;

struct LongRows {
  constexpr auto operator()(auto x) const { return softmax<1>(x * 2.0f); }
};
struct Sums {
  constexpr auto operator()(auto x) const { return std::tuple{sum<0>(x), sum<>(x), max<1>(x), sin(x)}; }
};
struct Flat {
  constexpr auto operator()(auto x) const { return exp(x) + 1.0f; }
};

template <class P>
void expect_sound() {
  const exec::ScheduleFault fault = exec::verify(exec::cuda_schedule<P>());
  INFO((fault ? fault.what : ""), " at step ", fault.step, "\n", to_string(exec::cuda_schedule<P>()));
  CHECK(!fault);
}

// The fault of a schedule that was changed by hand.
template <class P, class Change>
std::string after(Change change) {
  exec::CudaSchedule schedule = exec::cuda_schedule<P>();
  change(schedule);
  const exec::ScheduleFault fault = exec::verify(schedule);
  return fault ? fault.what : "";
}

}  // namespace

TEST_CASE("cuda/schedule: of programs of every kind of row it holds, while the program compiles too") {
  static_assert(!exec::verify(exec::cuda_schedule<Program<LongRows, Input<bf16, Shape<5, 40000>>>>()));
  expect_sound<Program<LongRows, Input<f32, Shape<3, 1000>>>>();
  expect_sound<Program<LongRows, Input<f32, Shape<40, 1001>>>>();
  expect_sound<Program<LongRows, Input<f64, Shape<7, 33>>>>();
  expect_sound<Program<Sums, Input<f32, Shape<1000, 37>>>>();
  expect_sound<Program<Sums, Input<f32, Shape<33, 5000>>>>();
  expect_sound<Program<Sums, Input<f16, Shape<2, 100000>>>>();
  expect_sound<Program<Flat, Input<f32, Shape<100003>>>>();
  expect_sound<Program<Flat, Input<f32, Shape<0>>>>();
  expect_sound<Step<optim::AdamW, clip::Norm>>();
  expect_sound<Step<optim::Adam, precision::F16, seed>>();
  expect_sound<Step<optim::SGD, precision::BF16>>();
}

TEST_CASE("cuda/schedule: it is read as a line a launch") {
  using P = Program<Flat, Input<f32, Shape<100000>>>;
  CHECK(to_string(exec::cuda_schedule<P>()) ==
        "step 0: kernel 0, 98 blocks of 256 threads, 4 blocks a row, 4 columns at once\n");
}

TEST_CASE("cuda/schedule: what a wrong one would leave out, write over or read askew is found") {
  using Rows = Program<LongRows, Input<f32, Shape<300, 1000>>>;
  using Columns = Program<Sums, Input<f32, Shape<1000, 37>>>;
  using Walk = Program<Flat, Input<f32, Shape<100000>>>;
  using S = exec::CudaSchedule;
  CHECK(after<Rows>([](S&) {}) == "");
  CHECK(after<Rows>([](S& s) { --s.launches[0].at.cut.chunks; }) == "rows are left out");
  CHECK(after<Rows>([](S& s) { s.launches[0].at.cut.chunks += 9; }) == "a chunk has no rows");
  CHECK(after<Rows>([](S& s) { ++s.launches[0].at.cut.blocks; }) ==
        "a launch has blocks for which there are no rows");
  CHECK(after<Rows>([](S& s) { --s.launches[0].at.cut.blocks; }) == "a chunk has no blocks");
  CHECK(after<Rows>([](S& s) { s.launches[0].at.kernel = 7; }) == "a launch of no kernel");
  CHECK(after<Rows>([](S& s) { s.kernels[0].block = 2048; }) ==
        "a block has too many threads, or no whole warps");
  CHECK(after<Rows>([](S& s) { s.kernels[0].shared_bytes = 60000; }) ==
        "a block takes too much shared memory");
  CHECK(after<Rows>([](S& s) { s.launches[0].address_bits[0] = 8; }) ==
        "an access is wider than its address is aligned");
  CHECK(after<Rows>([](S& s) { s.input_bytes[0] += 512; }) == "the inputs lie outside of their memory");
  CHECK(after<Walk>([](S& s) { s.kernels[0].width = 2; }) ==
        "the parts of a flat walk's row are not the row");
  CHECK(after<Walk>([](S& s) { --s.launches[0].at.cut.blocks; }) == "the last row's end is left out");
  int sums = 0, second = -1;
  const S columns = exec::cuda_schedule<Columns>();
  for (int k = 0; k < columns.launches.size(); ++k)
    if (columns.launches[k].at.partials >= 0) ++sums, second = k;
  REQUIRE(sums > 0);
  CHECK(after<Columns>([&](S& s) { s.launches[second].at.partials = s.partial_bytes; }) ==
        "partial sums lie outside of their memory");
  CHECK(after<Columns>([&](S& s) { s.launches[second].at.partials = 8; }) == "partial sums lie on others");
  CHECK(after<Columns>([&](S& s) { s.launches[second].at.planned_chunks = 1; }) ==
        "a sum in one part has become several");
}
