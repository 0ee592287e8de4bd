#pragma once
// A loop as one step that repeats the steps of its body. The body is compiled by the same passes as a
// program; its inputs and outputs become bindings, which say what they are in each trip.

#include "weft/compiler/lowered.hpp"
#include "weft/kernel_ir/loop_memory.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr Lowered lower(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan);

// What carry k's value, or a row of what is stacked, is in each trip of a loop.
class LoopBindings {
 public:
  using BufferAddress = kernel_ir::BufferAddress;

  constexpr LoopBindings(const ir::Graph& graph, const kernel_ir::Fusion& fusion, const kernel_ir::Plan& plan,
                         int k, const kernel_ir::LoopMemory& memory)
      : g(graph),
        f(fusion),
        p(plan),
        kernel_(k),
        loop_(fusion.kernels[k].opaque),
        m(memory),
        shape_(memory.shape) {}

  // Where an operand starts; it is contiguous.
  constexpr u64 operand(int k) const {
    const int x = g.in(loop_, k);
    return p.address(f.view_in(g, x, kernel_), g.nodes[x].dtype);
  }
  constexpr u64 result(int which) const { return p.where[m.result[which]]; }

  constexpr Binding input(int k) const {
    if (k < shape_.carries) return has_history(k) ? row_of_history(k, shape_.read_from()) : buffer(k, true);
    Binding b;
    b.base = operand(k);
    if (!shape_.is_stacked(k)) return b;
    b = along(b.base, g.in(loop_, k), 0);
    b.ahead = shape_.is_ahead(k);
    if (b.ahead) b.base += static_cast<u64>(b.stride);
    return b;
  }
  constexpr Binding output(int k) const {
    if (k < shape_.carries)
      return has_history(k) ? row_of_history(k, shape_.written_from()) : buffer(k, false);
    const int which = shape_.output(k - shape_.carries);
    return along(result(which), m.result[which], 0);
  }

  constexpr bool has_history(int k) const { return m.result[shape_.history_of(k)] >= 0; }
  constexpr i64 carry_bytes(int k) const { return kernel_ir::bytes_of(g, g.in(loop_, k)); }
  // Where carry k starts from.
  constexpr u64 first_row(int k) const {
    return result(shape_.history_of(k)) + static_cast<u64>(shape_.first_row() * carry_bytes(k));
  }
  constexpr u64 last_row(int k) const {
    return result(shape_.history_of(k)) + static_cast<u64>(shape_.last_row() * carry_bytes(k));
  }
  constexpr bool has_final(int k) const { return m.result[shape_.final_of(k)] >= 0; }
  // Where a carry without a history ends.
  constexpr u64 primary(int k) const {
    const int which = shape_.final_of(k);
    return m.result[which] >= 0 ? result(which)
                                : p.tilings[kernel_].partials + static_cast<u64>(m.primary[k]);
  }

 private:
  // Rows of `stack`, whose first is at `base`, from row `from` on, in the loop's direction.
  constexpr Binding along(u64 base, int stack, i64 from) const {
    const Dims& d = g.dims(stack);
    const i64 row = d.extent[0] > 0 ? kernel_ir::bytes_of(g, stack) / d.extent[0] : 0;
    Binding b;
    b.base = base + static_cast<u64>((from + (shape_.reverse ? shape_.trips - 1 : 0)) * row);
    b.stride = shape_.reverse ? -row : row;
    return b;
  }
  constexpr Binding row_of_history(int k, i64 from) const {
    const int which = shape_.history_of(k);
    return along(result(which), m.result[which], from);
  }
  constexpr Binding buffer(int k, bool read) const {
    Binding b;
    if (m.stays(k)) {
      b.base = primary(k);
      return b;
    }
    const bool starts_there = m.starts_there[k] != 0;
    const u64 last = starts_there && m.primary[k] < 0 ? operand(k) : primary(k);
    const u64 second = shape_.trips == 1 ? last
                       : starts_there && m.second[k] < 0
                           ? operand(k)
                           : p.tilings[kernel_].partials + static_cast<u64>(m.second[k]);
    b.base = read ? second : last;
    b.other = read ? last : second;
    if (read && !starts_there) b.first = operand(k);
    return b;
  }

