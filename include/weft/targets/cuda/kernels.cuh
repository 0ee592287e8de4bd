#pragma once
// The kernels of a compiled program on a GPU, one function a kernel that enqueues it.

#include "weft/kernels/attention/cuda.cuh"
#include "weft/kernels/axis/cuda.cuh"
#include "weft/kernels/axis/rows.cuh"
#include "weft/kernels/collective/cuda.cuh"
#include "weft/kernels/conv/cuda.cuh"
#include "weft/kernels/custom/cuda.cuh"
#include "weft/kernels/fused/combine_partials.cuh"
#include "weft/kernels/fused/cuda.cuh"
#include "weft/kernels/gemm/cublaslt.cuh"
#include "weft/kernels/gemm/mma.cuh"
#include "weft/kernels/gemm/tiled.cuh"
#include "weft/targets/cuda/plan.hpp"

namespace WEFT_NAMESPACE::exec {

// Whether a GPU has a kernel of attention i of a graph. Gradients of what its body captures are composed.
struct CudaHasAttention {
  constexpr bool operator()(const ir::Graph& g, int i) const {
    const ir::AttentionShape s = ir::attention_shape(g, i);
    return kernels::targets_have_mma() && s.width <= kernels::most_attention_width &&
           s.value_width <= kernels::most_attention_width && s.queries < (1 << 30) && s.keys < (1 << 30) &&
           !(s.is_gradient && ir::captured_gradients(g, i) > 0);
  }
};

using CudaKernel = void (*)(const kernels::CudaLaunch&, cudaStream_t);

// A product's layout and whether the library runs it. Words: gemm/call.hpp.
struct DotChoice {
  kernels::DotCall call;
  DType ab{}, c{};
  bool accumulate = false, tf32 = false;
  kernels::DotFinish finish = kernels::DotFinish::none;
  bool library = false;
};
constexpr DotChoice choose_dot(const u64* words, const u64* numbers) {
  DotChoice choice;
  choice.call = kernels::dot_call(numbers);
  choice.ab = static_cast<DType>(words[0]);
  choice.c = static_cast<DType>(words[2]);
  choice.accumulate = (words[3] & kernels::dot_adds) != 0;
  choice.tf32 = (words[3] & kernels::dot_is_tf32) != 0;
  if (words[3] & kernels::dot_has_bias) choice.finish = kernels::DotFinish::bias;
  const kernels::DotLayout layout =
      kernels::dot_layout(choice.call.shape, choice.call.batch, choice.accumulate);
  choice.library = words[0] == words[1] &&
                   kernels::dot_finish_problem(layout, choice.ab, choice.c, choice.finish) == nullptr;
  return choice;
}

namespace launching {

// Whether the library runs some step of dot kernel `kernel`.
template <class P>
constexpr bool uses_library(int kernel) {
  const u64* words = compiler::kernel_of<P>(kernel).words;
  for (int s = 0; s < P::header.steps; ++s) {
    const compiler::ImageStep step = compiler::step_of<P>(s);
    if (step.kind == compiler::StepKind::dot && step.kernel == kernel &&
        choose_dot(words, step.numbers).library)
      return true;
  }
  return false;
}

inline void run_library_dot(const kernels::CudaLaunch& launch, cudaStream_t stream) {
  (*launch.dot)(stream, launch.args.pointer[0], launch.args.pointer[1], launch.args.pointer[3],
                launch.args.pointer[2], launch.args.pointer[4], launch.library);
}
// weft's own kernels stand behind the library, which may have no algorithm for what it can express.
template <u64 TA, u64 TB, u64 TC, u64 Adds, bool Library>
void run_dot(const kernels::CudaLaunch& launch, cudaStream_t stream) {
  if constexpr (Library) {
    if (launch.dot != nullptr) return run_library_dot(launch, stream);
  }
  if constexpr (kernels::dot_has_mma(static_cast<DType>(TA), static_cast<DType>(TB)))
    kernels::run_cuda_dot_mma<TA, TC, Adds>(launch, stream);
  else
    kernels::run_cuda_dot_tiled<TA, TB, TC, Adds>(launch, stream);
}
inline void run_copy(const kernels::CudaLaunch& launch, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(launch.args.pointer[1], launch.args.pointer[0],
                             static_cast<std::size_t>(launch.numbers[0]), cudaMemcpyDeviceToDevice, stream),
             "cudaMemcpyAsync", "a step of a program");
}
template <class C, u64 Align>
void run_fused(const kernels::CudaLaunch& launch, cudaStream_t stream) {
  kernels::enqueue_fused<Align>(C{}, launch.args, stream);
}

// Room for the heads of all steps of attention kernel `kernel`.
struct AttentionWidths {
  int width = 0, value_width = 0;
};
template <class P>
constexpr AttentionWidths attention_widths(int kernel) {
  AttentionWidths most;
  for (int s = 0; s < P::header.steps; ++s) {
    const compiler::ImageStep step = compiler::step_of<P>(s);
    if (step.kernel != kernel) continue;
    const kernels::AttentionCall call = kernels::attention_call(step.numbers, 0);
    const int width = kernels::attention_width(call.width),
              value_width = kernels::attention_width(call.value_width);
    if (most.width < width) most.width = width;
    if (most.value_width < value_width) most.value_width = value_width;
  }
  return most;
}

}  // namespace launching

