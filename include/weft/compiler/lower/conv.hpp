#pragma once
// A convolution as a step: extents, strides and padding as numbers (kernels/conv/shape.hpp), operands read
// through their views.

#include "weft/compiler/lowered.hpp"
#include "weft/ir/conv.hpp"
#include "weft/kernels/conv/shape.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_conv(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                          int node, Lowered& out) {
  const int x = g.in(node, 0), w = g.in(node, 1);
  const int kernel = f.kernel_of[node];
  const kernel_ir::View vx = f.view_in(g, x, kernel), vw = f.view_in(g, w, kernel),
                        vy = kernel_ir::contiguous_view(node, g.dims(node));
  const ir::ConvAxes axes = ir::conv_axes(g, node);
  const Dims &dx = g.dims(x), &dw = g.dims(w), &dy = g.dims(node);
  i64 y_lead[3]{};
  for (int k = 0; k < 3; ++k) y_lead[axes.order[k]] = vy.stride[k];
  List<u64> code, addresses, numbers;
  code.push(static_cast<u64>(g.nodes[x].dtype));
  code.push(static_cast<u64>(g.nodes[w].dtype));
  code.push(static_cast<u64>(g.nodes[node].dtype));
  code.push(g.nodes[node].imm == ir::dot_tf32 ? kernels::conv_is_tf32 : 0);
  addresses.push(plan.address(vx, g.nodes[x].dtype));
  addresses.push(plan.address(vw, g.nodes[w].dtype));
  addresses.push(plan.where[node]);
  for (const i64 v :
       {dx.extent[0], dx.extent[1], dx.extent[2], dw.extent[1], vx.stride[0], vx.stride[1], vx.stride[2],
        vw.stride[0], vw.stride[1], vw.stride[2], y_lead[0], y_lead[1], y_lead[2]})
    numbers.push(static_cast<u64>(v));
  for (int k = axes.spatial; k < 3; ++k)
    for (const i64 v : {1, 1, 1, 1, 0, 1, 1, 0, 0, 0}) numbers.push(static_cast<u64>(v));
  for (int k = 0; k < axes.spatial; ++k) {
    const ir::ConvAxis& a = axes.axis[k];
    for (const i64 v : {dx.extent[3 + k], dw.extent[3 + k], dy.extent[3 + k], a.stride, a.low, a.x_dilation,
                        a.w_dilation, vx.stride[3 + k], vw.stride[3 + k], vy.stride[3 + k]})
      numbers.push(static_cast<u64>(v));
  }
  i64 products = dy.size() * dx.extent[2];
  for (int k = 0; k < axes.spatial; ++k) products *= dw.extent[3 + k];
  // of a dilated operand's gaps nothing is computed
  for (int k = 0; k < axes.spatial; ++k) products /= axes.axis[k].x_dilation;
  Step& step = out.step(StepKind::conv, out.kernel(StepKind::conv, code), addresses, numbers);
  step.bytes = kernel_ir::bytes_of(g, x) + kernel_ir::bytes_of(g, w) + kernel_ir::bytes_of(g, node);
  step.flops = 2 * products;
}

}  // namespace WEFT_NAMESPACE::compiler
