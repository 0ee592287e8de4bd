#pragma once
// A group of ranks that hold the parts of one model between them, and which ranks those are.

#include <string>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"

namespace WEFT_NAMESPACE::comm {

WEFT_REFUSAL(DegreeIsPositive,
             "comm::tensor_parallel<degree, Backend>: a group has one rank or more: comm::tensor_parallel<2, "
             "comm::Mpi>");

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
  static_assert(sizeof(DegreeIsPositive<(Degree >= 1), tensor_parallel>) > 0);
  static constexpr int degree = Degree;
  using backend = Backend;
};

// Which of a program's ranks are connected: `count` of them, of which number r is rank first + r * stride; 0:
// all.
struct RankSubset {
  int first = 0, stride = 1, count = 0;

  // The group of `degree` ranks that rank `rank` of `ranks` is of. Throws "comm/degree" where the ranks are
  // no whole number of groups; `backend` is named then.
  static RankSubset group(const char* backend, int degree, int rank, int ranks) {
    check(backend, degree, ranks);
    return {rank / degree * degree, 1, degree};
  }
  // The ranks that have its place in their groups.
  static RankSubset across(const char* backend, int degree, int rank, int ranks) {
    check(backend, degree, ranks);
    return {rank % degree, degree, ranks / degree};
  }

 private:
  static void check(const char* backend, int degree, int ranks) {
    if (ranks % degree == 0) return;
    const std::string of = std::to_string(degree);
    throw Error("comm/degree", "comm::tensor_parallel<" + of + ", comm::" + backend + ">: " +
                                   std::to_string(ranks) + " ranks are no whole number of groups of " + of +
                                   ": start a multiple, " + std::to_string((ranks / degree + 1) * degree));
  }
};

}  // namespace WEFT_NAMESPACE::comm
