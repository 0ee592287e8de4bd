#pragma once
// precision::f8: products with a parameter whose factors are e4m3 and whose gradient is e5m2, each tensor at
// a scale of its own. Law: a step rounds by the scales that the steps before have left, so that no tensor is
// gone through twice; every number that a scale depends on is state.
//
//   q(x) = e4m3(x s_x)    q(w) = e4m3(w s_w)    q(g) = e5m2(g s_g)    beyond the largest number: that number
//   y  = bf16(sum q(x) q(w) / s_x / s_w)        where precision::bf16 rounds
//   dx = bf16(sum q(g) q(w) / s_w / s_g)        dw = sum q(g) q(x) / s_x / s_g
//
// (Micikevicius et al.: FP8 Formats for Deep Learning, 2022; the scales as Transformer Engine's delayed
// scaling has them.)

#include "weft/transforms/f8_rounding.hpp"
#include "weft/transforms/precision.hpp"

namespace WEFT_NAMESPACE::transforms {

enum class F8Role : u8 { input, weight, gradient };

// A tensor that is rounded to 8 bits, and its state: one scale, and the largest magnitudes of the updates
// before, the last one first; of each block of a Stack its own.
struct ScaledTensor {
  F8Role role{};
  int parameter = -1;          // the slot of that of the first product which reads it
  Dims blocks;                 // of the Stacks around
  i64 scale = 0, history = 0;  // bytes of the optimiser's block: f32 (blocks...) and f32 (blocks..., steps)
  i64 gathered = 0;            // f32 (blocks...): the largest magnitude of the calls since the last update
  int scale_slot = -1, history_slot = -1, gathered_slot = -1;  // the last: -1 where each call updates
  int magnitude = -1;  // the node of the largest magnitude, not of a gradient

  constexpr i64 copies() const { return blocks.size(); }
};

// Which products are taken in 8 bits: those of the parameters for whose slots `chosen` is 1; where `inner`,
// all that lie between the first and the last layer.
struct F8Choice {
  bool inner = false;
  List<u8> chosen;
};

// A graph whose products are rounded, and what scales them. Behind its results are the largest magnitudes of
// the tensors in their order, those of gradients aside. `bytes`: where the state ends.
struct ScaledGraph {
  ir::Graph graph;
  List<ScaledTensor> tensors;
  i64 bytes = 0;
};

// Scales lie within these powers of two, so that they and their inverses are numbers, whatever comes.
inline constexpr int most_scale_exponent = 100;

// The new state of a tensor that had this largest magnitude. One that is not finite changes nothing; where
// all that are known are 0, the scale stays.
constexpr void update_scale(ir::Builder& b, const ScaledTensor& t, ir::Value magnitude,
                            precision::DelayedScaling scaling) {
  using ir::Op;
  using ir::Value;
  const Value scale = ir::read_slot(b, t.scale_slot), history = ir::read_slot(b, t.history_slot);
  const int axis = t.blocks.rank;
  const i64 steps = scaling.history;
  Dims column = t.blocks;
  column.extent[column.rank++] = 1;
  const Value newest = ir::reshape(magnitude, column);
  i64 low[16]{}, high[16]{};
  low[2 * axis] = 1;
  high[2 * axis + 1] = steps - 1;
  Value moved = ir::pad(newest, high, 0);
  if (steps > 1) {
    ir::Slices all;
    Dims rest = history.dims();
    rest.extent[axis] = steps - 1;
    moved = moved + ir::pad(ir::slice(history, all, rest), low, 0);
  }
  const Value finite = ir::unary(Op::is_finite, newest);
  const Value after = ir::select(ir::broadcast(finite, history.dims()), moved, history);
  const Value top = ir::reshape(ir::reduce(Op::reduce_max, after, 1u << axis), t.blocks);
  double most = 1, aim = largest_f8(t.role == F8Role::gradient ? DType::f8e5m2 : DType::f8e4m3);
  for (int k = 0; k < most_scale_exponent; ++k) most *= 2;
  for (int k = 0; k < scaling.margin; ++k) aim /= 2;
  const Value fitting = ir::constant_like(top, aim) / top;
  const Value held = ir::binary(Op::max, ir::binary(Op::min, fitting, ir::constant_like(top, most)),
                                ir::constant_like(top, 1 / most));
  b.graph.assigns.push({t.history_slot, after.id});
  b.graph.assigns.push(
      {t.scale_slot, ir::select(ir::binary(Op::lt, ir::constant_like(top, 0), top), held, scale).id});
}

namespace detail {

// Goes through a trace, or the body of a Stack's loop, and rounds the factors of its products.
class ScaledProducts {
 public:
  // What all of the trace shares.
  struct Shared {
    const F8Choice& choice;
    precision::DelayedScaling scaling;
    bool gathers = false;  // several calls go into an update
    i64 bytes = 0;
    int layers = 0, at = 0;  // how many there are, and the number of the next
    List<ScaledTensor> tensors{};
  };
  // The parameter that a node reads, as it is or through views.
  struct Parameter {
    int slot = -1;
    bool same = false;  // in all trips of a loop
  };
  // What a loop's body is given: of each operand the parameter.
  struct Surroundings {
    List<Parameter> operands;
    int carries = 0;
  };
  // What a body needs of the graph around it: a scale, and a way out for the largest magnitude of what it
  // rounds. That of a gradient comes as the scale's.
  struct Request {
    F8Role role{};
    int parameter = -1;
    Dims blocks;         // of the Stacks inside
    int input = -1;      // the body's, the scale
    int magnitude = -1;  // the body's
  };

