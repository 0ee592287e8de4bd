#include "weft/ir/print.hpp"

#include <doctest/doctest.h>

#include <charconv>

#include "weft/ir/dynamic_slice.hpp"

using namespace weft;

namespace {

Dims dims(int rank, i64 a = 0, i64 b = 0) {
  const i64 extent[2]{a, b};
  return ir::make_dims(rank, extent);
}

}  // namespace

TEST_CASE("print: every kind of node says all it is made of") {
  ir::Builder b;
  b.graph.scalar_count = 5;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(dims(2, 3, 4)), -1, 256});
  b.graph.param_groups.push({0, 2});
  b.graph.ranges.push({0, 64});
  b.graph.ranges.push({128, 10});
  b.graph.presets.push({4, 0.25f});
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, dims(2, 8, 4), 0)};
  b.graph.inputs.push(x.id);
  const ir::Value w{&b, b.leaf(ir::Op::state, DType::f32, dims(2, 3, 4), 0)};
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = axes.contracted_b[0] = 1;
  const ir::Value y = ir::dot(x, w, axes, DType::f32);
  const i64 order[]{1, 0}, widths[]{1, 0, 0, 2};
  const ir::Slice cut[]{{7, -2}, {0, 1}};
  ir::pad(ir::permute(y, order), widths, 0.1);
  ir::slice(y, cut, dims(2, 4, 3));
  ir::reduce(ir::Op::argmax, y, 3u);
  b.leaf(ir::Op::random, DType::u32, dims(0), 7);
  const ir::Value at = ir::constant(b, DType::i32, dims(0), -100);
  ir::BlockPlace place;
  ir::set_offset(place, x.dims(), dims(2, 3, 2), 0, at);
  ir::set_offset(place, x.dims(), dims(2, 3, 2), 1, ir::constant(b, DType::i32, dims(0), 2));
  const ir::Value part = ir::dynamic_slice(x, dims(2, 3, 2), place);
  ir::dynamic_update_slice(x, part, {});
  b.graph.outputs.push(y.id);
  b.graph.assigns.push({0, w.id});

  CHECK(ir::print(b.graph) ==
        "slot 0 = model + 256 : f32 (3, 4)\n"
        "group 0 = [0, 64) [128, 138)\n"
        "scalar 4 = 0.25\n"
        "%0 = input 0 : f32 (8, 4)\n"
        "%1 = state slot 0 : f32 (3, 4)\n"
        "%2 = dot(%0, %1) batch () with () contract (1) with (1) : f32 (8, 3)\n"
        "%3 = permute(%2) axes [1, 0] : f32 (3, 8)\n"
        "%4 = pad(%3) fill 0.1 low:high [1:0, 0:2] : f32 (4, 10)\n"
        "%5 = slice(%2) begin:step [7:-2, 0:1] : f32 (4, 3)\n"
        "%6 = argmax(%2) axes [0, 1] : i64 (1, 1)\n"
        "%7 = random stream 7 : u32 ()\n"
        "%8 = constant -100 : i32 ()\n"
        "%9 = constant 2 : i32 ()\n"
        "%10 = dynamic_slice(%0, %8) begin [offset, 2] : f32 (3, 2)\n"
        "%11 = dynamic_update_slice(%0, %10) begin [0, 0] : f32 (8, 4)\n"
        "return %2\n"
        "slot 0 <- %1\n");
}

TEST_CASE("print: numbers read back as they were") {
  ir::Builder b;
  for (const double value : {1.0 / 3, 1e-6, 5.9604644775390625e-8, -0.5, 123456789.0}) {
    const int node = b.constant(DType::f64, dims(0), value);
    const std::string text = ir::print_node(b.graph, node);
    const std::size_t at = text.find("constant ") + 9;
    double back = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), back);
    CHECK(back == value);
  }
}
