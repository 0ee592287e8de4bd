#include "weft/compiler/image.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/compiler/pipeline.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr auto layer = [](auto x, auto w) { return std::tuple{softmax<1>(matmul(x, w)), sum<>(x)}; };
using Source = exec::FunctionSource<decltype(layer), Input<f32, Shape<64, 96>>, Input<f32, Shape<96, 10>>>;
using Program = exec::Compiled<Source>;

}  // namespace

TEST_CASE("image: kernels, launches and places stand where the header says") {
  const compiler::Module m = compiler::compile_graph(Source::graph());
  constexpr compiler::ImageHeader h = Program::header;
  const u64* const image = Program::image;
  REQUIRE(h.kernels == m.lowered.kernels.size());
  REQUIRE(h.steps == m.lowered.steps.size());
  for (int k = 0; k < h.kernels; ++k) {
    const compiler::ImageKernel kernel = compiler::read_kernel(h, image, k);
    CHECK(kernel.kind == m.lowered.kernels[k].kind);
    REQUIRE(kernel.size == m.lowered.kernels[k].words.size);
    for (int i = 0; i < kernel.size; ++i)
      CHECK(kernel.words[i] == m.lowered.words[m.lowered.kernels[k].words.begin + i]);
  }
  for (int s = 0; s < h.steps; ++s) {
    const compiler::ImageStep step = compiler::read_step(h, image, s);
    const compiler::Step& from = m.lowered.steps[s];
    CHECK(step.kind == from.kind);
    CHECK(step.kernel == from.kernel);
    REQUIRE(step.address_count == from.addresses.size);
    REQUIRE(step.number_count == from.numbers.size);
    for (int i = 0; i < step.address_count; ++i)
      CHECK(step.addresses[i] == m.lowered.addresses[from.addresses.begin + i]);
    for (int i = 0; i < step.number_count; ++i)
      CHECK(step.numbers[i] == m.lowered.numbers[from.numbers.begin + i]);
  }
  for (int i = 0; i < m.lowered.addresses.size(); ++i)
    CHECK(image[h.address_at + i] == m.lowered.addresses[i]);
  REQUIRE(h.outputs == 2);
  for (int i = 0; i < h.outputs; ++i) CHECK(image[h.output_at + i] == m.plan.outputs[i]);
  REQUIRE(h.inputs == 2);
  CHECK(image[h.input_at] == 64 * 96 * 4);
  CHECK(image[h.input_at + 1] == 96 * 10 * 4);
  CHECK(h.workspace_bytes == m.plan.workspace_bytes);
  i64 bytes = 0, flops = 0;
  for (const compiler::Step& step : m.lowered.steps) bytes += step.bytes, flops += step.flops;
  CHECK(h.bytes == bytes);
  CHECK(h.flops == flops);
  CHECK(h.launches == m.lowered.steps.size());
}

TEST_CASE("image: a kernel as a type has the words of the image") {
  using First = compiler::KernelSlice<Program, 0>;
  static_assert(First::size > 0);
  for (int i = 0; i < First::size; ++i) CHECK(First::words.w[i] == compiler::kernel_of<Program>(0).words[i]);
}
