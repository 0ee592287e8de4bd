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
using Traced = exec::FunctionSource<decltype(layer), Input<f32, Shape<64, 8>>, Input<f32, Shape<8, 4>>,
                                    Input<f32, Shape<4>>>;

int main() {
  const ir::Graph traced = Traced::graph();
  std::printf("== trace\n%s", ir::print(traced).c_str());
  compiler::compile_graph(traced, [](auto pass, const compiler::Module& module) {
    std::printf("== %s\n%s", std::string(pass.name).c_str(), compiler::print(pass, module).c_str());
  });
}
// [/program]

// prints: == trace
// prints: %0 = input 0 : f32 (64, 8)
// prints: %1 = input 1 : f32 (8, 4)
// prints: %2 = input 2 : f32 (4,)
// prints: %3 = dot(%0, %1) batch () with () contract (1) with (0) : f32 (64, 4)
// prints: %4 = broadcast(%2) : f32 (64, 4)
// prints: %5 = add(%3, %4) : f32 (64, 4)
// prints: %6 = constant 0 : f32 (64, 4)
// prints: %7 = le(%5, %6) : bool (64, 4)
// prints: %8 = select(%7, %6, %5) : f32 (64, 4)
// prints: %9 = constant 0.0010000000474974513 : f32 ()
// prints: %10 = constant 0.0010000000474974513 : f32 (64, 4)
// prints: %11 = add(%8, %10) : f32 (64, 4)
// prints: %12 = sum(%11) axes [1] : f32 (64, 1)
// prints: %13 = broadcast(%12) : f32 (64, 4)
// prints: %14 = div(%8, %13) : f32 (64, 4)
// prints: return %14
// prints: == prune
// prints: %0 = input 0 : f32 (64, 8)
// prints: %1 = input 1 : f32 (8, 4)
// prints: %2 = input 2 : f32 (4,)
// prints: %3 = dot(%0, %1) batch () with () contract (1) with (0) : f32 (64, 4)
// prints: %4 = broadcast(%2) : f32 (64, 4)
// prints: %5 = add(%3, %4) : f32 (64, 4)
// prints: %6 = constant 0 : f32 (64, 4)
// prints: %7 = le(%5, %6) : bool (64, 4)
// prints: %8 = select(%7, %6, %5) : f32 (64, 4)
// prints: %9 = constant 0.0010000000474974513 : f32 (64, 4)
// prints: %10 = add(%8, %9) : f32 (64, 4)
// prints: %11 = sum(%10) axes [1] : f32 (64, 1)
// prints: %12 = broadcast(%11) : f32 (64, 4)
// prints: %13 = div(%8, %12) : f32 (64, 4)
// prints: return %13
// prints: == cluster
// prints: %0 input: leaf
// prints: %1 input: leaf
// prints: %2 input: leaf
// prints: %3 dot: opaque, kernel 4
// prints: %4 broadcast: view
// prints: %5 add: opaque, kernel 4
// prints: %6 constant: generator
// prints: %7 le: fused, kernel 5
// prints: %8 select: fused, kernel 5
// prints: %9 constant: generator
// prints: %10 add: fused, kernel 5
// prints: %11 sum: fused, kernel 5
// prints: %12 broadcast: view
// prints: %13 div: fused, kernel 5
// prints: == collect
// prints: kernel 4 = dot
// prints:   reads  %0 %1 %4
// prints:   stores %5
// prints: kernel 5 = row over (64, 4)
// prints:   reads  %5
// prints:   holds  %6 %7 %8 %9 %10 %11 %12 %13
// prints:   stores %13
// prints: == plan_memory
// prints: workspace 1024 bytes
// prints: kernel 4
// prints:   %5 at workspace
// prints: kernel 5: 64 rows of 4, 1 chunk
// prints:   %13 at workspace
// prints: == lower
// prints: k0 dot: f32, f32 to f32, bias
// prints: k1 fused: rows (0), columns (4), 2 passes
// prints:   p0: load f32 strides (4; 1)
// prints:   p1: store f32 strides (4; 1)
// prints:   chunk:
// prints:     %0 = f32 constant 0
// prints:     %1 = f32 constant 0.0010000000474974513
// prints:   element 0:
// prints:     %2 = f32 load p0
// prints:     %3 = bool le %2, %0
// prints:     %4 = f32 select %3, %0, %2
// prints:     %5 = f32 add %4, %1
// prints:     %6 = f32 reduce sum %5
// prints:   element 1:
// prints:     %7 = f32 load p0
// prints:     %8 = bool le %7, %0
// prints:     %9 = f32 select %8, %0, %7
// prints:     %10 = f32 div %9, %6
// prints:     f32 store %10 to p1
// prints: launch k0 (input0, input1, workspace, none, input2) 64 4 8 8 1 4 1 4 0
// prints: launch k1 (workspace, workspace) 64 3640 1 4 0 0
// prints: == link
// prints: 2 kernels, 2 steps, 85 words, workspace 1024 bytes
