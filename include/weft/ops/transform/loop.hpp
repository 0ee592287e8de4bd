#pragma once
// loop(body, carry, xs...): a recurrence whose steps are one region of the graph, so that a sequence of 512
// costs as much to compile as one of 8 (jax.lax.scan, torch scan). Values and parameters of the enclosing
// function that the body uses are the same in every trip; random numbers are drawn anew.

#include "weft/ir/loop.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(CarryKeepsType,
             "loop: the body must return the next carry with the dtype and shape of the carry, and after it "
             "what it stacks: the carry, or std::pair{carry, outputs}");
WEFT_REFUSAL(TripsKnown,
             "loop: stacked inputs have one leading axis of equal extent, the trips; without any, name the "
             "trips: loop<8>(body, carry)");
WEFT_REFUSAL(
    LoopTakes,
    "loop: the function comes first, then a carry that is a value, 0 * x in place of 0, then the stacked "
    "inputs one by one, loop(body, carry, xs, ts) with body(carry, x, t); trips are a template argument: "
    "loop<8>(body, carry)");
WEFT_REFUSAL(LoopHasTrace,
             "loop: of the carry and the stacked inputs at least one is a traced value: in place of a "
             "literal, zeros<f32, 8>(), write zeros_like(v), v an input or a parameter");

WEFT_REFUSAL(
    WhileTakes,
    "while_loop: it takes a condition, the body and a carry that is a value or a tuple of them, and the most "
    "trips as template argument: while_loop<100>([](auto c) { return norm<>(c) > 1e-3; }, body, carry)");
WEFT_REFUSAL(ConditionIsBool,
             "while_loop: the condition returns one bool, Shape<>: reduce it with all<>() or any<>(), and "
             "comes first: while_loop<100>(condition, body, carry)");

WEFT_REFUSAL(
    ConditionIsComputed,
    "while_loop: the condition returns a plain bool, which is decided while the program compiles: return "
    "a value that is computed from the carry, any<>(c < 10), in place of if and true; a fixed number of "
    "trips "
    "is loop<10>(body, carry)");

struct LoopOp {};  // what messages name

namespace detail {

// Calls f for every expression in x: an expression, or a tuple of them.
template <class X, class F>
constexpr void for_each_value(const X& x, F& f) {
  if constexpr (!TupleLike<X>)
    f(x);
  else
    std::apply([&](const auto&... e) { (for_each_value(e, f), ...); }, x);
}
// As x, with f of every expression.
template <class X, class F>
constexpr auto map_values(const X& x, F& f) {
  if constexpr (!TupleLike<X>)
    return f(x);
  else
    // braces: left to right
    return std::apply(
        [&](const auto&... e) { return std::tuple<decltype(map_values(e, f))...>{map_values(e, f)...}; }, x);
}

template <class X>
constexpr ir::Builder* builder_in(const X& x) {
  ir::Builder* b = nullptr;
  const auto look = [&](const auto& e) { b = inner_of(b, builder_of(e)); };
  for_each_value(x, look);
  return b;
}

// Whether X is of a trace: an expression, or a tuple with one.
template <class X>
inline constexpr bool is_of_trace = ExprLike<X>;
template <class... E>
inline constexpr bool is_of_trace<std::tuple<E...>> = (is_of_trace<E> || ...);
template <class A, class B>
inline constexpr bool is_of_trace<std::pair<A, B>> = is_of_trace<A> || is_of_trace<B>;

template <class R>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class S>
struct slice_rule_of {
  static constexpr Dims value = S::rank > 0 ? ir::slice_dims(S::value) : Dims{};
};
template <i64 Trips, class S>
struct stack_rule_of {
  static constexpr Dims make() { return ir::stacked_dims(Trips, S::value); }
  static constexpr Dims value = make();
};

template <i64 Trips, class... X>
constexpr i64 trips_of() {
  i64 trips = Trips;
  bool ok = true;
  const Dims inputs[]{X::shape::value..., Dims{}};
  constexpr int count = sizeof...(X);
  for (int k = 0; k < count; ++k) {
    const Dims& d = inputs[k];
    if (d.rank == 0 || (trips >= 0 && d.extent[0] != trips)) ok = false;
    trips = d.rank > 0 ? d.extent[0] : -1;
  }
  return ok ? trips : -1;
}

// The four random words (seed, step) of the trace that `b` builds, one u32 each.
constexpr ir::Value random_key_word(ir::Builder& b, int word) {
  if (b.graph.key_input < 0)
    return ir::bitcast({&b, b.leaf(ir::Op::scalar, DType::f32, Dims{}, static_cast<u64>(word))}, DType::u32);
  const ir::Value key{&b, b.graph.inputs[b.graph.key_input]};
  return ir::reshape(ir::rows(key, word, 1), Dims{});
}
// A key for every trip, (trips, 4): the trip is mixed into the high word of the step.
constexpr ir::Value random_keys(ir::Builder& b, i64 trips) {
  const Dims d = ir::stacked_dims(trips, Shape<4>::value);
  const ir::Value word{&b, b.leaf(ir::Op::iota, DType::u32, d, 1)};
  const ir::Value trip{&b, b.leaf(ir::Op::iota, DType::u32, d, 0)};
  const ir::Value high = random_key_word(b, 3) * 2246822507.0 + (trip + 1.0) * 2654435761.0;
  ir::Value keys = high;
  for (int k = 2; k >= 0; --k) {
    const ir::Value part = random_key_word(b, k);
    keys = ir::select(ir::binary(ir::Op::eq, word, ir::constant_like(word, k)), part, keys);
  }
  return keys;
}

// The builder in which one trip is traced, and what its inputs are outside. In this order: the carries, the
// slices, begin(), the body, outputs of which the first are the next carries, finish().
class LoopTrace {
 public:
  ir::Builder& b;
  ir::Builder body{64};