  const ir::Graph& g;
  const kernel_ir::Fusion& f;
  const kernel_ir::Plan& p;
  int kernel_, loop_;
  const kernel_ir::LoopMemory& m;
  const ir::LoopShape& shape_;
};

constexpr void lower_loop(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan, int k,
                          Lowered& out) {
  using kernel_ir::BufferAddress;
  const kernel_ir::LoopMemory memory(g, f, plan, k);
  const ir::LoopShape& shape = memory.shape;
  const LoopBindings bindings(g, f, plan, k, memory);
  const auto copy = [&](u64 from, u64 to, i64 bytes) {
    List<u64> addresses, numbers;
    addresses.push(from);
    addresses.push(to);
    numbers.push(static_cast<u64>(bytes));
    if (from != to && bytes > 0)
      out.step(StepKind::copy, out.kernel(StepKind::copy, List<u64>()), addresses, numbers).bytes = 2 * bytes;
  };
  for (int c = 0; c < shape.carries; ++c) {
    if (bindings.has_history(c))
      copy(bindings.operand(c), bindings.first_row(c), bindings.carry_bytes(c));
    else if (shape.trips == 0 || memory.stays(c))
      copy(bindings.operand(c), bindings.primary(c), bindings.carry_bytes(c));
  }
  // beside a history the last value is a copy of its last row
  const auto copy_finals = [&] {
    for (int c = 0; c < shape.carries; ++c)
      if (bindings.has_history(c) && bindings.has_final(c))
        copy(bindings.last_row(c), bindings.primary(c), bindings.carry_bytes(c));
  };
  if (shape.trips == 0) {
    copy_finals();
    return;
  }

  Lowered inside = lower(memory.body, memory.fusion, memory.plan);
  const int inputs = shape.operands(), outputs = shape.carries + shape.outputs, own = inputs + outputs;
  Lowered part;
  for (int i = 0; i < inputs; ++i) part.bindings.push(bindings.input(i));
  for (int i = 0; i < outputs; ++i) part.bindings.push(bindings.output(i));
  // the body's addresses as the enclosing graph's
  const auto translate = [&](u64& a) {
    if (a == BufferAddress::none) return;
    const i64 offset = BufferAddress::offset(a);
    switch (BufferAddress::space(a)) {
      case ir::Space::workspace:
        a = plan.tilings[k].partials + static_cast<u64>(offset);
        return;
      case ir::Space::input:
        a = BufferAddress::make(ir::Space::bound, offset, BufferAddress::index(a));
        return;
      case ir::Space::output:
        a = BufferAddress::make(ir::Space::bound, offset, inputs + BufferAddress::index(a));
        return;
      case ir::Space::bound:
        a = BufferAddress::make(ir::Space::bound, offset, own + BufferAddress::index(a));
        return;
      default:
        return;
    }
  };
  for (u64& a : inside.addresses) translate(a);
  for (Binding& b : inside.bindings)
    for (u64* a : {&b.first, &b.base, &b.other}) translate(*a);
  List<u64> numbers(RepeatCall::numbers, 0);
  RepeatCall{shape.trips, inside.steps.size(), 0, own}.encode(numbers.data());
  part.step(StepKind::repeat, part.kernel(StepKind::repeat, List<u64>()), List<u64>(), numbers);
  // nested bindings are numbered already: those of `inside` follow this loop's own
  const List<Binding> nested = inside.bindings;
  inside.bindings.clear();
  for (const Step& s : inside.steps)
    if (s.kind == StepKind::repeat) inside.move_bindings(s, own);
  part.append(inside);
  part.bindings.append(nested.data(), nested.size());
  out.append(part);
  copy_finals();
}

}  // namespace WEFT_NAMESPACE::compiler

#include "weft/compiler/lower.hpp"
