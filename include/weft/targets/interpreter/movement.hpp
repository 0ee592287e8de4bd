#pragma once
// What copies elements, whatever their dtype, as a plain function of its operands' memory: leaves, movement,
// select, lookups, arenas.

#include <limits>

#include "weft/core/philox.hpp"
#include "weft/targets/interpreter/along_axis.hpp"

namespace WEFT_NAMESPACE::exec {

inline void copy_bytes(void* to, const void* from, i64 bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
inline void fill_elements(std::byte* to, const Element& element, i64 count, int unit) {
  for (i64 i = 0; i < count; ++i) copy_bytes(to + i * unit, element.bytes, unit);
}
// What a lookup gives for a place that does not exist: NaN, 0 for what is no float.
inline Element missing_element(DType t) {
  const f64 nan = std::numeric_limits<f64>::quiet_NaN();
  return is_float(t) ? constant_element(t, std::bit_cast<u64>(nan)) : Element{};
}

inline void run_iota(const NodeCall& c) {
  const DType t = c.self().dtype;
  const int unit = size_of(t), axis = static_cast<int>(c.self().imm);
  const ir::AxisExtents lines = ir::extents_along(c.dims(), axis);
  const i64 size = c.dims().size();
  for (i64 i = 0; i < size; ++i) {
    const i64 place = i / lines.inner % lines.extent;
    const u64 bits = is_float(t) ? std::bit_cast<u64>(static_cast<f64>(place)) : static_cast<u64>(place);
    copy_bytes(c.out + i * unit, constant_element(t, bits).bytes, unit);
  }
}

// `key`: the words of seed and step.
inline void run_random(const NodeCall& c, const u32* key) {
  const u32 stream = static_cast<u32>(c.self().imm), seed[2]{key[0], key[1]};
  const i64 size = c.dims().size();
  Philox4 block{};
  for (i64 i = 0; i < size; ++i) {
    const u32 linear = static_cast<u32>(i);
    const u32 counter[4]{linear >> 2, key[2], stream, key[3]};
    if (linear % 4 == 0) block = philox(counter, seed);
    c.result<u32>()[i] = block.x[linear & 3u];
  }
}

// broadcast, permute, slice: elements of the operand, read along other steps.
inline void run_view(const NodeCall& c) {
  const Dims &from = c.operand_dims(0), &to = c.dims();
  const Steps steps = row_major(from);
  Steps along;
  i64 start = 0;
  for (int a = 0; a < to.rank; ++a) {
    const int b = a - (to.rank - from.rank);
    if (c.self().op == ir::Op::broadcast)
      along.by[a] = b < 0 || from.extent[b] == 1 ? 0 : steps.by[b];
    else if (c.self().op == ir::Op::permute)
      along.by[a] = steps.by[c.graph.attribute(c.node, a)];
    else
      start += c.graph.attribute(c.node, 2 * a) * steps.by[a],
          along.by[a] = c.graph.attribute(c.node, 2 * a + 1) * steps.by[a];
  }
  const int unit = size_of(c.self().dtype);
  std::byte* out = c.out;
  for (Walk walk(to, along); !walk.done(); walk.next(), out += unit)
    copy_bytes(out, c.in[0] + (start + walk.at) * unit, unit);
}

inline void run_pad(const NodeCall& c) {
  const Dims &from = c.operand_dims(0), &to = c.dims();
  const Steps steps = row_major(to);
  const int unit = size_of(c.self().dtype);
  fill_elements(c.out, constant_element(c.self().dtype, c.self().imm), to.size(), unit);
  i64 start = 0;
  for (int a = 0; a < to.rank; ++a) start += c.graph.attribute(c.node, 2 * a) * steps.by[a];
  const std::byte* x = c.in[0];
  for (Walk walk(from, steps); !walk.done(); walk.next(), x += unit)
    copy_bytes(c.out + (start + walk.at) * unit, x, unit);
}

inline void run_select(const NodeCall& c) {
  const int unit = size_of(c.self().dtype);
  const i64 size = c.dims().size();
  for (i64 i = 0; i < size; ++i)
    copy_bytes(c.out + i * unit, c.in[c.operand<bool>(0)[i] ? 1 : 2] + i * unit, unit);
}

inline void run_take_rows(const NodeCall& c) {
  const Dims& table = c.operand_dims(0);
  const i64 rows = table.extent[0], unit = size_of(c.self().dtype), count = c.operand_dims(1).size();
  const i64 width = count > 0 ? c.dims().size() / count : 0;
  const Element missing = missing_element(c.self().dtype);
  for (i64 i = 0; i < count; ++i) {
    const i64 row = read_integer(c.operand_dtype(1), c.in[1], i);
    std::byte* const to = c.out + i * width * unit;
    if (row >= 0 && row < rows)
      copy_bytes(to, c.in[0] + row * width * unit, width * unit);
    else
      fill_elements(to, missing, width, static_cast<int>(unit));
  }
}

inline void run_take_along_axis(const NodeCall& c) {
  const int axis = ir::axis_of(c.graph, c.node), unit = size_of(c.self().dtype);
  const ir::AxisExtents lines = ir::extents_along(c.operand_dims(0), axis);
  const i64 count = c.dims().extent[axis];
  const Element missing = c.graph.attribute(c.node, 1) != 0 ? Element{} : missing_element(c.self().dtype);
  each_line(lines, [&](i64 o, i64 k) {
    for (i64 j = 0; j < count; ++j) {
      const i64 to = (o * count + j) * lines.inner + k;
      const i64 at = place_along(read_integer(c.operand_dtype(1), c.in[1], to), lines.extent);
      copy_bytes(c.out + to * unit,
                 at < 0 ? missing.bytes : c.in[0] + ((o * lines.extent + at) * lines.inner + k) * unit, unit);
    }
  });
}

// dynamic_slice and dynamic_update_slice (ir/dynamic_slice.hpp): an offset outside is moved to where the
// block fits.
inline void run_dynamic_slice(const NodeCall& c) {
  const bool update = c.self().op == ir::Op::dynamic_update_slice;
  const Dims &whole = c.operand_dims(0), &block = update ? c.operand_dims(1) : c.dims();
  const Steps steps = row_major(whole);
  const int unit = size_of(c.self().dtype), batch = static_cast<int>(c.graph.attribute(c.node, 0));
  if (update) copy_bytes(c.out, c.in[0], whole.size() * unit);
  i64 per_sample = 1;
  for (int a = batch; a < block.rank; ++a) per_sample *= block.extent[a];
  i64 flat = 0;
  for (Walk walk(block, steps); !walk.done(); walk.next(), ++flat) {
    i64 at = walk.at;
    for (int a = 0, next = update ? 2 : 1; a < whole.rank; ++a) {
      i64 begin = c.graph.attribute(c.node, a + 1);
      if (begin < 0) {
        const i64 last = whole.extent[a] - block.extent[a];
        begin = read_integer(c.operand_dtype(next), c.in[next], flat / per_sample);
        begin = begin < 0 ? 0 : begin > last ? last : begin;
        ++next;
      }
      at += begin * steps.by[a];
    }
    if (update)
      copy_bytes(c.out + at * unit, c.in[1] + flat * unit, unit);
    else
      copy_bytes(c.out + flat * unit, c.in[0] + at * unit, unit);
  }
}

// The vector of parameter group `group` with element `offset` of its arena.
inline i64 place_in_group(const ir::Graph& g, int group, i64 offset) {
  const ir::Span span = g.param_groups[group];
  i64 before = 0;
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    if (offset < range.offset + range.length) return before + offset - range.offset;
    before += range.length;
  }
  return before;
}
inline void run_flat_concat(const NodeCall& c) {
  const int unit = size_of(c.self().dtype), group = static_cast<int>(static_cast<i64>(c.self().imm));
  fill_elements(c.out, Element{}, c.dims().size(), unit);
  for (int k = 0; k < c.self().arity; ++k) {
    const i64 offset = c.graph.attribute(c.node, k);
    copy_bytes(c.out + (group < 0 ? offset : place_in_group(c.graph, group, offset)) * unit, c.in[k],
               c.operand_dims(k).size() * unit);
  }
}

// Calls f(in memory, in the vector, bytes) for each piece of a slot.
template <class F>
void each_piece(const ir::Graph& g, const ir::Slot& slot, const F& f) {
  const i64 unit = size_of(slot.dtype);
  if (slot.segments < 0) return f(slot.offset, i64{0}, g.shapes[slot.shape].size() * unit);
  const ir::Span span = g.param_groups[slot.segments];
  i64 at = 0;
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    f(slot.offset + range.offset * unit, at, range.length * unit);
    at += range.length * unit;
  }
}

inline void run_constant(const NodeCall& c) {
  const DType t = c.self().dtype;
  fill_elements(c.out, constant_element(t, c.self().imm), c.dims().size(), size_of(t));
}
// A bitcast, a reshape, a marker.
inline void run_copy(const NodeCall& c) {
  copy_bytes(c.out, c.in[0], c.dims().size() * size_of(c.self().dtype));
}
inline void run_flat_slice(const NodeCall& c) {
  const i64 unit = size_of(c.self().dtype);
  copy_bytes(c.out, c.in[0] + static_cast<i64>(c.self().imm) * unit, c.dims().size() * unit);
}

}  // namespace WEFT_NAMESPACE::exec