  constexpr LoopTrace(ir::Builder& around, i64 trips, bool reverse) : b(around) {
    body.parent = &b;
    b.inner = &body;
    body.graph.is_body = true;
    body.graph.scalar_count = b.graph.scalar_count;
    body.graph.streams = b.graph.streams;
    shape_.trips = trips;
    shape_.reverse = reverse;
  }
  constexpr ir::Value carry(ir::Value start) {
    ++shape_.carries;
    return input(start.dtype(), start.dims(), start.id);
  }
  // The trip's slice of a value (trips, ...).
  constexpr ir::Value slice(ir::Value all) { return input(all.dtype(), ir::slice_dims(all.dims()), all.id); }
  constexpr void begin() {
    body.graph.key_input = operands_.size();
    input(DType::u32, Shape<4>::value, -1);
    first_invariant_ = operands_.size();
  }
  constexpr void output(ir::Value x) { body.graph.outputs.push(x.id); }
  // How many were put out behind the carries.
  constexpr int outputs() const { return body.graph.outputs.size() - shape_.carries; }
  constexpr void finish() {
    b.inner = nullptr;
    const int declared = shape_.carries;
    const List<ir::Assign> assigned = carry_assigned();
    arrange(declared, assigned);
    made_ = ir::loop(b, shape_, body.graph, operands_);
    for (int k = 0; k < assigned.size(); ++k) {
      const ir::Assign after{assigned[k].slot, last(declared + k).id};
      int known = b.graph.assigns.size();
      while (known-- > 0 && b.graph.assigns[known].slot != after.slot) {
      }
      if (known >= 0)
        b.graph.assigns[known] = after;
      else
        b.graph.assigns.push(after);
    }
  }
  // Carry k after the last trip, and output k behind the carries of all trips.
  constexpr ir::Value last(int k) const { return ir::loop_final(made_, shape_, k); }
  constexpr ir::Value stacked(int k) const {
    const int node = body.graph.outputs[shape_.carries + k];
    return ir::loop_result(made_, shape_.output(k), body.graph.nodes[node].dtype,
                           ir::stacked_dims(shape_.trips, body.graph.dims(node)));
  }

