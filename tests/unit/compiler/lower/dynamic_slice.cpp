#include "weft/compiler/lower/dynamic_slice.hpp"

#include <doctest/doctest.h>

#include <array>

#include "support/compile_verified.hpp"
#include "support/lowered_difference.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// A graph over inputs and slots whose values are small integers, and its launches.
struct Blocks {
  ir::Builder b;
  Leaves leaves;
  compiler::Module made;

  Blocks() {
    b.graph.scalar_count = 4;
    leaves.scalars = Array(4, 0);
  }
  ir::Value input(const Dims& d, DType t = DType::f32, i64 base = 1) {
    const ir::Value x{&b, b.leaf(ir::Op::input, t, d, static_cast<u64>(leaves.inputs.size()))};
    b.graph.inputs.push(x.id);
    leaves.inputs.push_back(values(d, base));
    return x;
  }
  // An offset.
  ir::Value at(i64 value) { return input(Dims{}, DType::i32, value); }
  ir::Value state(const Dims& d) {
    const int slot = b.graph.slots.size();
    b.graph.slots.push({ir::Space::model, DType::f32, b.shape(d), -1, b.graph.model_bytes});
    b.graph.model_bytes += (d.size() * 4 + 255) / 256 * 256;
    leaves.slots.push_back(values(d, 5));
    return {&b, b.leaf(ir::Op::state, DType::f32, d, static_cast<u64>(slot))};
  }
  void output(ir::Value x) { b.graph.outputs.push(x.id); }
  void assign(int slot, ir::Value x) { b.graph.assigns.push({slot, x.id}); }

  // The first difference from the plain evaluation.
  std::string compare() {
    made = compile_verified(b.graph);
    return difference(b.graph, leaves, 1);
  }
  int count(compiler::StepKind kind) const {
    int n = 0;
    for (const compiler::Step& s : made.lowered.steps) n += s.kind == kind;
    return n;
  }
  i64 bytes() const {
    i64 n = 0;
    for (const compiler::Step& s : made.lowered.steps) n += s.bytes;
    return n;
  }
  int copies() const { return count(compiler::StepKind::copy); }

 private:
  static Array values(const Dims& d, i64 base) {
    Array r;
    for (i64 k = 0; k < d.size(); ++k) r.push_back(static_cast<double>(base + (k * 37) % 101));
    return r;
  }
};

// What a loop does in a trip.
struct Body {
  ir::Builder b{64};

  Body() {
    b.graph.is_body = true;
    b.graph.scalar_count = 4;
  }
  ir::Value input(DType t, const Dims& d) {
    const ir::Value v{&b, b.leaf(ir::Op::input, t, d, static_cast<u64>(b.graph.inputs.size()))};
    b.graph.inputs.push(v.id);
    return v;
  }
  void output(ir::Value x) { b.graph.outputs.push(x.id); }
};

const Dims cache{2, {64, 128}}, row{2, {1, 128}};

ir::BlockPlace place(const Dims& whole, const Dims& block, std::initializer_list<ir::Value> offsets) {
  ir::BlockPlace p;
  int axis = 0;
  for (const ir::Value& o : offsets) ir::set_offset(p, whole, block, axis++, o);
  return p;
}
ir::Value written(ir::Value x, ir::Value y, std::initializer_list<ir::Value> offsets) {
  return ir::dynamic_update_slice(x, y, place(x.dims(), y.dims(), offsets));
}
ir::Value zero(Blocks& p) { return ir::constant(p.b, DType::i32, Dims{}, 0); }

}  // namespace

TEST_CASE("dynamic_slice: state is updated where it lives, and read there by what comes after") {
  Blocks p;
  const ir::Value x = p.state(cache), y = p.input(row);
  const ir::Value next = written(x, y, {p.at(70), zero(p)});
  p.assign(0, next);
  p.output(ir::reduce(ir::Op::reduce_sum, next, 2));
  CHECK(p.compare() == "");
  CHECK(p.copies() == 0);
  CHECK(p.made.plan.where[p.made.graph.assigns[0].node] ==
        kernel_ir::BufferAddress::make(ir::Space::model, 0));
}

TEST_CASE("dynamic_slice: no more than the block moves") {
  Blocks p;
  const ir::Value x = p.state(cache), y = p.input(row);
  p.assign(0, written(x, y, {p.at(3), zero(p)}));
  CHECK(p.compare() == "");
  CHECK(p.bytes() == 2 * 128 * 4 + 4);
}