  // `around`: null for the trace itself.
  constexpr ScaledProducts(const ir::Graph& graph, Shared& shared, const Surroundings* around = nullptr)
      : g(graph),
        shared_(shared),
        around_(around),
        b(graph, 2 * graph.nodes.size()),
        moved_(graph.nodes.size(), -1),
        joins_(joins_residual(graph)),
        results_(graph.nodes.size(), 0) {
    find_results();
  }

  constexpr ir::Graph run() {
    for (int i = 0; i < g.nodes.size(); ++i) moved_[i] = move(i);
    for (int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved_[x]);
    for (int x : g.outputs) b.graph.outputs.push(moved_[x]);
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    if (around_ == nullptr)
      for (const ScaledTensor& t : shared_.tensors)
        if (t.role != F8Role::gradient) b.graph.outputs.push(t.magnitude);
    return static_cast<ir::Graph&&>(b.graph);
  }
  constexpr const List<Request>& requests() const { return requests_; }

  // Layers are what works with a parameter: products, convolutions and look-ups, in the order of the trace;
  // those of a loop's body once.
  static constexpr int count_layers(const ir::Graph& g, const Surroundings* around = nullptr) {
    int count = 0;
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes.items[i].op == ir::Op::loop) {
        const Surroundings inside = surroundings(g, i, around);
        count += count_layers(ir::loop_body(g, i), &inside);
      } else {
        count += is_layer(g, i, around);
      }
    }
    return count;
  }

 private:
  // A tensor that is rounded to e4m3.
  struct Factor {
    int node = -1;
    ir::Value scale, rounded;
  };
  struct Scale {
    int number = -1;  // of the tensor, or of the request
    ir::Value value;
  };
  static constexpr u64 first_fresh = 1u << 20;  // numbers of inputs that a body did not have

  static constexpr bool is_view(ir::Op op) { return op == ir::Op::reshape || op == ir::Op::permute; }
  static constexpr Parameter parameter_of(const ir::Graph& g, int x, const Surroundings* around) {
    while (rearranges(g.nodes.items[x].op) || g.nodes.items[x].op == ir::Op::stop_gradient) x = g.in(x, 0);
    const ir::Node& node = g.nodes.items[x];
    if (node.op == ir::Op::input && around != nullptr) return around->operands[static_cast<int>(node.imm)];
    if (node.op != ir::Op::state || node.imm >= static_cast<u64>(g.slots.size())) return {};
    const int slot = static_cast<int>(node.imm);
    return {g.slots[slot].space == ir::Space::model ? slot : -1};
  }
  // A stacked operand is a parameter of each block where it is the state itself.
  static constexpr Surroundings surroundings(const ir::Graph& g, int loop, const Surroundings* around) {
    const ir::LoopShape shape = ir::loop_shape(g, loop);
    Surroundings inside;
    inside.carries = shape.carries;
    for (int k = 0; k < shape.operands(); ++k) {
      const int x = g.in(loop, k);
      const bool stacked = shape.is_stacked(k);
      Parameter p;
      if (k >= shape.carries && !(stacked && rearranges(g.nodes.items[x].op))) p = parameter_of(g, x, around);
      p.same = p.same || !stacked;
      inside.operands.push(p);
    }
    return inside;
  }
  static constexpr bool is_layer(const ir::Graph& g, int i, const Surroundings* around) {
    const ir::Op op = g.nodes.items[i].op;
    if (op != ir::Op::dot && op != ir::Op::conv && op != ir::Op::take_rows) return false;
    const bool first = parameter_of(g, g.in(i, 0), around).slot >= 0;
    return op == ir::Op::take_rows ? first : first != (parameter_of(g, g.in(i, 1), around).slot >= 0);
  }

