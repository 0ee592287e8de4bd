#pragma once
// What compile() makes for Cuda.

#include "weft/exec/function.hpp"
#include "weft/targets/cuda/program.cuh"

namespace WEFT_NAMESPACE::exec {

template <class P>
struct CodeOf<Cuda, P> {
  using type = Compiled<composed_source<P, CudaHasAttention>>;
};
template <class P>
struct ProgramOf<Cuda, P> {
  using type = CudaProgram<P>;
};

}  // namespace WEFT_NAMESPACE::exec