TEST_CASE("dynamic_slice: one update after another, all where the state lives") {
  Blocks p;
  const ir::Value x = p.state(cache), y = p.input(row);
  ir::Value next = written(x, y, {p.at(3), zero(p)});
  next = written(next, y * 2.0, {p.at(3), p.at(9)});
  next =
      written(next, ir::slice(y, std::array<ir::Slice, 2>{}.data(), Dims{2, {1, 5}}), {p.at(8), p.at(200)});
  p.assign(0, next);
  CHECK(p.compare() == "");
  CHECK(p.copies() == 0);
}

TEST_CASE("dynamic_slice: what is still wanted is copied before it is written") {
  for (int how = 0; how < 8; ++how) {
    CAPTURE(how);
    Blocks p;
    const ir::Value x = p.state(cache), y = p.input(row);
    const ir::Value next = written(x, y, {p.at(5), zero(p)});
    if (how == 0) p.output(next);  // not assigned
    if (how == 1)
      p.assign(0, next), p.output(x * 3.0 + ir::broadcast(ir::reduce(ir::Op::reduce_sum, next, 3), cache));
    if (how == 2) p.assign(0, next), p.output(next);
    if (how == 3) {  // a first update that is assigned elsewhere
      p.state(cache);
      p.assign(1, next);
      p.assign(0, written(next, y, {p.at(9), zero(p)}));
    }
    if (how == 4) {  // both of one update
      p.output(ir::reduce(ir::Op::reduce_sum, written(next, y, {p.at(9), zero(p)}), 3));
      p.assign(0, written(next, y, {p.at(10), zero(p)}));
    }
    if (how == 5) p.assign(0, written(p.input(cache), y, {p.at(5), zero(p)}));
    if (how == 6) {  // of one that is assigned elsewhere, later
      p.state(cache);
      p.assign(0, written(next, y, {p.at(9), zero(p)}));
      p.assign(1, next);
    }
    if (how == 7) {  // of one that is read later
      p.assign(0, written(next, y, {p.at(9), zero(p)}));
      p.output(ir::reduce(ir::Op::reduce_sum, next * 3.0, 3));
    }
    CHECK(p.compare() == "");
    CHECK(p.copies() > 0);
  }
}

TEST_CASE("dynamic_slice: what is written may be part of the tensor itself, and its place in it") {
  Blocks p;
  const ir::Value x = p.state(cache);
  ir::Slice part[2];
  part[0].begin = 20;
  p.assign(0, written(x, ir::slice(x, part, Dims{2, {30, 128}}), {p.at(7), zero(p)}));
  CHECK(p.compare() == "");
  CHECK(p.copies() > 0);
}

TEST_CASE("dynamic_slice: a buffer that dies is written in place") {
  Blocks p;
  const ir::Value x = p.input(cache), y = p.input(row);
  const ir::Value made = x * 2.0;
  p.output(ir::reduce(ir::Op::reduce_sum, written(made, y, {p.at(-4), zero(p)}), 3));
  CHECK(p.compare() == "");
  CHECK(p.copies() == 0);
}

TEST_CASE("dynamic_slice: views are read through their strides, whole runs as one") {
  Blocks p;
  const Dims d{3, {9, 70, 6}};
  const i64 order[]{2, 0, 1};
  const ir::Value x = p.input(d), turned = ir::permute(x, order);  // (6, 9, 70)
  const Dims block{3, {2, 9, 65}};
  p.output(ir::dynamic_slice(turned, block, place(turned.dims(), block, {p.at(3), p.at(1), p.at(4)})));
  const Dims rows{3, {4, 70, 6}};
  p.output(ir::dynamic_slice(x, rows, place(d, rows, {p.at(5), zero(p), zero(p)})));
  p.output(written(turned, ir::permute(p.input(Dims{3, {65, 2, 9}}), std::array<i64, 3>{1, 2, 0}.data()),
                   {p.at(3), zero(p), p.at(4)}));
  CHECK(p.compare() == "");
  int single = 0;
  for (const compiler::Step& s : p.made.lowered.steps)
    if (s.kind == compiler::StepKind::dynamic_slice)
      single += p.made.lowered.numbers[s.numbers.begin + 4] == 1;
  CHECK(single == 1);
}

TEST_CASE("dynamic_slice: offsets of their own for every sample") {
  Blocks p;
  const Dims d{3, {5, 66, 3}}, block{3, {5, 64, 1}}, samples{1, {5}};
  ir::BlockPlace at;
  at.batch = 1;
  at.begin[1] = at.begin[2] = ir::BlockPlace::dynamic;
  at.offsets.push(p.input(samples, DType::i64, -1));
  at.offsets.push(p.input(samples, DType::i64, 0));
  const ir::Value x = p.input(d), y = p.input(block);
  p.output(ir::dynamic_slice(x, block, at));
  p.output(ir::dynamic_update_slice(x, y, at));
  CHECK(p.compare() == "");
}

