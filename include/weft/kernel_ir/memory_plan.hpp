#pragma once
// Where everything that is in memory lies, and how each kernel is cut: what plan.hpp decides, and what the
// back end reads.

#include "weft/kernel_ir/tiling.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

struct Copy {
  u64 from = 0, to = 0;
  i64 bytes = 0;
  int before = 0;  // runs before this kernel
};

struct Plan {
  List<u64> where;       // of every node in memory
  List<Tiling> tilings;  // of every kernel
  List<Copy> copies;
  List<int> combines;  // before which kernels the sums that are still in parts are put together, ascending
  List<u64> outputs;
  i64 workspace_bytes = 0;

  // Where a view of elements of dtype `t` begins.
  constexpr u64 address(const View& v, DType t) const {
    return where[v.root] + static_cast<u64>(v.offset * size_of(t));
  }
};

// Of a loop's body: the input in whose memory an output may be computed, -1: none.
struct HeldOutput {
  int input = -1;
  bool carry = false;  // which has other memory at no cost
};

}  // namespace WEFT_NAMESPACE::kernel_ir