 private:
  constexpr ir::Value input(DType t, const Dims& d, int operand) {
    const int made = body.leaf(ir::Op::input, t, d, static_cast<u64>(operands_.size()));
    body.graph.inputs.push(made);
    body.outer.push(-1);
    operands_.push(operand);
    return {&body, made};
  }
  // Buffers that the body assigns become carries behind the declared ones, through which no gradient passes.
  constexpr List<ir::Assign> carry_assigned() {
    const List<ir::Assign> assigned = body.graph.assigns;
    body.graph.assigns.clear();
    List<int> outputs;
    for (int k = 0; k < shape_.carries; ++k) outputs.push(body.graph.outputs[k]);
    for (const ir::Assign& a : assigned)
      outputs.push(ir::unary(ir::Op::stop_gradient, ir::Value{&body, a.node}).id);
    for (int k = shape_.carries; k < body.graph.outputs.size(); ++k) outputs.push(body.graph.outputs[k]);
    body.graph.outputs = outputs;
    shape_.carries += assigned.size();
    shape_.outputs = outputs.size() - shape_.carries;
    return assigned;
  }
  // Inputs and operands in their order: carries, slices with the key of a trip (where random numbers are
  // drawn), invariants, with buffers that are read alone.
  constexpr void arrange(int declared, const List<ir::Assign>& assigned) {
    const bool draws_here = body.graph.streams != b.graph.streams;
    b.graph.streams = body.graph.streams;
    const int key = body.graph.key_input;
    body.graph.key_input = -1;
    List<int> inputs, operands;
    const auto take = [&](int node, int operand) {
      body.graph.nodes[node].imm = static_cast<u64>(inputs.size());
      inputs.push(node);
      operands.push(operand);
    };
    const auto is_assigned = [&](int slot) {
      for (const ir::Assign& a : assigned)
        if (a.slot == slot) return true;
      return false;
    };
    for (int k = 0; k < declared; ++k) take(body.graph.inputs[k], operands_[k]);
    for (const ir::Assign& a : assigned)
      for (const auto& carried : body.carried_slots)
        if (carried.slot == a.slot) take(carried.input, carried.start);
    for (int k = declared; k < first_invariant_; ++k) {
      if (k == key && !draws_here) {
        ir::Node& unread = body.graph.nodes[body.graph.inputs[k]];
        unread.op = ir::Op::constant;
        unread.imm = 0;
        continue;
      }
      if (k == key) body.graph.key_input = inputs.size();
      take(body.graph.inputs[k], k == key ? random_keys(b, shape_.trips).id : operands_[k]);
    }
    shape_.stacked = inputs.size() - shape_.carries;
    for (int k = first_invariant_; k < body.outer.size(); ++k)
      if (body.outer[k] >= 0) take(body.graph.inputs[k], body.outer[k]);
    for (const auto& carried : body.carried_slots)
      if (!is_assigned(carried.slot)) take(carried.input, carried.start);
    shape_.invariants = inputs.size() - shape_.carries - shape_.stacked;
    body.graph.inputs = inputs;
    operands_ = operands;
  }

  ir::LoopShape shape_;
  List<int> operands_;
  int first_invariant_ = 0;
  ir::Value made_;
};

// One slice of an expression, and all of what each trip returns.
template <class E>
using slice_of = Expr<typename E::dtype, shape_of<slice_rule_of<typename E::shape>>>;
template <i64 Trips, class E>
using stack_of = Expr<typename E::dtype, shape_of<stack_rule_of<Trips, typename E::shape>>>;

// What a body returned, its values as the body's: the next carry, and what is stacked.
template <class R>
struct TripResult {
  ir::Builder& body;
  const R& result;

