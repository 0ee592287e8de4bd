// The program of docs/internals.md, and what it prints.

// [program]
#include <cstdio>
#include <string>
#include <weft/compiler/print.hpp>
#include <weft/weft.hpp>

using namespace weft;

constexpr auto layer = [](auto x, auto w, auto b) {
  const auto y = relu(matmul(x, w) + b);
  return y / sum<-1>(y + 1e-3f, keepdim);
};
using Traced =
    exec::FunctionSource<decltype(layer), Input<f32, Shape<64, 8>>, Input<f32, Shape<8, 4>>, Input<f32, Shape<4>>>;

int main() {
  const ir::Graph traced = Traced::graph();
  std::printf("== trace\n%s", ir::print(traced).c_str());
  compiler::compile_graph(traced, [](auto pass, const compiler::Module& module) {
    std::printf("== %s\n%s", std::string(pass.name).c_str(), compiler::print(pass, module).c_str());
  });
}
// [/program]
