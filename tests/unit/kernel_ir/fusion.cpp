#include "weft/kernel_ir/fusion.hpp"

#include <doctest/doctest.h>

#include "weft/ir/value.hpp"

using namespace weft;
using kernel_ir::Materialization;

TEST_CASE("fusion: a view that becomes a copy is read through memory by the kernels behind that copy") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, make_dims<3, 4>(), 0)};
  const i64 order[]{1, 0};
  const int turned = ir::permute(x, order).id;
  const ir::Graph& g = b.graph;

  kernel_ir::Fusion f;
  f.materialization = List<Materialization>(g.nodes.size(), Materialization::leaf);
  f.kernel_of = List<int>(g.nodes.size(), -1);
  f.stored = List<u8>(g.nodes.size(), 1);
  f.view_of = List<int>(g.nodes.size(), -1);
  CHECK(!f.is_view_in(x.id, 0));
  CHECK(f.view_in(g, x.id, 0).root == x.id);

  kernel_ir::View v = kernel_ir::contiguous_view(x.id, x.dims());
  REQUIRE(kernel_ir::apply_movement(g, turned, v));
  f.views.push(v);
  f.view_of[turned] = 0;
  f.materialization[turned] = Materialization::view;
  CHECK(f.is_view_in(turned, 5));
  CHECK(f.view_in(g, turned, 5).root == x.id);
  CHECK(f.view_in(g, turned, 5).stride[0] == 1);
  CHECK(f.view_in(g, turned, 5).stride[1] == 4);

  f.materialization[turned] = Materialization::fused;  // copied by kernel 2
  f.kernel_of[turned] = 2;
  CHECK(f.is_view_in(turned, 1));
  CHECK(!f.is_view_in(turned, 2));
  CHECK(f.view_in(g, turned, 1).root == x.id);
  CHECK(f.view_in(g, turned, 3).root == turned);
  CHECK(f.view_in(g, turned, 3).stride[0] == 3);
}
