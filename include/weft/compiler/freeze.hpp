#pragma once
// Plans and lowered parts as words, and back: what crosses from one constant evaluation to the next.

#include "weft/compiler/lowered.hpp"
#include "weft/core/constexpr_stage.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void write(WordWriter& w, const kernel_ir::Plan& p) {
  w.put_int(p.where.size());
  w.put_int(p.tilings.size());
  w.put_int(p.copies.size());
  w.put_int(p.outputs.size());
  w.put_int(p.workspace_bytes);
  w.put_int(p.combines.size());
  w.put_all(p.where.data(), p.where.size());
  for (const kernel_ir::Tiling& c : p.tilings) {
    w.put_int(c.rows);
    w.put_int(c.cols);
    w.put_int(c.rows_per_chunk);
    w.put_int(c.chunks);
    w.put_int(c.batch_rows);
    w.put_pair(4 * c.split + (c.by_elements ? 2 : 0) + (c.flat ? 1 : 0), c.segments);
    w.put(c.partials);
  }
  for (const kernel_ir::Copy& c : p.copies) {
    w.put(c.from);
    w.put(c.to);
    w.put_int(c.bytes);
    w.put_int(2 * c.before + (c.of_group ? 1 : 0));
  }
  for (u64 a : p.outputs) w.put(a);
  for (int k : p.combines) w.put_int(k);
}

// The plan that Stage wrote, as constant arrays; plan() borrows them.
template <class Stage>
struct FrozenPlan {
  static constexpr int count(int which) { return static_cast<int>(Kept<Stage>::data[which]); }
  static constexpr int places = count(0), tilings = count(1), copies = count(2), outputs = count(3),
                       combines = count(5);
  template <class S>  // a template, so that its members wait for the counts
  struct Arrays {
    u64 where[at_least_one(S::places)]{};
    kernel_ir::Tiling tilings[at_least_one(S::tilings)]{};
    kernel_ir::Copy copies[at_least_one(S::copies)]{};
    u64 outputs[at_least_one(S::outputs)]{};
    int combines[at_least_one(S::combines)]{};
  };
  template <class S>
  static constexpr Arrays<S> read() {
    Arrays<S> to;
    WordReader r(Kept<Stage>::data + 6);
    const u64* const from = r.take(S::places);
    for (int i = 0; i < S::places; ++i) to.where[i] = from[i];
    for (int i = 0; i < S::tilings; ++i) {
      kernel_ir::Tiling& c = to.tilings[i];
      c.rows = r.get_int();
      c.cols = r.get_int();
      c.rows_per_chunk = r.get_int();
      c.chunks = r.get_int();
      c.batch_rows = r.get_int();
      const u64 flags = r.get();
      c.flat = WordReader::low(flags) % 2 != 0;
      c.by_elements = WordReader::low(flags) / 2 % 2 != 0;
      c.split = WordReader::low(flags) / 4;
      c.segments = WordReader::high(flags);
      c.partials = r.get();
    }
    for (int i = 0; i < S::copies; ++i) {
      kernel_ir::Copy& c = to.copies[i];
      c.from = r.get();
      c.to = r.get();
      c.bytes = r.get_int();
      const i64 before = r.get_int();
      c.before = static_cast<int>(before / 2);
      c.of_group = before % 2 != 0;
    }
    for (int i = 0; i < S::outputs; ++i) to.outputs[i] = r.get();
    for (int i = 0; i < S::combines; ++i) to.combines[i] = static_cast<int>(r.get_int());
    return to;
  }
  static constexpr Arrays<FrozenPlan> arrays = read<FrozenPlan>();

  static constexpr kernel_ir::Plan plan() {
    kernel_ir::Plan p;
    p.where = List<u64>::borrow(arrays.where, places);
    p.tilings = List<kernel_ir::Tiling>::borrow(arrays.tilings, tilings);
    p.copies = List<kernel_ir::Copy>::borrow(arrays.copies, copies);
    p.outputs = List<u64>::borrow(arrays.outputs, outputs);
    p.combines = List<int>::borrow(arrays.combines, combines);
    p.workspace_bytes = static_cast<i64>(Kept<Stage>::data[4]);
    return p;
  }
};

constexpr void write(WordWriter& w, const Lowered& l) {
  w.put_int(l.kernels.size());
  for (const KernelCode& k : l.kernels) {
    w.put_int(static_cast<i64>(k.kind));
    w.put_pair(k.words.begin, k.words.size);
  }
  w.put_int(l.steps.size());
  for (const Step& s : l.steps) {
    w.put_pair(static_cast<int>(s.kind), s.kernel);
    w.put_pair(s.addresses.begin, s.addresses.size);
    w.put_pair(s.numbers.begin, s.numbers.size);
    w.put_int(s.bytes);
    w.put_int(s.flops);
  }
  for (const List<u64>* list : {&l.words, &l.addresses, &l.numbers}) {
    w.put_int(list->size());
    w.put_all(list->data(), list->size());
  }
  w.put_int(l.bindings.size());
  for (const Binding& b : l.bindings) {
    for (const u64 a : {b.first, b.base, b.other}) w.put(a);
    w.put_int(b.stride);
    w.put(b.ahead ? 1 : 0);
  }
}

constexpr Lowered thaw_lowered(const u64* words) {
  WordReader r(words);
  Lowered l;
  l.kernels.resize(r.get_size());
  for (KernelCode& k : l.kernels) {
    k.kind = static_cast<StepKind>(r.get_int());
    const u64 span = r.get();
    k.words = {WordReader::low(span), WordReader::high(span)};
  }
  const auto span = [&] {
    const u64 w = r.get();
    return ir::Span{WordReader::low(w), WordReader::high(w)};
  };
  l.steps.resize(r.get_size());
  for (Step& s : l.steps) {
    const u64 kind = r.get();
    s.kind = static_cast<StepKind>(WordReader::low(kind));
    s.kernel = WordReader::high(kind);
    s.addresses = span();
    s.numbers = span();
    s.bytes = r.get_int();
    s.flops = r.get_int();
  }
  for (List<u64>* list : {&l.words, &l.addresses, &l.numbers}) {
    const int n = r.get_size();
    list->append(r.take(n), n);
  }
  l.bindings.resize(r.get_size());
  for (Binding& b : l.bindings) {
    for (u64* a : {&b.first, &b.base, &b.other}) *a = r.get();
    b.stride = r.get_int();
    b.ahead = r.get() != 0;
  }
  return l;
}

}  // namespace WEFT_NAMESPACE::compiler
