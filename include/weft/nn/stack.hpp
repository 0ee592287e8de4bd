#pragma once
// Stack<Block, N>: N blocks of one kind, one after another, traced once: what a deep model costs to compile
// does not depend on its depth. Law: names, files, values and gradients are those of a
// std::array<Block, N> whose blocks are called in turn.

#include "weft/nn/walk.hpp"
#include "weft/ops/transform/loop.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(StackHasBlocks, "Stack: the number of blocks is given, and at least 1: nn::Stack<Block, 12>");
WEFT_REFUSAL(BlockKeepsType,
             "Stack: each block is given what the one before returned, so a block has to return the dtype "
             "and shape of its first argument, or a std::pair of that and what is stacked; a std::tuple is "
             "one value of several, which the block has to take");
WEFT_REFUSAL(EachHasBlocks,
             "Stack: each() is given one tensor, whose first axis is as long as there are blocks");
WEFT_REFUSAL(CarryIsTensor,
             "Stack: the first argument is a traced tensor, or a std::tuple of them; in place of a literal, "
             "zeros<f32, 2, 4>(), blocks without parameters are given zeros_like(x)");
WEFT_REFUSAL(
    BlockTakes,
    "Stack: h(x, more...) calls every block as block(x, more...), and the block's operator() does not "
    "take these arguments, or is not const: constexpr auto operator()(auto x) const");
WEFT_REFUSAL(StackIsWhole,
             "a Stack is called as a whole, h(x), and traced once: what differs from block to block is an "
             "argument each(t); blocks that are called one by one are a std::array<Block, N>");

// An argument that differs from block to block.
template <class E>
struct Each {
  E all;
};
template <class A>
inline constexpr bool is_each = false;
template <class E>
inline constexpr bool is_each<Each<E>> = true;

// h(x, each(t)): block k is given slice k of t along its first axis.
template <class E>
constexpr Each<E> each(const E& t) {
  return {t};
}

namespace stack_detail {

template <i64 N, class A>
constexpr bool has_blocks() {
  if constexpr (is_each<A>) {
    using E = std::remove_cvref_t<decltype(weft::detail::traced(std::declval<ir::Builder&>(),
                                                                std::declval<const A&>().all))>;
    if constexpr (is_expr<E>)
      return E::rank > 0 && E::shape::value.extent[0] == N;
    else
      return false;
  } else {
    return true;
  }
}

template <class A>
constexpr ir::Builder* builder_in(const A& a) {
  if constexpr (is_each<A>)
    return weft::detail::builder_in(a.all);
  else if constexpr (ExprLike<A>)
    return weft::detail::builder_of(a);
  else
    return nullptr;
}

template <class A>
inline constexpr bool is_of_trace = weft::detail::is_of_trace<A>;
template <class E>
inline constexpr bool is_of_trace<Each<E>> = weft::detail::is_of_trace<E>;

// The state of a block as the traces around and inside it have it.
template <class Block>
constexpr void each_state(Block& block, const auto& f) {
  auto visit = [&](const Unnamed&, auto& s) { f(s); };
  auto setting = [](const Mode&) {};
  walk<Unnamed>(block, visit, setting);
}

}  // namespace stack_detail

// `block` has the settings, which are the same in all blocks; parameters and buffers differ, and so do random
// numbers. A member `nn::Stack<Block, 12> h` has the names "h.0...." to "h.11....", and is called as
//   h(x, more...)   x goes through all blocks, block(x, more...): each returns the dtype and shape of x
// where x may be a std::tuple. An argument each(t) gives every block a slice of t, any other is the same for
// all. Blocks that return a std::pair of the next x and further results make h return a pair, too, of the
// last x and the results stacked, (N, ...). Buffers that a block assigns are each block's own.
template <class Block, int N>
struct Stack {
  static_assert(sizeof(StackHasBlocks<(N >= 1), GivenSize<N>>) > 0);
  using block_type = Block;
  static constexpr i64 blocks = N;

  Block block{};

  // Refusals.
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, &block, StackIsWhole, Stack)
  template <class I>
  constexpr const Block& operator[](const I&) const {
    static_assert(sizeof(StackIsWhole<sizeof(I) == 0, Stack>) > 0);
    return block;
  }
  WEFT_MEMBER(begin)
  WEFT_MEMBER(end)
