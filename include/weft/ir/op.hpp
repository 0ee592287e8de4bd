#pragma once
// The closed set of primitives, one table row each: name, arity and class. Everything a user can write is
// composed from these; shape, gradient and cost rules speak of them alone.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::ir {

enum class Op : u8 {
  // leaves
  input,     // imm: index of the program's input
  state,     // imm: slot
  constant,  // imm: bits of the value (f64 for floating types, i64 otherwise); a splat of its shape
  iota,      // imm: axis; the index along that axis
  random,  // imm: stream; 32 random bits an element, a function of (seed, step, loop trips, stream, element)
  scalar,  // imm: index into the run-time scalars; rank 0
  // pointwise, one operand
  neg,
  abs,
  sign,
  floor,
  ceil,
  round,
  trunc,
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  rsqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  sigmoid,
  erf,
  erfc,
  is_finite,
  is_nan,
  logical_not,
  cast,
  bitcast,
  stop_gradient,
  // pointwise, two operands
  add,
  sub,
  mul,
  div,
  pow,
  max,
  min,
  fmod,
  atan2,
  eq,
  ne,
  lt,
  le,
  bit_and,
  bit_or,
  bit_xor,
  shift_right,
  // pointwise, three operands
  select,  // select(condition, a, b)
  fma,     // a * b + c in one rounding
  // markers that only differentiation reads
  surrogate,    // surrogate(value, model): the value, differentiated as if it were the model
  slope,        // slope(value, x, s): the value, whose derivative by x is s beside what its own nodes give
  f8_gradient,  // f8_gradient(value, scale): the value, whose gradient is rounded to e5m2 at that scale, and
                // left multiplied by it; scale's is the largest magnitude that the gradient had
  group_copy,  // group_copy(x): x, whose gradient is summed over a group of ranks (ir/group.hpp); imm: degree
  // movement
  broadcast,  // right-aligned, as numpy
  reshape,
  permute,         // list: output axis k is input axis list[k]
  slice,           // list: begin and step of every axis (step may be negative)
  pad,             // list: low and high of every axis; imm: bits of the fill value
  add_dependency,  // add_dependency(x, y): x, for readers that run when y is made: a control edge
  // reductions; list: axes; the reduced axes stay with extent 1
  reduce_sum,
  reduce_max,
  reduce_min,
  reduce_prod,
  argmax,
  argmin,
  // contractions and indexing
  dot,          // list: batch count, contracted count, batch axes of a, of b, contracted axes of a, of b;
                // imm: dot_tf32, dot_f8 or 0
  conv,         // conv(x (G, N, C, S...), w (G, O, C, K...)); list: ir/conv.hpp; imm: dot_tf32 or 0
  take_rows,    // take_rows(table (V, ...), index (...)) -> index shape + row shape
  scatter_add,  // scatter_add(index (...), update (..., row)) -> (V, row): rows added in index order
  // along one axis (ir/along_axis.hpp)
  scan,             // list: axis, reversed, fold; y[i] = fold of x[0], ..., x[i]
  argsort,          // list: axis, descending; places in sorted order, equal elements in theirs; i64
  take_along_axis,  // take_along_axis(x, index), list: axis, zero; x at index, which has the result's shape
  scatter_reduce,   // scatter_reduce(index, update), list: axis, fold; the updates of each place, folded in
                    // index order
  searchsorted,     // searchsorted(sorted, x), list: right; how many along the last axis come before x; i64
  // blocks whose place is known at run time (ir/dynamic_slice.hpp); list: batch axes, the begin of every axis
  // or -1, which is the next offset
  dynamic_slice,         // dynamic_slice(x, offset, ...)
  dynamic_update_slice,  // dynamic_update_slice(x, y, offset, ...); x with y written there
  // what a program adds (ir/custom.hpp)
  custom,  // imm: id; list: see ir/custom.hpp
  // between ranks (ir/collective.hpp); imm: number of the request
  all_reduce_start,  // all_reduce_start(flat), list: begin; elements behind `begin`, whose sum over all ranks
                     // is begun where they lie
  all_reduce_done,   // all_reduce_done(start): the sum
  // of a vector that the ranks share, each with a piece; list: begin, then how it is shared (collective.hpp)
  reduce_scatter_start,       // reduce_scatter_start(flat): as all_reduce_start, of this rank's piece alone
  reduce_scatter_done,        // reduce_scatter_done(start): the sum in this rank's piece, anything elsewhere
  reduce_scatter_into_start,  // reduce_scatter_into_start(x, ...): adds the sums in this rank's piece to a
                              // slot of state; list: slot, how it is shared, the place of every operand in it
  reduce_scatter_into_done,   // reduce_scatter_into_done(start): (1); the slot has them
  reduce_scatter_state_start,  // reduce_scatter_state_start(x, place): adds this rank's piece of the sum to
                               // what it has of `place`, a slice of state that ranks share; (1)
  all_reduce_max,              // all_reduce_max(x): of each element the largest of all ranks, at once
  all_gather_state_start,  // all_gather_state_start(x): begins to give all ranks x, of the state that they
                           // share; cast to the node's dtype
  all_gather_start,        // all_gather_start(x): begins to give all ranks each one's piece of x
  collective_await,        // collective_await(x): (1); what begins x, which is carried into a trip or out of
                           // a loop, has ended, if there is such
  all_gather_done,         // all_gather_done(start): x, of all ranks
  group_collective,        // what a group of ranks does with parts of a value (ir/group.hpp); imm: GroupCall
  // flat arenas
  flat_concat,  // list: element offset of every operand; a flat vector over a parameter group's arena
  flat_slice,   // imm: element offset; a view of one tensor inside a flat arena
  // regions: nodes with a body and several results (loop.hpp, attention.hpp); imm: body
  loop,                // loop(carries, stacked inputs, invariants); list: see LoopShape
  attention,           // attention(q, k, v, captured...); list: see AttentionShape
  attention_gradient,  // attention_gradient(q, k, v, captured..., dy, lse, delta); list: the same
  result,              // result(region); imm: which of its results
};