  constexpr auto enter() const {
    return [this](const auto& e) { return traced(body, e); };
  }
  constexpr auto next() const {
    const auto f = enter();
    if constexpr (is_pair<R>)
      return map_values(result.first, f);
    else
      return map_values(result, f);
  }
  // The same, or the carry itself where it was refused.
  template <class C>
  constexpr C next_after(const C& carry) const {
    if constexpr (std::is_same_v<C, decltype(next())>)
      return next();
    else
      return carry;
  }
  constexpr auto outputs() const {
    const auto f = enter();
    if constexpr (is_pair<R>)
      return map_values(result.second, f);
    else
      return std::tuple<>{};
  }
};

// Of a trip that `carry` enters: puts out the next carry and the outputs, runs `more` (which may put out
// further values), and returns the carry after the last trip, or a pair of it and the outputs stacked.
template <i64 Trips, class R, class C, class More>
constexpr auto finish_loop(LoopTrace& trace, const TripResult<R>& trip, const C& carry, const More& more) {
  const C next = trip.next_after(carry);
  const auto outputs = trip.outputs();
  const auto put_out = [&](const auto& e) { trace.output(e.value); };
  for_each_value(next, put_out);
  for_each_value(outputs, put_out);
  more();
  trace.finish();
  int k = 0;
  const auto last = [&](const auto& e) { return std::remove_cvref_t<decltype(e)>{trace.last(k++)}; };
  const auto final_carry = map_values(next, last);
  if constexpr (!is_pair<R>) {
    return final_carry;
  } else {
    k = 0;
    const auto stack = [&]<class E>(const E&) { return stack_of<Trips, E>{trace.stacked(k++)}; };
    const auto stacks = map_values(outputs, stack);
    return std::pair{final_carry, stacks};
  }
}

template <i64 Trips, bool Reverse, class F, class C, class... X>
constexpr auto run_loop(ir::Builder& b, const F& f, const C& carry, const X&... xs) {
  LoopTrace trace(b, Trips, Reverse);
  const auto carried = [&]<class E>(const E& e) { return E{trace.carry(e.value)}; };
  const auto inner_carry = map_values(carry, carried);
  const std::tuple<slice_of<X>...> slices{slice_of<X>{trace.slice(xs.value)}...};
  trace.begin();
  const auto result =
      std::apply([&](const auto&... x) { return body_of<LoopOp>(f, inner_carry, x...); }, slices);
  const TripResult<std::remove_cvref_t<decltype(result)>> trip{trace.body, result};
  using Next = decltype(trip.next());
  constexpr bool ok = std::is_same_v<C, Next>;
  static_assert(sizeof(CarryKeepsType<ok, LoopOp, C, Next>) > 0);
  return finish_loop<Trips>(trace, trip, inner_carry, [] {});
}

template <i64 Trips, bool Reverse, class F, class C, class... X>
constexpr auto loop_of_values(const F& f, const C& carry, const X&... xs) {
  constexpr bool is_traced = is_of_trace<C> || (is_of_trace<X> || ...);
  static_assert(sizeof(LoopHasTrace<is_traced, LoopOp, C, X...>) > 0);
  ir::Builder* found = builder_in(carry);
  ((found = inner_of(found, builder_in(xs))), ...);
  ir::Builder& b = found->innermost();
  constexpr i64 trips = trips_of<Trips, std::remove_cvref_t<decltype(traced(b, xs))>...>();
  static_assert(sizeof(TripsKnown<(trips >= 0), LoopOp, std::remove_cvref_t<decltype(traced(b, xs))>...>) >
                0);
  const auto enter = [&](const auto& e) { return traced(b, e); };
  const auto start = map_values(carry, enter);
  const std::tuple<decltype(traced(b, xs))...> inputs{traced(b, xs)...};
  return std::apply(
      [&](const auto&... x) { return run_loop<(trips >= 0 ? trips : 0), Reverse>(b, f, start, x...); },
      inputs);
}

template <i64 Trips, bool Reverse, class F, class C, class... X>
constexpr auto loop(const F& f, const C& carry, const X&... xs) {
  constexpr bool given =
      !std::is_arithmetic_v<F> && is_of_values<C> && ((is_of_values<X> && !TupleLike<X>)&&...);
  static_assert(sizeof(LoopTakes<given, LoopOp, F, C, X...>) > 0);
  if constexpr (given)
    return loop_of_values<Trips, Reverse>(f, carry, xs...);
  else
    return first_expr(xs..., carry);
}

// f(a, b) of the values of two carries of one type.
template <class C, class F>
constexpr C both_values(const C& a, const C& b, const F& f) {
  if constexpr (ExprLike<C>)
    return f(a, b);
  else
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return C{both_values(std::get<K>(a), std::get<K>(b), f)...};
    }
  (std::make_index_sequence<std::tuple_size_v<C>>{});
}
// `go`, one bool, chooses between two values.
struct Chosen {
  ir::Value go;
  template <class E>
  constexpr E operator()(const E& a, const E& b) const {
    return E{ir::select(ir::broadcast(go, E::shape::value), a.value, b.value)};
  }
};
template <i64 Most, class Condition, class F, class C>
constexpr auto while_of_values(const Condition& condition, const F& body, const C& carry) {
  constexpr bool given = Most >= 1 && is_of_values<C>;
  static_assert(sizeof(WhileTakes<given, LoopOp, Condition, F, C>) > 0);
  static_assert(sizeof(LoopHasTrace<is_of_trace<C>, LoopOp, C>) > 0);
  if constexpr (given && is_of_trace<C>) {
    ir::Builder& b = builder_in(carry)->innermost();
    const auto enter = [&](const auto& e) { return traced(b, e); };
    const auto start = map_values(carry, enter);
    return loop_of_values<Most, false>(
        [&](const auto& now) {
          using Now = std::remove_cvref_t<decltype(now)>;
          ir::Builder& trip = *builder_in(now);
          const auto inside = [&](const auto& e) { return traced(trip, e); };
          const auto go = traced(trip, condition(now));
          using Go = std::remove_cvref_t<decltype(go)>;
          constexpr bool one = std::is_same_v<Go, Expr<bool, Shape<>>>;
          static_assert(sizeof(ConditionIsComputed<!std::is_arithmetic_v<Go>, LoopOp, Go>) > 0);
          static_assert(sizeof(ConditionIsBool<one, LoopOp, Go>) > 0);
          if constexpr (!one) {
            return now;
          } else {
            // Of a trip that is not made the body sees what it has seen in the first, as what it makes of
            // values beyond the end may be infinite; and as its slope may be where no trip is made, none
            // passes.
            const auto without_slope = [&]<class E>(const E& e) {
              return E{ir::unary(ir::Op::stop_gradient, inside(e).value)};
            };
            const Now first = map_values(start, without_slope);
            trip.made_if = go.value.id;
            const auto made = body(both_values(now, first, Chosen{go.value}));
            if (!trip.graph.assigns.empty()) {
              const ir::Value none =
                  ir::read_without_value(trip, DType::f32, Dims{}, ir::Valueless::of_while);
              none.builder->graph.outputs.push(none.id);
            }
            const auto next = map_values(made, inside);
            using Next = std::remove_cvref_t<decltype(next)>;
            static_assert(sizeof(CarryKeepsType<std::is_same_v<Now, Next>, LoopOp, Now, Next>) > 0);
            if constexpr (std::is_same_v<Now, Next>)
              return both_values(next, now, Chosen{go.value});
            else
              return now;
          }
        },
        start);
  } else {
    return first_expr(carry);
  }
}

}  // namespace detail