#undef WEFT_MEMBER

  WEFT_REFUSED_FORWARD
  template <class X, class... A>
  constexpr auto operator()(const X& x, const A&... more) const {
    constexpr bool sliced = (stack_detail::has_blocks<N, A>() && ...);
    static_assert(sizeof(EachHasBlocks<sliced, Stack, A...>) > 0);
    constexpr bool carried = !std::is_arithmetic_v<X> && finds_trace<X, A...>();
    static_assert(sizeof(CarryIsTensor<carried, Stack, X>) > 0);
    if constexpr (sliced && carried) {
      ir::Builder* found = weft::detail::builder_in(x);
      ((found = weft::detail::inner_of(found, stack_detail::builder_in(more))), ...);
      stack_detail::each_state(block,
                               [&](const auto& s) { found = weft::detail::inner_of(found, s.builder); });
      return run(found->innermost(), x, more...);
    } else {
      return x;
    }
  }

 private:
  // Whether an argument or the state of a block says which trace a call belongs to.
  template <class... A>
  static constexpr bool finds_trace() {
    bool found = (stack_detail::is_of_trace<A> || ...);
    if (!found) {
      Block b{};
      stack_detail::each_state(b, [&](const auto&) { found = true; });
    }
    return found;
  }
  template <class A>
  static constexpr auto enter(ir::Builder& b, const A& a) {
    if constexpr (is_each<A>)
      return weft::detail::traced(b, a.all);
    else if constexpr (is_lazy<A>)  // one for all blocks
      return weft::detail::traced(b, a);
    else
      return std::tuple<>{};
  }
  // What a block is given for an argument.
  template <class A, class E>
  static constexpr decltype(auto) slice(weft::detail::LoopTrace& trace, const A& a, const E& all) {
    if constexpr (is_each<A>)
      return weft::detail::slice_of<E>{trace.slice(all.value)};
    else if constexpr (is_lazy<A>)
      return (all);
    else
      return (a);
  }

  template <class X, class... A>
  constexpr auto run(ir::Builder& b, const X& x, const A&... more) const {
    const auto join = [&](const auto& e) { return weft::detail::traced(b, e); };
    const auto start = weft::detail::map_values(x, join);
    using C = std::remove_cvref_t<decltype(start)>;
    const std::tuple<decltype(enter(b, more))...> all{enter(b, more)...};
    Block one = block;
    weft::detail::LoopTrace trace(b, N, false);
    const auto carried = [&]<class E>(const E& e) { return E{trace.carry(e.value)}; };
    const auto carry = weft::detail::map_values(start, carried);
    const auto arguments = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple<decltype(slice(trace, more, std::get<K>(all)))...>{
          slice(trace, more, std::get<K>(all))...};
    }
    (std::index_sequence_for<A...>{});
    stack_detail::each_state(one, [&](auto& s) { enter_block(trace, s); });
    trace.begin();
    using Arguments = std::remove_cvref_t<decltype(arguments)>;
    constexpr bool taken = []<class... G>(const std::tuple<G...>*) {
      return detail::CallCompiles<Block, C, std::remove_reference_t<G>...>;
    }(static_cast<Arguments*>(nullptr));
    static_assert(sizeof(BlockTakes<taken, Stack, C, A...>) > 0);
    constexpr bool returns = [] {
      if constexpr (taken)
        return []<class... G>(const std::tuple<G...>*) {
          return !std::is_void_v<
              std::invoke_result_t<const Block&, const C&, const std::remove_reference_t<G>&...>>;
        }(static_cast<Arguments*>(nullptr));
      else
        return true;
    }();
    static_assert(sizeof(BlockKeepsType<returns, Stack, C>) > 0);
    if constexpr (taken && returns)
      return finish(trace, one, carry, arguments);
    else
      return start;
  }
  template <class C, class Arguments>
  constexpr auto finish(weft::detail::LoopTrace& trace, const Block& one, const C& carry,
                        const Arguments& arguments) const {
    const auto result = std::apply([&](const auto&... a) { return one(carry, a...); }, arguments);
    const weft::detail::TripResult<std::remove_cvref_t<decltype(result)>> trip{trace.body, result};
    using Next = decltype(trip.next());
    constexpr bool ok = std::is_same_v<C, Next>;
    static_assert(sizeof(BlockKeepsType<ok, Stack, C, Next>) > 0);
    // buffers that the block assigned leave the loop as further outputs
    List<ir::Assign> assigned;
    const auto put_out_assigned = [&] {
      List<ir::Assign> carried;  // those of the model around, from block to block
      for (const ir::Assign& a : trace.body.graph.assigns) {
        if (trace.body.carries_slot(a.slot)) {
          carried.push(a);
          continue;
        }
        assigned.push({a.slot, trace.outputs()});
        trace.output({&trace.body, a.node});
      }
      trace.body.graph.assigns = carried;
    };
    const auto made = weft::detail::finish_loop<N>(trace, trip, carry, put_out_assigned);
    stack_detail::each_state(block, [&](const auto& s) {
      if constexpr (requires { s.newest; })
        for (const ir::Assign& a : assigned)
          if (a.slot == s.slot) s.set(trace.stacked(a.node));
    });
    // After the refusal of a tuple for one value, or the reverse, what is taken apart is what was returned.
    if constexpr (!weft::is_tuple_like<std::remove_cvref_t<decltype(made)>> && weft::is_tuple_like<Next>) {
      const auto refused = [&]<class E>(const E&) {
        return E{weft::detail::refused<typename E::dtype, typename E::shape>(made).value};
      };
      return weft::detail::map_values(trip.next(), refused);
    } else {
      return made;
    }
  }

  // Has a block's parameter or buffer stand for one copy.
  template <class S>
  static constexpr void enter_block(weft::detail::LoopTrace& trace, S& s) {
    ir::Builder& b = trace.b;
    const auto copy = [&](ir::Value all) { return trace.slice({&b, b.import(*all.builder, all.id)}).id; };
    const ir::Value all = s.builder == nullptr ? foreign<S>(b) : s.value();
    if constexpr (requires { s.newest; }) {
      const ir::Value newest = s.builder == nullptr ? all : s.latest_value(b);
      if (newest.builder != all.builder || newest.id != all.id) s.newest = copy(newest);
    }
    s.node = copy(all);
    s.builder = &trace.body;
    if (s.stacked > 0) --s.stacked;
  }
  // In place of what is no member of the model, which tracing refuses in the end.
  template <class S>
  static constexpr ir::Value foreign(ir::Builder& b) {
    const Dims all = ir::stacked_dims(N, S::shape::value);
    return ir::read_without_value(b, dtype_of<typename S::dtype>, all, ir::Valueless::no_member);
  }
};

}  // namespace WEFT_NAMESPACE::nn
