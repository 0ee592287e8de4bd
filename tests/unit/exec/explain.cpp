#include "weft/exec/explain.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/nn/linear.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, from = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; from = at + 1, at = text.find('\n', from))
    longest = at - from > longest ? at - from : longest;
  return longest;
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("explain: a pointwise chain is one map with its exact bytes") {
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return exp(x * y + 1.0f); }, in<f32, 1000>, in<f32, 1000>);
  using F = decltype(f);
  const std::string text = F::explain({.bytes_per_second = 1e9, .flops_per_second = 1e12});
  CHECK(has(text, "1 launch, 12.0 kB moved, 3.00 kFLOP"));
  CHECK(has(text, "at least 12.0 us on a machine of 1.00 GB/s and 1.00 TFLOP/s"));
  CHECK(has(text, "  0  map              12.0k   3.00k   12.0 us  (1000,): mul, add, exp\n"));
  CHECK(f.launches() == 1);
}

TEST_CASE("explain: the least time is the larger of memory's and arithmetic's") {
  const Roofline machine{.bytes_per_second = 100, .flops_per_second = 10};
  CHECK(machine.seconds(200, 1) == 2.0);
  CHECK(machine.seconds(200, 50) == 5.0);
}

TEST_CASE("explain: kinds of kernels") {
  auto text = [](auto f) { return decltype(f)::explain(); };
  CHECK(has(text(compile(
                Cpu{}, [](auto x) { return softmax<-1>(x); }, in<f32, 8, 100>)),
            " row "));
  CHECK(has(text(compile(
                Cpu{}, [](auto x) { return sum<0>(x); }, in<f32, 100, 8>)),
            " column "));
  CHECK(has(text(compile(
                Cpu{}, [](auto x) { return sum<>(x); }, in<f32, 100, 8>)),
            " all "));
  const std::string product = text(compile(
      Cpu{}, [](auto a, auto b) { return matmul(a, b); }, in<f32, 3, 4, 5>, in<f32, 3, 5, 6>));
  CHECK(has(product, "3 of 4 x 6 x 5: f32 to f32"));
}

TEST_CASE("explain: the lines of a training step add up to the compiled program") {
  auto trainer = make_trainer<Mlp>(
      Cpu{}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 128, 64>,
      in<i32, 128>, optim::AdamW{}, precision::bf16, clip::norm(1.0f));
  using T = decltype(trainer);
  using S = train::StepSource<Mlp, decltype([](const auto& m, auto x, auto label) {
                                return cross_entropy(m(x), label);
                              }),
                              train::Options<optim::AdamW, precision::BF16, clip::Norm>, true,
                              Input<f32, Shape<128, 64>>, Input<i32, Shape<128>>>;
  const exec::Explanation e = exec::explain_graph(S::graph());
  CHECK(static_cast<int>(e.steps.size()) == trainer.launches());
  CHECK(e.bytes == trainer.plan().bytes);
  CHECK(e.flops == trainer.plan().flops);
  CHECK(e.workspace_bytes == trainer.workspace_bytes());
  int dots = 0, segments = 0;
  for (const exec::ExplainedStep& s : e.steps) {
    dots += s.kernel == "dot";
    segments += s.kernel == "segment";
  }
  CHECK(dots == 5);  // two forward, weights' gradients, and the first layer's output's
  CHECK(segments == 1);
  const std::string text = T::explain();
  CHECK(explain<T>() == text);
  CHECK(longest_line(text) <= 79);
  CHECK(has(text, "128 x 128 x 64: bf16 to bf16"));
}

TEST_CASE("explain: the columns of the table stand below their headings, whatever the kernels' names") {
  const std::string text = decltype(compile(
      Cpu{},
      [](auto x, auto at) {
        auto y = gather<1>(x, at);
        return loop<5>([](auto s) { return s + sum<>(s) * 1e-3f; }, y);
      },
      in<f32, 300, 400>, in<i32, 300, 400>))::explain();
  MESSAGE(text);
  CHECK(has(text, "combine_partials"));
  CHECK(has(text, "take_along_axis"));
  CHECK(longest_line(text) <= 79);
  const std::size_t heading = text.find("  #  kernel"), body = text.find('\n', heading) + 1;
  const std::size_t bytes_end = text.find("bytes", heading) + 5 - heading,
                    what = text.find("what", heading) - heading;
  for (std::size_t from = body; from < text.size(); from = text.find('\n', from) + 1) {
    const std::string line = text.substr(from, text.find('\n', from) - from);
    CAPTURE(line);
    CHECK(line.substr(what - 2, 2) == "  ");
    CHECK(line[what] != ' ');
    if (line[0] == ' ' && line[2] == ' ') continue;  // the rest of the line above
    CHECK(line[bytes_end - 1] != ' ');
    CHECK(line[bytes_end] == ' ');
  }
}