  // What precision::bf16 does not round: what leaves the program, or a trip as a carry.
  constexpr void find_results() {
    const int count = around_ == nullptr ? g.outputs.size() : around_->carries;
    for (int k = 0; k < count; ++k) results_[g.outputs[k]] = 1;
    for (int i = g.nodes.size() - 1; i >= 0; --i)
      if (is_view(g.nodes.items[i].op) && results_[i]) results_[g.in(i, 0)] = 1;
  }

  constexpr int move(int i) {
    ir::Node node = g.nodes[i];
    if (node.op == ir::Op::loop) return loop(i, node);
    if (is_layer(g, i, around_)) {
      const bool inner = shared_.at > 0 && shared_.at < shared_.layers - 1;
      ++shared_.at;
      const Parameter first = parameter_of(g, g.in(i, 0), around_);
      const Parameter p = first.slot >= 0 ? first : parameter_of(g, g.in(i, 1), around_);
      const bool taken = shared_.choice.inner ? inner : shared_.choice.chosen[p.slot] != 0;
      const bool wide = node.dtype == DType::f32 && g.nodes[g.in(i, 0)].dtype == DType::f32;
      if (taken && !p.same && node.op == ir::Op::dot && wide)
        return product(i, node, p.slot, first.slot >= 0);
    }
    operands_.clear();
    for (int k = 0; k < node.arity; ++k) operands_.push(moved_[g.in(i, k)]);
    if (ir::is_region(node.op)) node.imm = static_cast<u64>(ir::add_body(b.graph, ir::region_body(g, i)));
    return b.add(node, operands_.data(), operands_.size());
  }

  // The scale of a tensor, (blocks...).
  constexpr Scale scale_of(F8Role role, int parameter, const Dims& blocks) {
    if (around_ != nullptr) {
      const int made =
          b.leaf(ir::Op::input, DType::f32, blocks, first_fresh + static_cast<u64>(requests_.size()));
      requests_.push({role, parameter, blocks, made, -1});
      return {requests_.size() - 1, {&b, made}};
    }
    ScaledTensor t;
    t.role = role;
    t.parameter = parameter;
    t.blocks = blocks;
    const auto add_slot = [&](const Dims& d, i64& offset) {
      ir::Slot slot{ir::Space::optimizer, DType::f32};
      slot.shape = b.shape(d);
      slot.offset = offset = shared_.bytes;
      shared_.bytes += (d.size() * size_of(DType::f32) + state_step - 1) / state_step * state_step;
      b.graph.slots.push(slot);
      return b.graph.slots.size() - 1;
    };
    Dims history = blocks;
    history.extent[history.rank++] = shared_.scaling.history;
    t.scale_slot = add_slot(blocks, t.scale);
    t.history_slot = add_slot(history, t.history);
    if (shared_.gathers) t.gathered_slot = add_slot(blocks, t.gathered);
    shared_.tensors.push(t);
    return {shared_.tensors.size() - 1, ir::read_slot(b, t.scale_slot)};
  }
  constexpr void remember(const Scale& scale, ir::Value magnitude) {
    if (around_ != nullptr)
      requests_[scale.number].magnitude = magnitude.id;
    else
      shared_.tensors[scale.number].magnitude = magnitude.id;
  }

  // A factor as it is rounded, of which x is views; a tensor is rounded once, whatever reads it.
  constexpr Factor factor(int x, F8Role role, int parameter) {
    while (is_view(g.nodes.items[x].op)) x = g.in(x, 0);
    for (const Factor& known : factors_)
      if (known.node == x) return known;
    const Scale scale = scale_of(role, parameter, Dims{});
    const ir::Value value{&b, moved_[x]};
    factors_.push({x, scale.value, round_to_f8(value, scale.value, DType::f8e4m3)});
    const Factor made = factors_.back();
    remember(scale, largest_magnitude(value));
    return made;
  }
  constexpr ir::Value views(int x, ir::Value rounded) {
    if (!is_view(g.nodes.items[x].op)) return rounded;
    const ir::Value beneath = views(g.in(x, 0), rounded);
    return moved_data(g.nodes[x], beneath);
  }
  static constexpr ir::Value inverse(ir::Value scale) {
    return ir::unary(ir::Op::stop_gradient, ir::constant_like(scale, 1) / scale);
  }
  static constexpr ir::Value scaled(ir::Value x, ir::Value by) { return x * ir::broadcast(by, x.dims()); }
  static constexpr ir::Value rounded(ir::Value x) { return ir::cast(ir::cast(x, DType::bf16), DType::f32); }

