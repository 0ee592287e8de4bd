#pragma once
// Random graphs through the list of passes and launch by launch, beside the plain evaluation of the graph:
// whatever a graph holds, its lowered program has the same values.

#include <string>

#include "support/leaves.hpp"
#include "support/random_graph_options.hpp"

namespace weft::testing {

// Additions that became part of a product's kernel: of a value of its extents, of a bias, of both.
struct Absorbed {
  int added = 0, bias = 0, both = 0;
};
inline Absorbed absorbed;

// The first difference between the lowered program and the plain evaluation of the graph; empty if there is
// none.
std::string difference(const ir::Graph& traced, const Leaves& leaves, u32 order);

// How many random graphs of the seeds from `first` on differ.
int failures(u32 first, u32 count, RandomGraphOptions options);

}  // namespace weft::testing
