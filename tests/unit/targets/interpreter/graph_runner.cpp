#include "weft/targets/interpreter/graph_runner.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "support/random_graph.hpp"
#include "weft/targets/interpreter/node_function.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr DType dtypes[]{DType::f64, DType::f32, DType::f16,     DType::bf16,
                         DType::i64, DType::i32, DType::boolean, DType::u32};

// Every kind that random graphs have: of each dtype for what is defined for it.
constexpr List<u64> all_kinds() {
  using ir::Op;
  List<u64> kinds;
  for (int op = 0; op < ir::op_count; ++op)
    if (exec::has_one_function(static_cast<Op>(op)))
      kinds.push(exec::NodeKind{static_cast<Op>(op), {}, {}, {}}.word());
  const auto add = [&](Op op, DType to, DType from) { kinds.push(exec::NodeKind{op, to, from, {}}.word()); };
  for (const DType t : dtypes) {
    for (const DType from : dtypes) {
      if (from != t) add(Op::cast, t, from);
      if (is_float(t) == is_float(from) && t != DType::boolean && from != DType::boolean && t != DType::u32 &&
          from != DType::u32)
        add(Op::dot, t, from);
      if (is_float(t) && is_float(from)) add(Op::conv, t, from);
    }
    for (const Op op : {Op::eq, Op::ne, Op::lt, Op::le}) add(op, DType::boolean, t);
    for (const Op op : {Op::bit_and, Op::bit_or, Op::bit_xor})
      if (!is_float(t)) add(op, t, t);
    if (t == DType::boolean) {
      add(Op::logical_not, t, t);
      continue;
    }
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::max, Op::min}) add(op, t, t);
    if (is_integer(t)) add(Op::shift_right, t, t);
    if (t == DType::u32) continue;
    for (const Op op : {Op::neg, Op::abs, Op::sign, Op::floor, Op::round, Op::div, Op::fmod}) add(op, t, t);
    for (const Op op : {Op::sin, Op::cos, Op::tanh, Op::fma})
      if (is_float(t)) add(op, t, t);
    if (is_float(t)) add(Op::is_nan, DType::boolean, t);  // argmax across rows, pruned
    for (const Op op : {Op::reduce_sum, Op::reduce_max, Op::reduce_min, Op::reduce_prod, Op::scatter_add})
      add(op, t, t);
    add(Op::argmax, DType::i64, t);
    add(Op::argmin, DType::i64, t);
    if (size_of(t) < 4) continue;
    add(Op::argsort, DType::i64, t);
    add(Op::searchsorted, DType::i64, t);
    for (int f = 0; f < 4; ++f) {
      kinds.push(exec::NodeKind{Op::scan, t, t, static_cast<ir::Fold>(f)}.word());
      kinds.push(exec::NodeKind{Op::scatter_reduce, t, t, static_cast<ir::Fold>(f)}.word());
    }
  }
  return kinds;
}
constexpr int kind_count = all_kinds().size();

struct Table {
  u64 kinds[kind_count]{};
  exec::NodeFunction functions[kind_count]{};
};
constexpr Words<kind_count> kind_words = [] {
  Words<kind_count> w;
  const List<u64> kinds = all_kinds();
  for (int k = 0; k < kind_count; ++k) w.w[k] = kinds[k];
  return w;
}();
template <int... K>
constexpr Table make_table(std::integer_sequence<int, K...>) {
  return {{kind_words.w[K]...}, {exec::node_function<kind_words.w[K]>()...}};
}
constexpr Table table = make_table(std::make_integer_sequence<int, kind_count>{});
constexpr exec::NodeFunctions functions{table.kinds,
                                        table.functions,
                                        kind_count,
                                        nullptr,
                                        0,
                                        nullptr,
                                        nullptr,
                                        &exec::GraphRunner::make_loop,
                                        &exec::GraphRunner::run_loop};

template <class F>
void with_type(DType t, F f) {
  switch (t) {
    case DType::f64:
      return f(f64{});
    case DType::f32:
      return f(f32{});
    case DType::f16:
      return f(f16{});
    case DType::bf16:
      return f(bf16{});
    case DType::i64:
      return f(i64{});
    case DType::i32:
      return f(i32{});
    case DType::u32:
      return f(u32{});
    default:
      return f(bool{});
  }
}
void put(std::byte* to, DType t, const Array& values) {
  with_type(t, [&]<class T>(T) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      T x;
      if constexpr (sizeof(T) < 4 && !std::is_same_v<T, bool>)
        x = T(static_cast<f32>(values[i]));
      else
        x = static_cast<T>(values[i]);
      std::memcpy(to + i * sizeof(T), &x, sizeof x);
    }
  });
}
std::string compare(const std::string& what, const std::byte* from, DType t, const Array& wanted) {
  std::string text;
  with_type(t, [&]<class T>(T) {
    for (std::size_t i = 0; i < wanted.size() && text.empty(); ++i) {
      T x;
      std::memcpy(&x, from + i * sizeof(T), sizeof x);
      const double got = static_cast<double>(x);
      if (got != wanted[i] && (got == got || wanted[i] == wanted[i]))
        text = what + " element " + std::to_string(i) + ": " + std::to_string(got) + ", expected " +
               std::to_string(wanted[i]);
    }
  });
  return text;
}

