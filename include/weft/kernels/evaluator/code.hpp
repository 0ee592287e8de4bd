#pragma once
// Code<word, word, ...>: a kernel's bytecode as a type. Only 64-bit integers, because they alone survive
// every compiler's mangling of a __global__ template; equal kernels are one instantiation.
//
// A fused kernel's words: one header word (operands, instructions, row axes, column axes, passes, flags), one
// with the number of kept elements, the ends of its sections, the extents of its axes (0: a launch argument),
// its operands (a word, one stride an axis, and for a window a low and a high bound an axis), its
// instructions. Sections: chunk, row 0, element 0, row 1, element 1, ..., row P.

#include "weft/core/dtype.hpp"
#include "weft/kernels/evaluator/opcode.hpp"

namespace WEFT_NAMESPACE::kernels {

template <u64... W>
struct Code {
  static constexpr int size = sizeof...(W);
  static constexpr u64 w[sizeof...(W)]{W...};
};

enum class Role : u8 { load, store, index, accumulate_columns, accumulate_total, random };

struct OperandWord {
  DType dtype{};
  Role role{};
  bool window = false;
  WEFT_HD constexpr u64 encode() const {
    return static_cast<u64>(dtype) | static_cast<u64>(role) << 8 | static_cast<u64>(window) << 16;
  }
  WEFT_HD static constexpr OperandWord decode(u64 w) {
    return {static_cast<DType>(w & 255), static_cast<Role>(w >> 8 & 255), (w >> 16 & 1) != 0};
  }
};

struct FusedHeader {
  int operands = 0, instructions = 0, row_axes = 0, col_axes = 0, passes = 0, kept = 0;
  bool segmented = false;    // rows are tiles of the ranges of a parameter group
  bool windows = false;      // operands carry bounds
  bool even = false;         // rows whose length is a launch argument end with a whole value of any team
  bool by_elements = false;  // chunks are so many elements in row-major order, and may begin within a row
  int batch_axes = 0;        // sums along the rows are of the rows at one place of these first axes
  WEFT_HD constexpr void encode(u64* w) const {
    w[0] = static_cast<u64>(operands) | static_cast<u64>(instructions) << 16 |
           static_cast<u64>(row_axes) << 32 | static_cast<u64>(col_axes) << 40 |
           static_cast<u64>(passes) << 48;
    w[1] = static_cast<u64>(kept) | static_cast<u64>(segmented) << 32 | static_cast<u64>(windows) << 33 |
           static_cast<u64>(even) << 34 | static_cast<u64>(by_elements) << 35 |
           static_cast<u64>(batch_axes) << 40;
  }
  WEFT_HD static constexpr FusedHeader decode(const u64* w) {
    FusedHeader h;
    h.operands = static_cast<int>(w[0] & 0xffff);
    h.instructions = static_cast<int>(w[0] >> 16 & 0xffff);
    h.row_axes = static_cast<int>(w[0] >> 32 & 255);
    h.col_axes = static_cast<int>(w[0] >> 40 & 255);
    h.passes = static_cast<int>(w[0] >> 48 & 255);
    h.kept = static_cast<int>(w[1] & 0xffffffff);
    h.segmented = (w[1] >> 32 & 1) != 0;
    h.windows = (w[1] >> 33 & 1) != 0;
    h.even = (w[1] >> 34 & 1) != 0;
    h.by_elements = (w[1] >> 35 & 1) != 0;
    h.batch_axes = static_cast<int>(w[1] >> 40 & 255);
    return h;
  }
  WEFT_HD constexpr int sections() const { return 2 * passes + 2; }
  WEFT_HD constexpr int axes() const { return row_axes + col_axes; }
  WEFT_HD constexpr int operand_words() const { return 1 + (windows ? 3 : 1) * axes(); }
  // Where the parts begin, in words.
  static constexpr int section_at = 2;
  WEFT_HD constexpr int extent_at() const { return section_at + sections(); }
  WEFT_HD constexpr int operand_at() const { return extent_at() + axes(); }
  WEFT_HD constexpr int instruction_at() const { return operand_at() + operand_words() * operands; }
};

// A fused kernel's words, read back at compile time.
template <class C>
struct FusedView {
  static constexpr FusedHeader header = FusedHeader::decode(C::w);
  static constexpr int section_at = header.section_at;
  static constexpr int extent_at = header.extent_at();
  static constexpr int operand_at = header.operand_at();
  static constexpr int operand_words = header.operand_words();
  static constexpr int instruction_at = header.instruction_at();

  WEFT_HD static constexpr int section_begin(int s) {
    return s == 0 ? 0 : static_cast<int>(C::w[section_at + s - 1]);
  }
  WEFT_HD static constexpr int section_end(int s) { return static_cast<int>(C::w[section_at + s]); }
  WEFT_HD static constexpr i64 extent(int axis) { return static_cast<i64>(C::w[extent_at + axis]); }
  WEFT_HD static constexpr OperandWord operand(int k) {
    return OperandWord::decode(C::w[operand_at + k * operand_words]);
  }
  WEFT_HD static constexpr i64 stride(int k, int axis) {
    return static_cast<i64>(C::w[operand_at + k * operand_words + 1 + axis]);
  }
  WEFT_HD static constexpr i64 low(int k, int axis) {
    return static_cast<i64>(C::w[operand_at + k * operand_words + 1 + header.axes() + axis]);
  }
  WEFT_HD static constexpr i64 high(int k, int axis) {
    return static_cast<i64>(C::w[operand_at + k * operand_words + 1 + 2 * header.axes() + axis]);
  }
  WEFT_HD static constexpr Instruction instruction(int i) {
    return decode(C::w + instruction_at + instruction_words * i);
  }
};

// One range of a parameter group's arena.
struct Segment {
  i64 first_tile = 0;  // tiles of earlier ranges
  i64 offset = 0;      // elements
  i64 length = 0;
};
inline constexpr i64 tile_length = 4096;
inline constexpr int widest_value = 16;  // columns that a team takes as one value, at most

// What a launch is given besides its code.
struct LaunchArgs {
  static constexpr int max_operands = 64;
  static constexpr int max_streams = 8;
  void* pointer[max_operands]{};
  i64 rows = 0;
  i64 rows_per_chunk = 0;  // or elements: FusedHeader::by_elements
  i64 chunks = 0;
  i64 last_cols = 0;      // columns of the last row (a flat walk's ragged end), else the number of columns
  i64 partial_bytes = 0;  // from one chunk's partial sums to the next's; 0: sums go straight to their place
  u32 stream[max_streams]{};
  const Segment* segments = nullptr;  // of a segmented kernel
  int segment_count = 0;
  bool clipped = false;  // the segments are what a rank has of a parameter group's; host only
  i64 first_row = 0;     // rows are counted from it: those that a rank has of a vector's
};

}  // namespace WEFT_NAMESPACE::kernels
