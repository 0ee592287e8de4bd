#pragma once
// Pointwise arithmetic and reductions of one node, as plain functions of its operands' memory. Law:
// arithmetic on elements is that of Cpu's kernels, one lane of it; a sum is taken in the order of the
// elements, in the dtype in which the graph sums.

#include <limits>

#include "weft/kernels/evaluator/arithmetic.hpp"
#include "weft/kernels/fused/parts.hpp"
#include "weft/targets/interpreter/node_call.hpp"

namespace WEFT_NAMESPACE::exec {

// ---- pointwise ----

template <DType t>
WEFT_INLINE kernels::value_of<kernels::ScalarFamily, t> read_register(const void* values, i64 i) {
  if constexpr (t == DType::boolean)
    return static_cast<const bool*>(values)[i];
  else
    return kernels::load<kernels::register_scalar<t>>(static_cast<const ctype<t>*>(values) + i);
}
template <DType t, class V>
WEFT_INLINE void write_register(void* values, i64 i, const V& v) {
  if constexpr (t == DType::boolean)
    static_cast<bool*>(values)[i] = v;
  else
    kernels::store(static_cast<ctype<t>*>(values) + i, v);
}

// Operand k of pointwise arithmetic as registers. A constant among small floats is what was written, not
// rounded to them: so it is in a kernel, as in PyTorch.
template <DType t>
struct Operand {
  static constexpr bool is_small = is_float(t) && size_of(t) < 4;
  const std::byte* values;
  bool is_constant = false;
  f32 constant = 0;

  Operand(const NodeCall& c, int k) : values(c.in[k]) {
    const ir::Node& n = c.graph.nodes[c.graph.in(c.node, k)];
    is_constant = is_small && n.op == ir::Op::constant;
    if (is_constant) constant = static_cast<f32>(std::bit_cast<f64>(n.imm));
  }
  kernels::value_of<kernels::ScalarFamily, t> operator[](i64 i) const {
    if constexpr (is_small)
      if (is_constant) return constant;
    return read_register<t>(values, i);
  }
};

static_assert(static_cast<int>(kernels::Opcode::fma) ==
              static_cast<int>(ir::Op::fma) - static_cast<int>(ir::Op::neg));
constexpr kernels::Opcode opcode_of(ir::Op op) {
  return static_cast<kernels::Opcode>(static_cast<int>(op) - static_cast<int>(ir::Op::neg));
}

template <ir::Op op, DType to, DType from>
void run_pointwise(const NodeCall& c) {
  using Family = kernels::ScalarFamily;
  constexpr kernels::Opcode code = opcode_of(op);
  const i64 size = c.dims().size();
  const Operand<from> a(c, 0);
  if constexpr (code < kernels::Opcode::add) {
    for (i64 i = 0; i < size; ++i) write_register<to>(c.out, i, kernels::unary<code, to, from, Family>(a[i]));
  } else if constexpr (op == ir::Op::fma) {
    const Operand<from> b(c, 1), third(c, 2);
    for (i64 i = 0; i < size; ++i)
      write_register<to>(c.out, i, kernels::multiply_add<to>(a[i], b[i], third[i]));
  } else {
    const Operand<from> b(c, 1);
    for (i64 i = 0; i < size; ++i)
      write_register<to>(c.out, i, kernels::binary<code, to, from, Family>(a[i], b[i]));
  }
}

// ---- reductions ----

template <ir::Op op>
constexpr kernels::Fold fold_of() {
  using ir::Op;
  return op == Op::reduce_sum                       ? kernels::Fold::sum
         : op == Op::reduce_prod                    ? kernels::Fold::prod
         : op == Op::reduce_max || op == Op::argmax ? kernels::Fold::max
                                                    : kernels::Fold::min;
}

// The reduced axes, which the operand is walked along for every element of the result.
struct ReducedAxes {
  Dims kept, reduced;
  Steps kept_steps, reduced_steps;
};
inline ReducedAxes reduced_axes(const NodeCall& c) {
  const Dims& from = c.operand_dims(0);
  const Steps steps = row_major(from);
  u32 axes = 0;
  for (int k = 0; k < c.graph.attributes(c.node); ++k) axes |= 1u << c.graph.attribute(c.node, k);
  ReducedAxes r;
  for (int a = 0; a < from.rank; ++a) {
    const bool reduces = (axes >> a & 1u) != 0;
    Dims& d = reduces ? r.reduced : r.kept;
    (reduces ? r.reduced_steps : r.kept_steps).by[d.rank] = steps.by[a];
    d.extent[d.rank++] = from.extent[a];
  }
  return r;
}

template <ir::Op op, DType t>
void run_reduction(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  constexpr kernels::Fold fold = fold_of<op>();
  const ReducedAxes axes = reduced_axes(c);
  T* out = c.result<T>();
  for (Walk kept(axes.kept, axes.kept_steps); !kept.done(); kept.next()) {
    const T* const x = c.operand<T>(0) + kept.at;
    R total = kernels::detail::neutral<fold, R>();
    for (Walk walk(axes.reduced, axes.reduced_steps); !walk.done(); walk.next())
      total = kernels::detail::combine<fold>(total, kernels::widen(x[walk.at]));
    *out++ = kernels::narrow<T>(total);
  }
}
// The place of the first of the best elements; a NaN is better than any number.
template <ir::Op op, DType t>
void run_arg(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  using Best = kernels::detail::Best<R>;
  const ReducedAxes axes = reduced_axes(c);
  i64* out = c.result<i64>();
  for (Walk kept(axes.kept, axes.kept_steps); !kept.done(); kept.next()) {
    const T* const x = c.operand<T>(0) + kept.at;
    Best best{kernels::detail::neutral<fold_of<op>(), R>(), std::numeric_limits<i64>::max()};
    i64 place = 0;
    for (Walk walk(axes.reduced, axes.reduced_steps); !walk.done(); walk.next())
      best =
          kernels::detail::BetterOf<op == ir::Op::argmax>{}(best, Best{kernels::widen(x[walk.at]), place++});
    *out++ = best.index;
  }
}

}  // namespace WEFT_NAMESPACE::exec