// The first difference from the plain evaluation of doubles in tests/support; empty if there is none.
std::string difference(const ir::Graph& traced, const Leaves& leaves) {
  const std::vector<Array> values = GraphInterpreter(traced).run(leaves);
  ir::Graph g = transforms::prune(traced);
  std::vector<std::byte> model(static_cast<std::size_t>(g.model_bytes) + 1);
  for (int s = 0; s < g.slots.size(); ++s)
    put(model.data() + g.slots[s].offset, g.slots[s].dtype, leaves.slots[static_cast<std::size_t>(s)]);
  std::vector<std::vector<std::byte>> inputs(static_cast<std::size_t>(g.inputs.size()));
  std::vector<const std::byte*> pointers(inputs.size(), nullptr);
  for (int k = 0; k < g.inputs.size(); ++k) {
    const int node = g.inputs[k];
    if (node < 0) continue;
    std::vector<std::byte>& data = inputs[static_cast<std::size_t>(k)];
    data.resize(static_cast<std::size_t>(g.dims(node).size() * size_of(g.nodes[node].dtype)) + 1);
    put(data.data(), g.nodes[node].dtype, leaves.inputs[static_cast<std::size_t>(k)]);
    pointers[static_cast<std::size_t>(k)] = data.data();
  }
  const u32 key[4]{static_cast<u32>(leaves.seed), static_cast<u32>(leaves.seed >> 32),
                   static_cast<u32>(leaves.step), static_cast<u32>(leaves.step >> 32)};
  const exec::StateBlock block{model.data(), static_cast<i64>(model.size())};
  const exec::RunContext context{.model = {&block, 1}, .scalars = reinterpret_cast<const std::byte*>(key)};
  exec::GraphRunner runner(std::move(g), functions, context);
  // what is read and was never written shows
  std::vector<std::byte> workspace(static_cast<std::size_t>(runner.bytes()) + 1, std::byte{0x5a});
  runner.run(pointers.data(), key, workspace.data());
  runner.assign();
  for (int k = 0; k < traced.outputs.size(); ++k) {
    const int node = runner.graph().outputs[k];
    const std::string d =
        compare("output " + std::to_string(k), workspace.data() + runner.place(node),
                runner.graph().nodes[node].dtype, values[static_cast<std::size_t>(traced.outputs[k])]);
    if (!d.empty()) return d;
  }
  std::vector<Array> after = leaves.slots;
  for (const ir::Assign& a : traced.assigns)
    after[static_cast<std::size_t>(a.slot)] = values[static_cast<std::size_t>(a.node)];
  for (int s = 0; s < traced.slots.size(); ++s) {
    const ir::Slot& slot = traced.slots[s];
    const std::string d = compare("slot " + std::to_string(s), model.data() + slot.offset, slot.dtype,
                                  after[static_cast<std::size_t>(s)]);
    if (!d.empty()) return d;
  }
  return "";
}

int failures(u32 first, u32 count, RandomGraphOptions options) {
  int failed = 0;
  for (u32 seed = first; seed < first + count; ++seed) {
    std::string d;
    try {
      const RandomGraph random(seed, options);
      d = difference(random.graph(), random.leaves);
    } catch (const Error& e) {
      d = e.what();
    }
    if (d.empty()) continue;
    if (++failed <= 5) MESSAGE("seed ", seed, ": ", d);
  }
  return failed;
}

}  // namespace

TEST_CASE("graph_runner: random graphs have the values of a plain evaluation in doubles") {
  CHECK(failures(0, 1500, {.steps = 8}) == 0);
  CHECK(failures(10000, 500, {.steps = 24}) == 0);
  CHECK(failures(20000, 500, {.steps = 12, .state = true}) == 0);
  CHECK(failures(150000, 40, {.steps = 120, .state = true, .products = 6}) == 0);
  CHECK(failures(160000, 40, {.steps = 60, .convolutions = true, .loops = 1}) == 0);
  CHECK(failures(170000, 40, {.steps = 40, .loops = 2}) == 0);
}

TEST_CASE("graph_runner: a node that no function was compiled for is an error") {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, make_dims<3>(), 0)};
  b.graph.inputs.push(x.id);
  b.graph.outputs.push(ir::unary(ir::Op::erf, x).id);
  const exec::RunContext context;
  CHECK(error_of([&] { exec::GraphRunner(ir::Graph(b.graph), functions, context); }) ==
        "interpreter/function");
}