TEST_CASE("dynamic_slice: a loop's carry stays in one buffer unless what it was is still wanted") {
  for (int how = 0; how < 5; ++how) {
    CAPTURE(how);
    Blocks p;
    const Dims d{2, {5, 64}}, one{2, {1, 64}};
    const ir::Value start = p.input(d), y = p.input(one);
    Body body;
    const ir::Value x = body.input(DType::f32, d), t = body.input(DType::i32, Dims{}),
                    line = body.input(DType::f32, one);
    const ir::Value none = ir::constant(body.b, DType::i32, Dims{}, 0);
    ir::Value next = written(x, line, {t, none});
    next = written(next, line * 2.0, {t + 2.0, none});
    ir::LoopShape s;
    s.trips = 4, s.carries = 2, s.invariants = 1;
    for (const ir::Value& v : {next, t + 1.0}) body.output(v);
    if (how == 1) body.output(x);
    if (how == 2) body.output(x * 3.0 + ir::broadcast(ir::reduce(ir::Op::reduce_sum, next, 3), d));
    s.outputs = body.b.graph.outputs.size() - s.carries;
    List<int> operands;
    for (const ir::Value& v : {start, p.at(0), y}) operands.push(v.id);
    const ir::Value made = ir::loop(p.b, s, body.b.graph, operands);
    p.output(ir::loop_final(made, s, 0));
    if (how == 3) p.output(ir::loop_history(made, s, 0));
    if (s.outputs > 0)
      p.output(ir::loop_result(made, s.output(0), DType::f32,
                               ir::stacked_dims(s.trips, body.b.graph.dims(body.b.graph.outputs[2]))));
    CHECK(p.compare() == "");
    bool copies = false;  // in a trip
    for (int k = 0, loop = -1; k < p.made.lowered.steps.size(); ++k) {
      if (p.made.lowered.steps[k].kind == compiler::StepKind::repeat) loop = k;
      copies = copies || (loop >= 0 && p.made.lowered.steps[k].kind == compiler::StepKind::copy);
    }
    CHECK(copies == (how > 0 && how < 4));  // a view of it is read first
  }
}

TEST_CASE("dynamic_slice: a loop writes into state where it lives") {
  for (int how = 0; how < 5; ++how) {
    CAPTURE(how);
    Blocks p;
    const Dims d{2, {5, 64}}, one{2, {1, 64}};
    const ir::Value start = p.state(d), y = p.input(one);
    Body body;
    const ir::Value x = body.input(DType::f32, d), t = body.input(DType::i32, Dims{}),
                    line = body.input(DType::f32, how == 1 ? d : one);
    ir::Value next = written(x, how == 1 ? ir::slice(line, std::array<ir::Slice, 2>{}.data(), one) : line,
                             {t, ir::constant(body.b, DType::i32, Dims{}, 0)});
    const ir::Slice turn[2]{{4, -1}, {0, 1}};
    if (how == 2) next = next + ir::slice(x, turn, d);  // no block of it alone
    for (const ir::Value& v : {next, t + 1.0}) body.output(v);
    ir::LoopShape s;
    s.trips = 3, s.carries = 2, s.invariants = 1;
    List<int> operands;
    for (const ir::Value& v : {start, p.at(0), how == 1 ? start : y}) operands.push(v.id);
    const ir::Value made = ir::loop(p.b, s, body.b.graph, operands);
    const ir::Value last = ir::loop_final(made, s, 0);
    p.assign(0, last);
    p.output(ir::reduce(ir::Op::reduce_sum, last, 3));
    if (how == 3) p.output(start * 2.0 + ir::broadcast(ir::reduce(ir::Op::reduce_sum, last, 3), d));
    if (how == 4) p.output(ir::loop_history(made, s, 0));
    CHECK(p.compare() == "");
    CHECK((p.copies() > 0) == (how > 0));
    if (how == 0)
      CHECK(p.made.plan.where[p.made.graph.assigns[0].node] ==
            kernel_ir::BufferAddress::make(ir::Space::model, 0));
  }
}

TEST_CASE("dynamic_slice: random graphs lower to the same values") {
  CHECK(failures(400000, 1500, {.steps = 8, .blocks = true}) == 0);
  CHECK(failures(410000, 1500, {.steps = 10, .state = true, .blocks = true}) == 0);
  CHECK(failures(420000, 300, {.steps = 12, .state = true, .loops = 2, .blocks = true}) == 0);
  CHECK(failures(430000, 100, {.steps = 120, .state = true, .loops = 1, .blocks = true}) == 0);
}
