#pragma once
// What a group of ranks does with a value of which each has a part (ir/group.hpp), as one number.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

enum class GroupKind : u8 {
  sum,     // of addends that the ranks have: the whole
  gather,  // of parts x (S...): the whole (degree, S...)
  part,    // of the whole (degree, S...): this rank's (S...)
  scatter  // of addends (degree, S...): this rank's part of their sum (S...)
};

struct GroupCall {
  GroupKind kind{};
  int degree = 1;
  bool to_parts = false;  // of a gather: what reads it has parts, so its gradients are addends

  constexpr u64 encode() const {
    return static_cast<u64>(degree) << 8 | static_cast<u64>(to_parts) << 4 | static_cast<u64>(kind);
  }
  static constexpr GroupCall decode(u64 imm) {
    return {static_cast<GroupKind>(imm & 15), static_cast<int>(imm >> 8), (imm >> 4 & 1) != 0};
  }
};
constexpr bool adds(GroupKind kind) { return kind == GroupKind::sum || kind == GroupKind::scatter; }

}  // namespace WEFT_NAMESPACE
