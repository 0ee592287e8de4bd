#pragma once
// checkpoint::budget<bytes>: which values of the blocks a step keeps. Law: what is chosen was planned, by the
// stages that the program goes through itself, and takes at most the budget if anything does.
//
// transforms/checkpoint_order.hpp gives an order and an estimate for each length of it; the longest that is
// estimated to fit is planned, and what the plan takes corrects the estimate for the next try.

#include "weft/exec/trace.hpp"
#include "weft/train/step.hpp"
#include "weft/transforms/checkpoint_order.hpp"

namespace WEFT_NAMESPACE::train {

// The memory plan of a source's program.
template <class Source>
using PlanOf = compiler::through<exec::GraphStage<Source>, compiler::PlanPasses>;
template <class Source>
constexpr i64 find_workspace() {
  compiler::Module m;
  compiler::load<compiler::Part::plan, PlanOf<Source>>(m);
  return m.plan.workspace_bytes;
}
template <class Source>
inline constexpr i64 planned_workspace = find_workspace<Source>();

// The step where everything is kept.
template <class Step>
struct WholeSource : Step {
  struct Stage {
    static constexpr int capacity = Step::capacity;
    static constexpr void write(WordWriter& w) {
      ir::write(w, transforms::place_biases(compiler::graph_of<typename Step::RoundedStage>()));
    }
  };
  static constexpr ir::Graph graph() { return ir::FrozenGraph<Stage>::graph(); }
};

// What becomes of each node of that step in its program, and the block that it is computed again in: two
// numbers a node.
template <class Step>
struct PlacesStage {
  static constexpr void write(WordWriter& w) {
    const ir::Graph whole = WholeSource<Step>::graph();
    List<int> where;
    transforms::drop_unused(whole, where);
    const List<int> segments =
        transforms::checkpoint_segments(whole, blocks_of_slots<typename Step::model>());
    for (int i = 0; i < whole.nodes.size(); ++i) w.put_pair(where[i], segments[i]);
  }
};
// What ranking reads, in memory.
template <class Step>
struct RankingInput {
  using Whole = WholeSource<Step>;
  ir::Graph whole = Whole::graph();
  compiler::Module m;
  List<int> where, segments;
  constexpr RankingInput() {
    compiler::load<compiler::Part::graph, exec::GraphStage<Whole>>(m);
    compiler::load<compiler::Part::fusion, PlanOf<Whole>>(m);
    compiler::load<compiler::Part::plan, PlanOf<Whole>>(m);
    for (int i = 0; i < whole.nodes.size(); ++i) {
      const u64 word = Kept<PlacesStage<Step>>::data[i];
      where.push(static_cast<i32>(static_cast<u32>(word)));
      segments.push(static_cast<i32>(static_cast<u32>(word >> 32)));
    }
  }
  constexpr transforms::CheckpointRanking ranking() const {
    return transforms::CheckpointRanking(whole, segments, m.graph, where, m.fusion, m.plan);
  }
};
template <class Step>
struct OrderStage {
  static constexpr void write(WordWriter& w) {
    const RankingInput<Step> input;
    for (const int node : input.ranking().order()) w.put_int(node);
  }
};
template <class Step>
struct EstimateStage {
  static constexpr void write(WordWriter& w) {
    const RankingInput<Step> input;
    List<int> order;
    for (int i = 0; i < Kept<OrderStage<Step>>::size; ++i)
      order.push(static_cast<int>(Kept<OrderStage<Step>>::data[i]));
    for (const i64 bytes : input.ranking().estimate(order)) w.put_int(bytes);
  }
};
template <class Step>
struct Order {
  static constexpr int count = Kept<OrderStage<Step>>::size;
  static constexpr int node(int k) { return static_cast<int>(Kept<OrderStage<Step>>::data[k]); }
  static constexpr i64 bytes(int k) { return static_cast<i64>(Kept<EstimateStage<Step>>::data[k]); }
};

// The step where the first Count of the order are kept.
template <class Step, int Count>
struct KeptSource : Step {
  struct Stage {
    static constexpr int capacity = Step::capacity * 3 / 2;
    static constexpr void write(WordWriter& w) {
      List<int> order;
      for (int i = 0; i < Count; ++i) order.push(Order<Step>::node(i));
      ir::Graph kept = transforms::rematerialize(WholeSource<Step>::graph(),
                                                 blocks_of_slots<typename Step::model>(), order, Count);
      if constexpr (Step::shards_parameters)
        ir::write(w, Step::gathered(kept));
      else
        ir::write(w, kept);
    }
  };
  static constexpr ir::Graph graph() { return ir::FrozenGraph<Stage>::graph(); }
};

// How many of the order are kept. Fits: a number that does, -1: none is known to; Exceeds: one that does not;
// Error: by how much plans took more than was estimated; so many Tries are left.
// The first try leaves a thousandth for what the estimate does not know.
template <class Step, i64 Bytes, int Fits = -1, int Exceeds = Order<Step>::count + 1,
          i64 Error = Bytes / 1000, int Tries = 4>
struct SearchBudget {
  static constexpr int choose() {
    if (Tries == 0) return Fits < 0 ? 0 : Fits;
    int most = Exceeds - 1;
    while (most > Fits && most > 0 && Order<Step>::bytes(most) + Error > Bytes) --most;
    return most < 0 ? 0 : most;
  }
  // What may be left of the budget: a tenth of what it gives beyond the least.
  static constexpr i64 most_left() {
    const i64 room = Bytes - Order<Step>::bytes(0);
    return room > 0 && room / 10 < Bytes / 16 ? room / 10 : Bytes / 16;
  }
  static constexpr int tried = choose();
  static constexpr int find() {
    if constexpr (tried <= Fits) {
      return tried;
    } else {
      constexpr i64 taken = planned_workspace<KeptSource<Step, tried>>;
      constexpr i64 error = taken - Order<Step>::bytes(tried);
      if constexpr (taken <= Bytes) {
        if constexpr (taken >= Bytes - most_left() || Tries == 0)
          return tried;
        else
          return SearchBudget<Step, Bytes, tried, Exceeds, error, Tries - 1>::count;
      } else if constexpr (tried == 0 || Tries == 0) {
        return tried;
      } else {
        return SearchBudget<Step, Bytes, Fits, tried, error, Tries - 1>::count;
      }
    }
  }
  static constexpr int count = find();
};

// Whether a program has loops, whose nodes no order knows.
template <class Step>
constexpr bool has_loops() {
  return ir::has_loops(WholeSource<Step>::graph());
}

// The source that takes less memory.
template <class A, class B>
using less_workspace = std::conditional_t<(planned_workspace<A> < planned_workspace<B>), A, B>;

// The source that a step under a budget of so many bytes is compiled from; where none keeps within them, the
// one that takes least.
template <class M, class F, class O, bool Apply, i64 Bytes, class... I>
struct Budgeted {
  using Step = StepSource<M, F, O, Apply, I...>;
  using Whole = WholeSource<Step>;
  template <class C>
  using Policy = StepSource<M, F, typename O::template with_checkpoint<C>, Apply, I...>;
  static constexpr auto find() {
    if constexpr (planned_workspace<Whole> <= Bytes)
      return std::type_identity<Whole>{};
    else if constexpr (!has_loops<Step>())
      return std::type_identity<less_workspace<KeptSource<Step, SearchBudget<Step, Bytes>::count>, Whole>>{};
    else if constexpr (planned_workspace<Policy<checkpoint::Dots>> <= Bytes)
      return std::type_identity<Policy<checkpoint::Dots>>{};
    else
      return std::type_identity<less_workspace<Policy<checkpoint::Blocks>, Whole>>{};
  }
  using type = typename decltype(find())::type;
};

// What a trainer compiles: the step, or what a budget makes of it. A step that only adds to the gradients
// takes half of the budget, or what the one that applies them leaves at its least; that one takes the rest.
template <class M, class F, class O, bool Apply, class... I>
struct CompiledStep {
  using type = StepSource<M, F, O, Apply, I...>;
};
template <class M, class F, class O, bool Apply, class... I>
requires(O::budget >= 0 && (Apply || O::closure || O::accumulates))  // the other is named, and never runs
    struct CompiledStep<M, F, O, Apply, I...> {
  static constexpr i64 bytes() {
    if constexpr (O::closure || !O::accumulates) {
      return O::budget;
    } else if constexpr (!Apply) {
      constexpr i64 half = O::budget / 2;
      constexpr i64 left = O::budget - planned_workspace<typename Budgeted<M, F, O, true, 0, I...>::type>;
      return left < half ? left : half;
    } else {
      return O::budget - planned_workspace<typename CompiledStep<M, F, O, false, I...>::type>;
    }
  }
  using type = typename Budgeted<M, F, O, Apply, bytes(), I...>::type;
};
template <class M, class F, class O, bool Apply, class... I>
using compiled_step = typename CompiledStep<M, F, O, Apply, I...>::type;

// What all programs of a trainer under a budget take.
template <class M, class F, class O, class... I>
constexpr i64 budgeted_workspace() {
  if constexpr (O::closure)
    return planned_workspace<compiled_step<M, F, O, false, I...>>;
  else if constexpr (O::accumulates)
    return planned_workspace<compiled_step<M, F, O, false, I...>> +
           planned_workspace<compiled_step<M, F, O, true, I...>>;
  else
    return planned_workspace<compiled_step<M, F, O, true, I...>>;
}

}  // namespace WEFT_NAMESPACE::train