inline constexpr int op_count = static_cast<int>(Op::result) + 1;

// A product or a convolution of f32 whose factors may be rounded to TF32.
inline constexpr u64 dot_tf32 = 1;
// One whose factors are numbers of an 8-bit format, and so of bf16; until precisions are applied.
inline constexpr u64 dot_f8 = 2;

enum class OpClass : u8 {
  leaf,
  pointwise,
  marker,
  movement,
  reduction,
  dot,
  conv,
  index,
  along_axis,
  dynamic_slice,
  custom,
  collective,
  arena,
  region
};

struct OpInfo {
  const char* name;
  i8 arity;  // -1: any number
  OpClass kind;
  u8 cost;  // relative cost of one element, 1 for an addition
};

inline constexpr OpInfo op_table[op_count] = {
    {"input", 0, OpClass::leaf, 0},
    {"state", 0, OpClass::leaf, 0},
    {"constant", 0, OpClass::leaf, 0},
    {"iota", 0, OpClass::leaf, 1},
    {"random", 0, OpClass::leaf, 12},
    {"scalar", 0, OpClass::leaf, 0},
    {"neg", 1, OpClass::pointwise, 1},
    {"abs", 1, OpClass::pointwise, 1},
    {"sign", 1, OpClass::pointwise, 1},
    {"floor", 1, OpClass::pointwise, 1},
    {"ceil", 1, OpClass::pointwise, 1},
    {"round", 1, OpClass::pointwise, 1},
    {"trunc", 1, OpClass::pointwise, 1},
    {"exp", 1, OpClass::pointwise, 8},
    {"expm1", 1, OpClass::pointwise, 10},
    {"log", 1, OpClass::pointwise, 10},
    {"log1p", 1, OpClass::pointwise, 12},
    {"sqrt", 1, OpClass::pointwise, 4},
    {"rsqrt", 1, OpClass::pointwise, 5},
    {"sin", 1, OpClass::pointwise, 14},
    {"cos", 1, OpClass::pointwise, 14},
    {"tan", 1, OpClass::pointwise, 18},
    {"asin", 1, OpClass::pointwise, 14},
    {"acos", 1, OpClass::pointwise, 14},
    {"atan", 1, OpClass::pointwise, 14},
    {"sinh", 1, OpClass::pointwise, 14},
    {"cosh", 1, OpClass::pointwise, 14},
    {"tanh", 1, OpClass::pointwise, 12},
    {"sigmoid", 1, OpClass::pointwise, 13},
    {"erf", 1, OpClass::pointwise, 16},
    {"erfc", 1, OpClass::pointwise, 20},
    {"is_finite", 1, OpClass::pointwise, 1},
    {"is_nan", 1, OpClass::pointwise, 1},
    {"logical_not", 1, OpClass::pointwise, 1},
    {"cast", 1, OpClass::pointwise, 1},
    {"bitcast", 1, OpClass::pointwise, 0},
    {"stop_gradient", 1, OpClass::pointwise, 0},
    {"add", 2, OpClass::pointwise, 1},
    {"sub", 2, OpClass::pointwise, 1},
    {"mul", 2, OpClass::pointwise, 1},
    {"div", 2, OpClass::pointwise, 4},
    {"pow", 2, OpClass::pointwise, 24},
    {"max", 2, OpClass::pointwise, 1},
    {"min", 2, OpClass::pointwise, 1},
    {"fmod", 2, OpClass::pointwise, 8},
    {"atan2", 2, OpClass::pointwise, 18},
    {"eq", 2, OpClass::pointwise, 1},
    {"ne", 2, OpClass::pointwise, 1},
    {"lt", 2, OpClass::pointwise, 1},
    {"le", 2, OpClass::pointwise, 1},
    {"and", 2, OpClass::pointwise, 1},
    {"or", 2, OpClass::pointwise, 1},
    {"xor", 2, OpClass::pointwise, 1},
    {"shift_right", 2, OpClass::pointwise, 1},
    {"select", 3, OpClass::pointwise, 1},
    {"fma", 3, OpClass::pointwise, 1},
    {"surrogate", 2, OpClass::marker, 0},
    {"slope", 3, OpClass::marker, 0},
    {"f8_gradient", 2, OpClass::marker, 0},
    {"group_copy", 1, OpClass::marker, 0},
    {"broadcast", 1, OpClass::movement, 0},
    {"reshape", 1, OpClass::movement, 0},
    {"permute", 1, OpClass::movement, 0},
    {"slice", 1, OpClass::movement, 0},
    {"pad", 1, OpClass::movement, 1},
    {"add_dependency", 2, OpClass::movement, 0},
    {"sum", 1, OpClass::reduction, 1},
    {"reduce_max", 1, OpClass::reduction, 1},
    {"reduce_min", 1, OpClass::reduction, 1},
    {"reduce_prod", 1, OpClass::reduction, 1},
    {"argmax", 1, OpClass::reduction, 2},
    {"argmin", 1, OpClass::reduction, 2},
    {"dot", 2, OpClass::dot, 1},
    {"conv", 2, OpClass::conv, 1},
    {"take_rows", 2, OpClass::index, 1},
    {"scatter_add", 2, OpClass::index, 2},
    {"scan", 1, OpClass::along_axis, 2},
    {"argsort", 1, OpClass::along_axis, 16},
    {"take_along_axis", 2, OpClass::along_axis, 1},
    {"scatter_reduce", 2, OpClass::along_axis, 2},
    {"searchsorted", 2, OpClass::along_axis, 8},
    {"dynamic_slice", -1, OpClass::dynamic_slice, 1},
    {"dynamic_update_slice", -1, OpClass::dynamic_slice, 1},
    {"custom", -1, OpClass::custom, 4},
    {"all_reduce_start", 1, OpClass::collective, 1},
    {"all_reduce_done", 1, OpClass::collective, 0},
    {"reduce_scatter_start", 1, OpClass::collective, 1},
    {"reduce_scatter_done", 1, OpClass::collective, 0},
    {"reduce_scatter_into_start", -1, OpClass::collective, 1},
    {"reduce_scatter_into_done", 1, OpClass::collective, 0},
    {"reduce_scatter_state_start", 2, OpClass::collective, 1},
    {"all_reduce_max", 1, OpClass::collective, 1},
    {"all_gather_state_start", 1, OpClass::collective, 0},
    {"all_gather_start", 1, OpClass::collective, 0},
    {"collective_await", 1, OpClass::collective, 0},
    {"all_gather_done", 1, OpClass::collective, 0},
    {"group_collective", 1, OpClass::collective, 1},
    {"flat_concat", -1, OpClass::arena, 0},
    {"flat_slice", 1, OpClass::arena, 0},
    {"loop", -1, OpClass::region, 0},
    {"attention", -1, OpClass::region, 1},
    {"attention_gradient", -1, OpClass::region, 1},
    {"result", 1, OpClass::region, 0},
};

