#pragma once
// A group of ranks that hold the parts of one model between them.

#include <string>

#include "weft/core/error.hpp"

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

// Throws "comm/degree" unless so many ranks are a whole number of groups.
inline void check_degree(const char* backend, int degree, int ranks) {
  if (ranks % degree == 0) return;
  const std::string of = std::to_string(degree);
  throw Error("comm/degree", "comm::tensor_parallel<" + of + ", comm::" + backend +
                                 ">: " + std::to_string(ranks) + " ranks are no whole number of groups of " +
                                 of + ": start a multiple, " + std::to_string((ranks / degree + 1) * degree));
}

}  // namespace WEFT_NAMESPACE::comm