  // The value is that of rounded factors, divided by their scales. What it is differentiated as multiplies
  // the gradient: the raw product gives the gradient of it, in e5m2, to the factors, and each of them divides
  // its own by the scales of the gradient and of the other.
  constexpr int product(int i, ir::Node node, int parameter, bool first_is_weight) {
    const int w = g.in(i, first_is_weight ? 0 : 1), x = g.in(i, first_is_weight ? 1 : 0);
    const Factor input = factor(x, F8Role::input, parameter), weight = factor(w, F8Role::weight, parameter);
    const ir::Value gradient = scale_of(F8Role::gradient, parameter, Dims{}).value;
    const ir::Value to_input = inverse(input.scale), to_weight = inverse(weight.scale);
    const ir::Value to_gradient = inverse(gradient);
    // each product's own gradient is rounded, where several read one tensor
    const ir::Value own = ir::add_dependency({&b, moved_[x]}, gradient);
    const ir::Value model_x = scaled(scaled(rounded(own), to_gradient), to_weight);
    const ir::Value model_w = scaled(scaled({&b, moved_[w]}, to_gradient), to_input);
    const ir::Value a = ir::surrogate(views(x, input.rounded), model_x);
    const ir::Value c = ir::surrogate(views(w, weight.rounded), model_w);
    node.imm = ir::dot_f8;
    const int operands[2]{first_is_weight ? c.id : a.id, first_is_weight ? a.id : c.id};
    const ir::Value raw{&b, b.add(node, operands, 2)};
    ir::Value y = scaled(scaled(raw, to_input), to_weight);
    if (!results_[i] && !joins_[i]) y = rounded(y);
    return ir::surrogate(y, ir::f8_gradient(raw, gradient)).id;
  }

  // What a body asks for becomes stacked operands, behind those that there are, and stacked outputs.
  constexpr int loop(int i, ir::Node node) {
    ir::LoopShape shape = ir::loop_shape(g, i);
    const Surroundings inside = surroundings(g, i, around_);
    const ir::Graph body = ir::loop_body(g, i);
    ScaledProducts products(body, shared_, &inside);
    ir::Graph made = products.run();
    const List<Request>& requests = products.requests();
    const int behind = shape.carries + shape.stacked, added = requests.size();
    for (ir::Node& n : made.nodes)
      if (n.op == ir::Op::input && n.imm < first_fresh && n.imm >= static_cast<u64>(behind))
        n.imm += static_cast<u64>(added);
    List<int> inputs, operands;
    for (int k = 0; k < behind; ++k) inputs.push(made.inputs[k]), operands.push(moved_[g.in(i, k)]);
    List<Scale> scales;
    for (const Request& r : requests) {
      made.nodes[r.input].imm = static_cast<u64>(inputs.size());
      inputs.push(r.input);
      scales.push(scale_of(r.role, r.parameter, ir::stacked_dims(shape.trips, r.blocks)));
      operands.push(scales.back().value.id);
    }
    for (int k = behind; k < shape.operands(); ++k)
      inputs.push(made.inputs[k]), operands.push(moved_[g.in(i, k)]);
    made.inputs = inputs;
    if (made.key_input >= behind) made.key_input += added;
    shape.stacked += added;
    List<int> results;  // of each request, -1: none
    for (const Request& r : requests) {
      results.push(r.magnitude < 0 ? -1 : shape.output(shape.outputs++));
      if (r.magnitude >= 0) made.outputs.push(r.magnitude);
    }
    node.imm = static_cast<u64>(ir::add_body(b.graph, made));
    node.list = ir::loop_list(b, shape);
    const ir::Value moved{&b, b.add(node, operands.data(), operands.size())};
    for (int k = 0; k < added; ++k)
      if (results[k] >= 0)
        remember(scales[k], ir::loop_result(moved, results[k], DType::f32, scales[k].value.dims()));
    return moved.id;
  }

  static constexpr i64 state_step = 64;  // bytes

  const ir::Graph& g;
  Shared& shared_;
  const Surroundings* around_;
  ir::Builder b;
  List<int> moved_, operands_;
  List<u8> joins_, results_;
  List<Factor> factors_;
  List<Request> requests_;
};

}  // namespace detail

// A trace with its products rounded, before it is differentiated. Their state lies in the optimiser's block
// from `begin` on, and is updated behind the backward pass, by update_scale: the largest magnitude of a
// gradient is the gradient of its scale. `gathers`: there is room for those of several calls.
constexpr ScaledGraph scale_products(const ir::Graph& g, const F8Choice& choice,
                                     precision::DelayedScaling scaling, i64 begin, bool gathers = false) {
  detail::ScaledProducts::Shared shared{choice, scaling, gathers, begin};
  shared.layers = detail::ScaledProducts::count_layers(g);
  ScaledGraph r;
  r.graph = detail::ScaledProducts(g, shared).run();
  r.tensors = shared.tensors;
  r.bytes = (shared.bytes + 255) / 256 * 256;
  r.graph.optimizer_bytes = r.bytes;
  return r;
}

}  // namespace WEFT_NAMESPACE::transforms