template <class P, int K>
constexpr CudaKernel cuda_kernel() {
  constexpr compiler::StepKind kind = compiler::kernel_kind<P>(K);
  if constexpr (kind == compiler::StepKind::fused) {
    return &launching::run_fused<compiler::code_of<P, K>, static_cast<u64>(kernel_alignment<P, K>())>;
  } else if constexpr (kind == compiler::StepKind::combine_partials) {
    return &kernels::run_cuda_combine_partials<combine_set<P>()>;
  } else if constexpr (kind == compiler::StepKind::custom) {
    return &kernels::run_cuda_custom<compiler::code_of<P, K>>;
  } else if constexpr (kind == compiler::StepKind::attention ||
                       kind == compiler::StepKind::attention_gradient) {
    constexpr launching::AttentionWidths widths = launching::attention_widths<P>(K);
    return &kernels::run_cuda_attention<compiler::code_of<P, K>, widths.width, widths.value_width>;
  } else if constexpr (kind == compiler::StepKind::copy) {
    return &launching::run_copy;
  } else if constexpr (kind == compiler::StepKind::repeat) {
    return nullptr;  // LaunchList walks what is inside
  } else if constexpr (kind == compiler::StepKind::all_reduce_start) {
    return &kernels::run_cuda_all_reduce_start;
  } else if constexpr (kind == compiler::StepKind::all_reduce_done) {
    return &kernels::run_cuda_all_reduce_done;
  } else if constexpr (kind == compiler::StepKind::reduce_scatter_start) {
    return &kernels::run_cuda_reduce_scatter_start;
  } else if constexpr (kind == compiler::StepKind::reduce_scatter_into_start) {
    return &kernels::run_cuda_reduce_scatter_into_start;
  } else if constexpr (kind == compiler::StepKind::collective_await) {
    return &kernels::run_cuda_collective_await;
  } else if constexpr (kind == compiler::StepKind::reduce_scatter_into_done) {
    return &kernels::run_cuda_reduce_scatter_into_done;
  } else if constexpr (kind == compiler::StepKind::reduce_scatter_state_start) {
    return &kernels::run_cuda_reduce_scatter_state_start;
  } else if constexpr (kind == compiler::StepKind::all_reduce_max) {
    return &kernels::run_cuda_all_reduce_max;
  } else if constexpr (kind == compiler::StepKind::all_gather_state_start) {
    return &kernels::run_cuda_all_gather_state_start;
  } else if constexpr (kind == compiler::StepKind::all_gather_start) {
    return &kernels::run_cuda_all_gather_start;
  } else if constexpr (kind == compiler::StepKind::reduce_scatter_done ||
                       kind == compiler::StepKind::all_gather_done) {
    return &kernels::run_cuda_pieces_done;
  } else if constexpr (kind == compiler::StepKind::group_collective) {
    return &kernels::run_cuda_group_collective;
  } else {
    constexpr const auto& words = compiler::KernelSlice<P, K>::words;
    if constexpr (kind == compiler::StepKind::dot) {
      return &launching::run_dot<words.w[0], words.w[1], words.w[2], words.w[3],
                                 launching::uses_library<P>(K)>;
    } else if constexpr (kind == compiler::StepKind::conv) {
      return &kernels::run_cuda_conv<words.w[0], words.w[1], words.w[2], words.w[3]>;
    } else if constexpr (kind == compiler::StepKind::take_rows) {
      return &kernels::run_cuda_gather<words.w[0], words.w[1]>;
    } else if constexpr (kind == compiler::StepKind::scan) {
      return &kernels::run_cuda_scan<words.w[0], words.w[2]>;
    } else if constexpr (kind == compiler::StepKind::argsort) {
      return &kernels::run_cuda_argsort<words.w[0]>;
    } else if constexpr (kind == compiler::StepKind::take_along_axis) {
      return &kernels::run_cuda_take<words.w[0], words.w[1]>;
    } else if constexpr (kind == compiler::StepKind::scatter_reduce) {
      return &kernels::run_cuda_scatter<words.w[0], words.w[1], words.w[2]>;
    } else if constexpr (kind == compiler::StepKind::searchsorted) {
      return &kernels::run_cuda_search<words.w[0]>;
    } else if constexpr (kind == compiler::StepKind::dynamic_slice) {
      return &kernels::run_cuda_block_copy<words.w[0], false>;
    } else if constexpr (kind == compiler::StepKind::dynamic_update_slice) {
      return &kernels::run_cuda_block_copy<words.w[0], true>;
    } else {
      return &kernels::run_cuda_scatter_add<words.w[0], words.w[1]>;
    }
  }
}

template <class P>
struct CudaKernels {
  struct Table {
    CudaKernel at[P::header.kernels > 0 ? P::header.kernels : 1]{};
  };
  template <int... K>
  static constexpr Table make(std::integer_sequence<int, K...>) {
    return {{cuda_kernel<P, K>()...}};
  }
  static constexpr Table table = make(std::make_integer_sequence<int, P::header.kernels>{});

  // Whether some step is a product that the library runs.
  static constexpr bool library() {
    for (int k = 0; k < P::header.kernels; ++k)
      if (compiler::kernel_kind<P>(k) == compiler::StepKind::dot && launching::uses_library<P>(k))
        return true;
    return false;
  }
};

}  // namespace WEFT_NAMESPACE::exec
