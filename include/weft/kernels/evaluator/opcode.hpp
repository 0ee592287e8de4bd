#pragma once
// The instructions of a fused kernel. The pointwise ones stand in the order of ir's pointwise primitives,
// which lowering relies on and asserts.

#include "weft/core/config.hpp"
#include "weft/core/fold.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::kernels {

enum class Opcode : u8 {
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
  copy,
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
  select,
  fma,
  // what a fused kernel does besides arithmetic
  constant,    // imm: bits (f64 or i64)
  load,        // aux: operand
  index,       // aux: operand, whose strides give the index
  random,      // a: linear index (i64); aux: which stream; aux2: the operand that holds seed and step
  reduce,      // a; aux: Fold; compensated; over the columns of the row
  store,       // a; aux: operand
  accumulate,  // a; aux: operand; aux2: Fold; compensated; over the rows (for a total, the columns too)
  keep,        // a; aux: slot; holds an element for a later pass over the row
  kept,        // aux: slot
};

using weft::Fold;

// Where an instruction is evaluated.
enum class Stage : u8 { chunk, row, element };

struct Instruction {
  Opcode op{};
  u8 dtype = 0;  // DType of the result
  Stage stage = Stage::element;
  u16 a = 0, b = 0, c = 0;
  u16 aux = 0, aux2 = 0;
  bool compensated = false;  // a sum so long that the host adds what rounding loses of it too
  u64 imm = 0;
};

// Two words an instruction: what it does with which registers, and its number. A load names its operand in
// place of the first register.
inline constexpr int instruction_words = 2;
WEFT_HD constexpr void encode(const Instruction& i, u64* w) {
  const bool numbered = i.op == Opcode::constant || i.op == Opcode::load;
  w[0] = static_cast<u64>(i.op) | static_cast<u64>(i.dtype) << 8 | static_cast<u64>(i.stage) << 12 |
         static_cast<u64>(numbered ? i.aux : i.a) << 16 | static_cast<u64>(i.b) << 32 |
         static_cast<u64>(i.c) << 48;
  w[1] = numbered ? i.imm
                  : static_cast<u64>(i.aux) | static_cast<u64>(i.aux2) << 16 |
                        static_cast<u64>(i.compensated) << 32;
}
WEFT_HD constexpr Instruction decode(const u64* w) {
  Instruction i;
  i.op = static_cast<Opcode>(w[0] & 255);
  i.dtype = static_cast<u8>(w[0] >> 8 & 15);
  i.stage = static_cast<Stage>(w[0] >> 12 & 15);
  i.b = static_cast<u16>(w[0] >> 32 & 0xffff);
  i.c = static_cast<u16>(w[0] >> 48);
  if (i.op == Opcode::constant || i.op == Opcode::load) {
    i.aux = static_cast<u16>(w[0] >> 16 & 0xffff);
    i.imm = w[1];
  } else {
    i.a = static_cast<u16>(w[0] >> 16 & 0xffff);
    i.aux = static_cast<u16>(w[1] & 0xffff);
    i.aux2 = static_cast<u16>(w[1] >> 16 & 0xffff);
    i.compensated = (w[1] >> 32 & 1) != 0;
  }
  return i;
}

}  // namespace WEFT_NAMESPACE::kernels
