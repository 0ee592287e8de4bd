#include "weft/kernel_ir/memory_plan.hpp"

#include <doctest/doctest.h>

using namespace weft;
using kernel_ir::BufferAddress;

TEST_CASE("memory_plan: a view begins at its root, moved by its offset in elements") {
  kernel_ir::Plan p;
  p.where.push(BufferAddress::make(ir::Space::input, 0, 3));
  p.where.push(BufferAddress::make(ir::Space::model, 512));
  kernel_ir::View v = kernel_ir::contiguous_view(1, make_dims<4, 5>());
  CHECK(p.address(v, DType::f32) == BufferAddress::make(ir::Space::model, 512));
  v.offset = 7;
  CHECK(p.address(v, DType::f32) == BufferAddress::make(ir::Space::model, 512 + 28));
  CHECK(p.address(v, DType::bf16) == BufferAddress::make(ir::Space::model, 512 + 14));
  v.root = 0;
  CHECK(p.address(v, DType::f64) == BufferAddress::make(ir::Space::input, 56, 3));
}
