#include "weft/compiler/print.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/weft.hpp"

using namespace weft;
namespace c = weft::compiler;

namespace {

constexpr auto centred = [](auto x) { return relu(x) - max<1>(x, keepdim); };
using Source = exec::FunctionSource<decltype(centred), Input<f32, Shape<64, 10>>>;

}  // namespace

TEST_CASE("print: a small program behind every pass") {
  std::string text;
  c::compile_graph(Source::graph(), [&](auto pass, const c::Module& m) {
    text += "== " + std::string(pass.name) + '\n' + c::print(pass, m);
  });
  MESSAGE(text);
  CHECK(text.find("== cluster\n%0 input: leaf\n") != std::string::npos);
  CHECK(text.find("== collect\nkernel 4 ") != std::string::npos);
  CHECK(text.find("kernel 4 = row over (64, 10)\n  reads  %0\n") != std::string::npos);
  CHECK(text.find("== plan_memory\nworkspace 2560 bytes\n") != std::string::npos);
  CHECK(text.find(" at workspace\n") != std::string::npos);
  CHECK(text.find("== lower\n") != std::string::npos);
  CHECK(text.find("== link\n1 kernels, 1 steps, ") != std::string::npos);
}
