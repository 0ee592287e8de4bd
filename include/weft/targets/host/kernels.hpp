#pragma once
// The table of the host's kernels: the function that runs each kernel of a program.

#include "weft/kernels/attention/host.hpp"
#include "weft/kernels/axis/host.hpp"
#include "weft/kernels/collective/host.hpp"
#include "weft/kernels/custom/host.hpp"
#include "weft/targets/launch_list.hpp"

namespace WEFT_NAMESPACE::exec {

using HostKernel = void (*)(const kernels::HostLaunch&, int);

template <class P, int K>
constexpr HostKernel host_axis_kernel() {
  constexpr compiler::StepKind kind = compiler::kernel_kind<P>(K);
  using C = compiler::code_of<P, K>;
  if constexpr (kind == compiler::StepKind::scan)
    return &kernels::run_scan<C>;
  else if constexpr (kind == compiler::StepKind::argsort)
    return &kernels::run_argsort<C>;
  else if constexpr (kind == compiler::StepKind::take_along_axis)
    return &kernels::run_take<C>;
  else if constexpr (kind == compiler::StepKind::scatter_reduce)
    return &kernels::run_scatter<C>;
  else
    return &kernels::run_search<C>;
}

// The function of every kernel of program P.
template <class P, int K>
constexpr HostKernel host_kernel() {
  constexpr compiler::StepKind kind = compiler::kernel_kind<P>(K);
  if constexpr (kind == compiler::StepKind::fused)
    return &kernels::run_fused<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::dot)
    return &kernels::run_dot<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::conv)
    return &kernels::run_conv<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::take_rows)
    return &kernels::run_gather<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::scatter_add)
    return &kernels::run_scatter_add<compiler::code_of<P, K>>;
  else if constexpr (kind >= compiler::StepKind::scan && kind <= compiler::StepKind::searchsorted)
    return host_axis_kernel<P, K>();
  else if constexpr (kind == compiler::StepKind::dynamic_slice)
    return &kernels::run_block_copy<compiler::code_of<P, K>, false>;
  else if constexpr (kind == compiler::StepKind::dynamic_update_slice)
    return &kernels::run_block_copy<compiler::code_of<P, K>, true>;
  else if constexpr (kind == compiler::StepKind::custom)
    return &kernels::run_custom<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::all_reduce_start)
    return &kernels::run_all_reduce_start;
  else if constexpr (kind == compiler::StepKind::all_reduce_done)
    return &kernels::run_all_reduce_done;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_start)
    return &kernels::run_reduce_scatter_start;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_into_start)
    return &kernels::run_reduce_scatter_into_start;
  else if constexpr (kind == compiler::StepKind::collective_await)
    return &kernels::run_collective_await;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_into_done)
    return &kernels::run_reduce_scatter_into_done;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_state_start)
    return &kernels::run_reduce_scatter_state_start;
  else if constexpr (kind == compiler::StepKind::all_reduce_max)
    return &kernels::run_all_reduce_max;
  else if constexpr (kind == compiler::StepKind::all_gather_state_start)
    return &kernels::run_all_gather_state_start;
  else if constexpr (kind == compiler::StepKind::all_gather_start)
    return &kernels::run_all_gather_start;
  else if constexpr (kind == compiler::StepKind::reduce_scatter_done ||
                     kind == compiler::StepKind::all_gather_done)
    return &kernels::run_pieces_done;
  else if constexpr (kind == compiler::StepKind::group_collective)
    return &kernels::run_group_collective;
  else if constexpr (kind == compiler::StepKind::attention)
    return &kernels::run_attention<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::attention_gradient)
    return &kernels::run_attention_gradient<compiler::code_of<P, K>>;
  else if constexpr (kind == compiler::StepKind::combine_partials)
    return &kernels::run_combine_partials<combine_set<P>()>;
  else if constexpr (kind == compiler::StepKind::repeat)
    return nullptr;  // LaunchList walks what is inside
  else
    return &kernels::run_copy;
}

template <class P>
struct HostKernels {
  struct Table {
    HostKernel at[P::header.kernels > 0 ? P::header.kernels : 1]{};
  };
  template <int... K>
  static constexpr Table make(std::integer_sequence<int, K...>) {
    return {{host_kernel<P, K>()...}};
  }
  static constexpr Table table = make(std::make_integer_sequence<int, P::header.kernels>{});
};

}  // namespace WEFT_NAMESPACE::exec