constexpr const OpInfo& info(Op op) { return op_table[static_cast<int>(op)]; }
constexpr bool is_pointwise(Op op) { return op >= Op::neg && op <= Op::fma; }
constexpr bool is_movement(Op op) { return op >= Op::broadcast && op <= Op::add_dependency; }
// Operands whose values are read; those behind them are control edges.
constexpr int data_operands(Op op, int arity) { return op == Op::add_dependency ? 1 : arity; }
constexpr bool is_collective(Op op) { return op >= Op::all_reduce_start && op <= Op::all_gather_done; }
// One that works where its operand lies, in the arena of gradients.
constexpr bool is_arena_collective(Op op) {
  return op >= Op::all_reduce_start && op <= Op::reduce_scatter_done;
}
// A node whose values are its `result` nodes.
constexpr bool is_region(Op op) { return op >= Op::loop && op <= Op::attention_gradient; }
constexpr bool is_attention(Op op) { return op == Op::attention || op == Op::attention_gradient; }
constexpr bool is_reduction(Op op) { return op >= Op::reduce_sum && op <= Op::argmin; }
constexpr bool is_along_axis(Op op) { return op >= Op::scan && op <= Op::searchsorted; }
constexpr bool is_dynamic_slice(Op op) { return op == Op::dynamic_slice || op == Op::dynamic_update_slice; }
// Comparisons and predicates: their result is boolean whatever the operands are.
constexpr bool is_predicate(Op op) {
  return (op >= Op::eq && op <= Op::le) || op == Op::is_finite || op == Op::is_nan || op == Op::logical_not;
}

}  // namespace WEFT_NAMESPACE::ir