// carry: an expression or a tuple of them. xs: expressions (trips, ...). body(carry, x...) is traced once; it
// returns the next carry, or std::pair{next carry, outputs} with outputs an expression or a tuple of them.
// Returns the carry after the last trip, or a pair of it and the outputs stacked (trips, ...). Without xs,
// say how many trips: loop<8>(body, carry). At least one of the arguments is an expression.
template <i64 Trips = -1, class F, class C, class... X>
constexpr auto loop(const F& body, const C& carry, const X&... xs) {
  return detail::loop<Trips, false>(body, carry, xs...);
}
// body(carry) as long as condition(carry), one bool, holds, and at most `Most` times: how often is known when
// the program runs, and every sample of a vmap has its own number. Gradients pass through the trips that were
// made. A trip that is not made takes its time all the same, as nothing is decided on the host: it computes
// body of the first carry, and drops it. (jax.lax.while_loop, torch.while_loop, with a bound.)
template <i64 Most, class Condition, class F, class C>
constexpr auto while_loop(const Condition& condition, const F& body, const C& carry) {
  return detail::while_of_values<Most>(condition, body, carry);
}
template <class Condition, class... A>
constexpr auto while_loop(const Condition&, const A&...) {  // a refusal
  static_assert(sizeof(TransformIsSpelled<sizeof(Condition) == 0, spelled::while_loop, A...>) > 0);
  return AfterRefusal{};
}
// As loop, from the last slice to the first; outputs stand where their slices do.
template <i64 Trips = -1, class F, class C, class... X>
constexpr auto reverse_loop(const F& body, const C& carry, const X&... xs) {
  return detail::loop<Trips, true>(body, carry, xs...);
}

}  // namespace WEFT_NAMESPACE
