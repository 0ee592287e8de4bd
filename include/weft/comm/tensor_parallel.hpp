#pragma once
// A group of ranks that hold the parts of one model between them.

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::comm {

// Degree ranks that follow one another, ranks [k Degree, (k + 1) Degree), connected by Backend: what the
// layers of nn/tensor_parallel.hpp take.
//
//   using Parts = comm::tensor_parallel<2, comm::Mpi>;
//   struct Mlp {
//     nn::ColumnParallelLinear<768, 3072, Parts> up;
//     nn::RowParallelLinear<3072, 768, Parts> down;
//     constexpr auto operator()(const auto& x) const { return down(gelu(up(x))); }
//   };
template <int Degree, class Backend>
struct tensor_parallel {
  static_assert(Degree >= 1, "comm::tensor_parallel<degree, Backend>: the degree is 1 or more");
  static constexpr int degree = Degree;
  using backend = Backend;
};

}  // namespace WEFT_NAMESPACE::comm
