#pragma once
// The function that evaluates a node of a given kind.

#include "weft/targets/interpreter/functions.hpp"
#include "weft/targets/interpreter/kinds.hpp"
#include "weft/targets/interpreter/movement.hpp"
#include "weft/targets/interpreter/products.hpp"

namespace WEFT_NAMESPACE::exec {

// The function of an operation that has one for all dtypes.
template <ir::Op op>
constexpr NodeFunction movement_function() {
  using ir::Op;
  if constexpr (op == Op::constant)
    return &run_constant;
  else if constexpr (op == Op::iota)
    return &run_iota;
  else if constexpr (op == Op::broadcast || op == Op::permute || op == Op::slice)
    return &run_view;
  else if constexpr (op == Op::pad)
    return &run_pad;
  else if constexpr (op == Op::select)
    return &run_select;
  else if constexpr (op == Op::take_rows)
    return &run_take_rows;
  else if constexpr (op == Op::take_along_axis)
    return &run_take_along_axis;
  else if constexpr (ir::is_dynamic_slice(op))
    return &run_dynamic_slice;
  else if constexpr (op == Op::flat_concat)
    return &run_flat_concat;
  else if constexpr (op == Op::flat_slice)
    return &run_flat_slice;
  else
    return &run_copy;
}

// The function of a kind.
template <u64 Word>
constexpr NodeFunction node_function() {
  using ir::Op;
  constexpr NodeKind kind = NodeKind::of(Word);
  if constexpr (has_one_function(kind.op))
    return movement_function<kind.op>();
  else if constexpr (ir::is_pointwise(kind.op))
    return &run_pointwise<kind.op, kind.to, kind.from>;
  else if constexpr (kind.op == Op::argmax || kind.op == Op::argmin)
    return &run_arg<kind.op, kind.from>;
  else if constexpr (ir::is_reduction(kind.op))
    return &run_reduction<kind.op, kind.to>;
  else if constexpr (kind.op == Op::dot)
    return &run_dot<kind.to, kind.from>;
  else if constexpr (kind.op == Op::conv)
    return &run_conv<kind.to, kind.from>;
  else if constexpr (kind.op == Op::scan)
    return &run_scan<kind.to, kind.fold>;
  else if constexpr (kind.op == Op::argsort)
    return &run_argsort<kind.from>;
  else if constexpr (kind.op == Op::searchsorted)
    return &run_search<kind.from>;
  else if constexpr (kind.op == Op::scatter_reduce)
    return &run_scatter_reduce<kind.to, kind.fold>;
  else
    return &run_scatter_add<kind.to>;
}

}  // namespace WEFT_NAMESPACE::exec
