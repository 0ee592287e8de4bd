#pragma once
// An instruction ready to run: a function and the places of its operands in a warp's registers.

#include <vector>

#include "softgpu/types.hpp"

namespace softgpu {

class Warp;
struct Op;

// Does the instruction for the lanes of `active`, which is never empty.
using Execute = void (*)(Warp& warp, const Op& op, u32 active);

// What the loop over instructions does itself.
enum class Control : u8 { none, branch, exit, block_barrier, warp_barrier, collective, trap };

// For counting.
enum class Class : u8 {
  integer,
  floating,
  convert,
  move,
  predicate,
  load_global,
  store_global,
  shared,
  param,
  control,
  exchange,
  atomic,
  tensor,
  local
};
inline constexpr int class_count = 14;
inline constexpr const char* class_names[class_count] = {
    "integer", "floating", "convert", "move",     "predicate", "global loads", "global stores",
    "shared",  "param",    "control", "exchange", "atomic",    "tensor",       "local"};

// A row of registers: its place, in bytes from the warp's first.
using Row = u32;
inline constexpr Row no_row = ~0u;

struct Op {
  Execute execute = nullptr;
  Control control = Control::none;
  Class kind = Class::integer;
  bool guarded = false, guard_negated = false;
  bool wide = false;  // loads and stores: the registers have 64 bits
  u8 count = 1;       // elements of a load or store, bytes of a copy
  u8 bytes = 0;       // a lane, of a load, store or copy
  Row guard = no_row;
  Row members = no_row;                              // of instructions that lanes run together: which lanes
  Row d[4]{no_row, no_row, no_row, no_row};          // results
  Row s[5]{no_row, no_row, no_row, no_row, no_row};  // operands; of memory, the address first
  Row more[5]{no_row, no_row, no_row, no_row, no_row};  // the sixth operand and those behind it
  std::vector<Row> many;                                // of a warpgroup's product: sums, then operands
  i64 offset = 0;                                       // of an address
  i64 second_offset = 0;                                // of a copy's other address
  u32 target = 0;                                       // of a branch
  u32 used_bytes = ~0u;
  int line = 0;

  Row& operand(std::size_t k) { return k < 5 ? s[k] : more[k - 5]; }
  Row operand(std::size_t k) const { return k < 5 ? s[k] : more[k - 5]; }
};

}  // namespace softgpu
