#pragma once
// Layers of which each rank of a group has a part: y = x W^T + b cut by columns or by rows, and an embedding
// cut by words. Group: comm::tensor_parallel<degree, Backend>. Parameters have the names, the files and the
// starting values of the undivided layers. (Shoeybi et al., "Megatron-LM", 2019.)

#include "weft/nn/dropout.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/part.hpp"
#include "weft/ops/nn/tensor_parallel.hpp"

namespace WEFT_NAMESPACE::nn {

// What: the extent that is cut, and the degree.
WEFT_REFUSAL(LayerIsCut,
             "tensor parallel layers: the extent that is cut, Out of a ColumnParallelLinear, In of a "
             "RowParallelLinear, Count of a VocabParallelEmbedding, is a multiple of the group's degree");

// No axis of the values is cut.
inline constexpr int whole_sequence = 99;

struct ParallelOptions {
  bool bias = true;            // whether there is one
  bool gather_output = false;  // of a ColumnParallelLinear: every rank gets all columns
  int blocks = 1;  // of a ColumnParallelLinear: as many layers of Out / blocks columns, one behind another in
                   // its parameters, such as those of q, k and v; a rank has its columns of each
  // Along which the ranks have parts of the values around a pair of layers (sequence parallelism): of x of
  // the first, of the result of the second.
  int sequence_axis = whole_sequence;
};

namespace module_detail {

template <i64 Extent, class Group, int Blocks = 1>
constexpr i64 cut() {
  constexpr bool ok = Blocks >= 1 && Extent % (Blocks * Group::degree) == 0;
  static_assert(sizeof(LayerIsCut<ok, GivenSize<Extent>, WantedSize<Blocks * Group::degree>>) > 0);
  return ok ? Extent / Group::degree : Extent;
}

}  // namespace module_detail

// x (..., In), whole -> (..., Out / degree), this rank's columns, for a RowParallelLinear behind. weight
// (Out / degree, In), bias (Out / degree).
template <i64 In, i64 Out, class Group, ParallelOptions Options = ParallelOptions{}, class T = f32>
struct ColumnParallelLinear {
  static constexpr i64 columns = module_detail::cut<Out, Group, Options.blocks>();
  template <class Init>
  using Part = init::Part<0, Group, Init, Options.blocks>;
  Param<T, Shape<columns, In>, Part<init::FanInUniform<>>> weight{};
  std::conditional_t<Options.bias, Param<T, Shape<columns>, Part<init::FanInUniform<In>>>, Absent> bias{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto own = [&](const auto& in) {
      if constexpr (Options.bias)
        return linear(in, weight, bias);
      else
        return linear(in, weight);
    };
    const auto y = [&] {
      if constexpr (Options.sequence_axis != whole_sequence)
        return own(gather_to_parts<Group, Options.sequence_axis>(to_expr(x)));
      else
        return own(copy_to_parts<Group>(to_expr(x)));
    }();
    if constexpr (Options.gather_output)
      return gather_parts<Group, -1>(y);
    else
      return y;
  }
};

// x (..., In / degree), this rank's -> (..., Out), whole. weight (Out, In / degree), bias (Out), which every
// rank has.
template <i64 In, i64 Out, class Group, ParallelOptions Options = ParallelOptions{}, class T = f32>
struct RowParallelLinear {
  Param<T, Shape<Out, module_detail::cut<In, Group>()>, init::Part<1, Group, init::FanInUniform<>>> weight{};
  std::conditional_t<Options.bias, Param<T, Shape<Out>, init::FanInUniform<In>>, Absent> bias{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& x) const {
    const auto addend = linear(to_expr(x), weight);
    if constexpr (Options.sequence_axis != whole_sequence) {
      const auto y = scatter_sum<Group, Options.sequence_axis>(addend);
      if constexpr (Options.bias)
        return y + copy_to_parts<Group>(to_expr(bias));
      else
        return y;
    } else {
      const auto y = sum_parts<Group>(addend);
      if constexpr (Options.bias)
        return y + bias;
      else
        return y;
    }
  }
};

// indices (...) in [0, Count) -> (..., Size), whole. weight (Count / degree, Size).
template <i64 Count, i64 Size, class Group, class T = f32>
struct VocabParallelEmbedding {
  static constexpr i64 rows = module_detail::cut<Count, Group>();
  Param<T, Shape<rows, Size>, init::Part<0, Group, init::Normal<>>> weight{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& index) const {
    const auto own = to_expr(index) - part_index<Group>(index) * rows;
    const auto inside = logical_and(own >= 0, own < rows);
    return sum_parts<Group>(
        where(unsqueeze<-1>(inside), functional::embedding(where(inside, own, 0), weight), 0));
  }
};

// Dropout of what each rank has a part of along Axis: it drops what an nn::Dropout of the whole drops.
// (nn::Dropout there drops the same elements of every rank's part.)
template <class Group, int Axis = -1>
struct PartDropout {
  float p = 0.5f;  // probability to drop an element
  Mode mode{};
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& given) const {
    const auto x = to_expr(given);
    using X = std::remove_const_t<decltype(x)>;
    using Rule = weft::detail::part_rule<typename X::shape, Axis, Group::degree, false>;
    static_assert(sizeof(PartsAreEqual<Rule::ok, PartDropout, typename X::shape>) > 0);
    if (!mode.training) return x;
    const Expr<typename X::dtype, shape_of<Rule>> ones{
        ir::constant(*x.value.builder, dtype_of<typename X::dtype>, Rule::value, 1)};
    return X{mul(x, take_part<Group, Axis>(dropout(ones, p))).value};
  }
};

// A layer that works on each rank's part of a sequence, such as a norm between the layers above: its
// parameters are whole, and their gradients are added up over the group. Names and files are the layer's own.
template <class Layer, class Group>
struct SequenceParallel {
  Spliced<Layer> layer{};
  WEFT_REFUSED_FORWARD
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    Layer copied = layer.first;
    auto f = [](const Unnamed&, auto& s) {
      if constexpr (std::remove_cvref_t<decltype(s)>::trained)
        if (s.builder != nullptr && s.stacked == 0) s.node = ir::group_copy(s.value(), Group::degree).id;
    };
    auto g = [](Mode&) {};
    walk<Unnamed>(copied, f, g);
    return copied(x...);
  }
};

}  // namespace WEFT_NAMESPACE::nn
