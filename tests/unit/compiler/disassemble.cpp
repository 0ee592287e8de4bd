#include "weft/compiler/disassemble.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/compile_verified.hpp"
#include "weft/weft.hpp"

using namespace weft;

template <>
struct weft::custom_op<weft::op_id("twice")> {
  static constexpr const char* name = "twice";
  static void host(CustomTensor<f32> y, CustomTensor<const f32> x) {
    for (i64 i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
  }
};

namespace {

compiler::Lowered lowered(const ir::Graph& traced) { return testing::compile_verified(traced).lowered; }

constexpr auto relu_minus_max = [](auto x) { return relu(x) - max<1>(x, keepdim); };
using ReluMinusMax = exec::FunctionSource<decltype(relu_minus_max), Input<f32, Shape<8, 100>>>;

constexpr const char* relu_minus_max_text =
    "fused: rows (0), columns (100), 2 passes\n"
    "  p0: load f32 strides (100; 1)\n"
    "  p1: store f32 strides (100; 1)\n"
    "  chunk:\n"
    "    %0 = f32 constant 0\n"
    "  element 0:\n"
    "    %1 = f32 load p0\n"
    "    %2 = f32 reduce max %1\n"
    "  element 1:\n"
    "    %3 = f32 load p0\n"
    "    %4 = bool le %3, %0\n"
    "    %5 = f32 select %4, %0, %3\n"
    "    %6 = f32 sub %5, %2\n"
    "    f32 store %6 to p1\n";

}  // namespace

TEST_CASE("disassemble: a fused kernel, by its words and by the type that a profiler shows") {
  const compiler::Lowered l = lowered(ReluMinusMax::graph());
  REQUIRE(l.kernels.size() == 1);
  CHECK(compiler::disassemble(l.kernels[0].kind, l.words.data(), l.words.size()) == relu_minus_max_text);
  CHECK(compiler::disassemble(compiler::code_of<exec::Compiled<ReluMinusMax>, 0>{}) == relu_minus_max_text);
}

TEST_CASE("disassemble: the launches, with kernel, addresses and numbers") {
  const std::string text = compiler::disassemble(lowered(ReluMinusMax::graph()));
  CHECK(text.substr(0, 4) == "k0 f");
  CHECK(text.find("\nlaunch k0 (input0, workspace) 8") != std::string::npos);
}

TEST_CASE("disassemble: every kind of kernel has a name and its dtypes") {
  const ir::Graph traced =
      exec::FunctionSource<decltype([](auto x, auto table, auto index, auto image, auto window) {
                             const auto rows = nn::functional::embedding(index, table);
                             const auto ended = loop<5>([](auto h) { return tanh(matmul(h, h)); }, x);
                             return std::tuple{
                                 conv2d(image, window),
                                 rows,
                                 ended,
                                 cumsum<1>(x),
                                 argsort<1>(x),
                                 take_along_dim<1>(x, argsort<1>(x)),
                                 scatter_add<0>(x, index_select<1>(zeros_like<i64>(x), index), x),
                                 searchsorted(cumsum<1>(x), x),
                                 dynamic_slice<0, 2>(x, select<0, 0>(index)),
                                 dynamic_update_slice<0>(x, x, select<0, 0>(index)),
                                 custom<"twice">(x),
                                 sum<0>(exp(table)),
                                 grad([&](auto t) {
                                   return sum(nn::functional::embedding(index, t) * rows);
                                 })(table)};
                           }),
                           Input<f32, Shape<16, 16>>, Input<f32, Shape<4096, 16>>, Input<i32, Shape<16>>,
                           Input<f32, Shape<2, 3, 8, 8>>, Input<f32, Shape<4, 3, 3, 3>>>::graph();
  const std::string text = compiler::disassemble(lowered(traced));
  for (const char* kernel :
       {" dot: f32, f32 to f32\n", " conv: f32, f32 to f32\n", " take_rows: f32 by i32\n",
        " scatter_add: f32 by i32\n", " scan: f32 sum\n", " argsort: f32\n", " take_along_axis: f32 by i64\n",
        " scatter_reduce: f32 by i64 sum\n", " searchsorted: f32 in f32\n", " dynamic_slice: by i32\n",
        " dynamic_update_slice: by i32\n", " custom: ", " repeat", " combine_partials", " fused: "})
    CHECK_MESSAGE(text.find(kernel) != std::string::npos, kernel, " is not in\n", text);
  CHECK(text.find("bound0: ") != std::string::npos);
}
