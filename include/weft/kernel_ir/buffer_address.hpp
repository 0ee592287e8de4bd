#pragma once
// Where a value is in memory: a space, the number of an input or output in it, a byte offset.

#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

struct BufferAddress {
  static constexpr u64 none = ~u64{0};
  static constexpr u64 make(ir::Space space, i64 offset, int index = 0) {
    return static_cast<u64>(space) << 56 | static_cast<u64>(index) << 40 | static_cast<u64>(offset);
  }
  static constexpr ir::Space space(u64 a) { return static_cast<ir::Space>(a >> 56); }
  static constexpr int index(u64 a) { return static_cast<int>(a >> 40 & 0xffff); }
  static constexpr i64 offset(u64 a) { return static_cast<i64>(a & ((u64{1} << 40) - 1)); }
};

inline constexpr i64 alignment = 256;
constexpr i64 align_up(i64 bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace WEFT_NAMESPACE::kernel_ir
