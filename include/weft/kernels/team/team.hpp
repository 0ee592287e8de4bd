#pragma once
// A team is the group of threads that runs one kernel body together. A body is written once against these
// names and runs as a serial host loop, as a CUDA block and as an emulated block. Law: the order of every
// reduction depends on the size of the team alone, and every thread receives the same bits.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "weft/core/config.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/kernels/simd/load_store.hpp"

namespace WEFT_NAMESPACE {

// Threads that exchange values without a barrier.
inline constexpr int warp_size = 32;
// Bytes that one warp may leave for the others in a reduction: the largest value a team can reduce.
inline constexpr int scratch_slot_bytes = 16;

// Reduction operators. `symmetric`, or `symmetric_for<T>`, promises that op(a, b) and op(b, a) have the same
// bits; without it the operands are put in rank order, which costs two selects a step. All must be
// associative and commutative up to rounding. Any such function object over a trivially copyable type works.
struct ReduceSum {
  static constexpr bool symmetric = true;
  template <class T>
  WEFT_HD_INLINE constexpr T operator()(T a, T b) const {
    return kernels::wrapping_add(a, b);
  }
};
struct ReduceProd {
  static constexpr bool symmetric = true;
  template <class T>
  WEFT_HD_INLINE constexpr T operator()(T a, T b) const {
    return kernels::wrapping_mul(a, b);
  }
};
// NaN wins, as in torch.max and torch.min.
struct ReduceMax {
  template <class T>
  static constexpr bool symmetric_for = kernels::detail::orders_by_instruction<T>;
  template <class T>
  WEFT_HD_INLINE T operator()(T a, T b) const {
    return kernels::maximum(a, b);
  }
};
struct ReduceMin {
  template <class T>
  static constexpr bool symmetric_for = kernels::detail::orders_by_instruction<T>;
  template <class T>
  WEFT_HD_INLINE T operator()(T a, T b) const {
    return kernels::minimum(a, b);
  }
};

template <class Op, class T>
inline constexpr bool is_symmetric_reduction = requires {
  requires Op::symmetric;
}
|| requires { requires Op::template symmetric_for<T>; };

// The lanes of a warp that a team has: all, unless it says less.
template <class Team>
inline constexpr int lanes_of_team = warp_size;
template <class Team>
requires requires { Team::lanes; }
inline constexpr int lanes_of_team<Team> = Team::lanes;

// Reduces over the lanes of the caller's warp by a butterfly; every lane returns the same bits.
template <class Team, class T, class Op>
WEFT_HD_INLINE T warp_all_reduce(Team& team, T value, Op op) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int mask = lanes_of_team<Team> / 2; mask > 0; mask /= 2) {
    const T other = team.shuffle_xor(value, mask);
    if constexpr (is_symmetric_reduction<Op, T>) {
      value = op(value, other);
    } else {
      const bool upper = (team.lane() & mask) != 0;
      value = op(upper ? other : value, upper ? value : other);
    }
  }
  return value;
}

namespace detail {

template <int Half, class T, class Op>
WEFT_HD_INLINE void fold_partials(T* partial, int count, Op op) {
  if constexpr (Half > 0) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < Half; ++i) {
      if (i + Half < count) partial[i] = op(partial[i], partial[i + Half]);
    }
    fold_partials<Half / 2>(partial, count, op);
  }
}

// The smallest power of two whose double reaches n: where folding n values in halves begins.
WEFT_HD constexpr int first_half(int n) {
  int halved = 1;
  while (2 * halved < n) halved *= 2;
  return halved;
}

}  // namespace detail

// Reduces over the whole team: a butterfly in each warp, one barrier, then every thread folds the warps'
// results in the same tree. A team of one warp needs neither barrier nor shared memory. Successive calls
// alternate between two scratch areas, so no second barrier protects the first one's readers.
template <class Team, class T, class Op>
WEFT_HD_INLINE T team_all_reduce(Team& team, T value, Op op) {
  static_assert(sizeof(T) <= scratch_slot_bytes, "a team reduces values of at most 16 bytes");
  value = warp_all_reduce(team, value, op);
  if (team.warps() == 1) return value;
  auto slots = team.template next_scratch<T>();
  if (team.lane() == 0) slots[team.warp()] = value;
  team.sync();
  constexpr int most = Team::max_warps;
  T partial[most];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 0; i < most; ++i) partial[i] = slots[i < team.warps() ? i : 0];
  detail::fold_partials<detail::first_half(most)>(partial, team.warps(), op);
  return partial[0];
}

// Every thread returns the value that thread `root` passed. All threads name the same root.
template <class Team, class T>
WEFT_HD_INLINE T team_broadcast(Team& team, T value, int root) {
  static_assert(sizeof(T) <= scratch_slot_bytes, "a team broadcasts values of at most 16 bytes");
  if (team.warps() == 1) return team.shuffle(value, root);
  auto slots = team.template next_scratch<T>();
  if (team.rank() == root) slots[0] = value;
  team.sync();
  return slots[0];
}

// The collective operations, the same for every team; Derived supplies the primitives.
template <class Derived>
struct TeamOps {
  template <class T, class Op>
  WEFT_HD_INLINE T all_reduce(T value, Op op) {
    return team_all_reduce(self(), value, op);
  }
  template <class T>
  WEFT_HD_INLINE T sum(T value) {
    return all_reduce(value, ReduceSum{});
  }
  template <class T>
  WEFT_HD_INLINE T prod(T value) {
    return all_reduce(value, ReduceProd{});
  }
  template <class T>
  WEFT_HD_INLINE T max(T value) {
    return all_reduce(value, ReduceMax{});
  }
  template <class T>
  WEFT_HD_INLINE T min(T value) {
    return all_reduce(value, ReduceMin{});
  }
  template <class T>
  WEFT_HD_INLINE T broadcast(T value, int root = 0) {
    return team_broadcast(self(), value, root);
  }

 private:
  WEFT_HD_INLINE Derived& self() { return static_cast<Derived&>(*this); }
};

// What a body may ask of a team. `shared<T>(n)` is memory for n values of T, 16-byte aligned and not
// initialised; every thread makes the same calls in the same order and gets the same memory. Name the type
// when reading it (`float x = s[i]`): an emulated team hands out checked references.
template <class T>
concept Team = requires(T& team) {
  { team.rank() } -> std::convertible_to<int>;
  { team.size() } -> std::convertible_to<int>;
  team.sync();
  { team.template shared<float>(1)[0] } -> std::convertible_to<float>;
  { team.all_reduce(1.0f, ReduceSum{}) } -> std::same_as<float>;
  { team.sum(1.0f) } -> std::same_as<float>;
  { team.prod(1.0f) } -> std::same_as<float>;
  { team.max(1.0f) } -> std::same_as<float>;
  { team.min(1.0f) } -> std::same_as<float>;
  { team.broadcast(1.0f, 0) } -> std::same_as<float>;
};

// The team of one host thread: nothing to wait for, nothing to combine. Shared memory is a block that the
// caller lends (64-byte aligned pieces of it); asking for more throws Error "team/shared-exhausted".
class SerialTeam {
 public:
  template <class T>
  using Shared = T*;

  constexpr SerialTeam() = default;
  constexpr SerialTeam(std::byte* shared, i64 bytes) : shared_(shared), bytes_(bytes) {}

  WEFT_HD static constexpr int rank() { return 0; }
  WEFT_HD static constexpr int size() { return 1; }
  WEFT_HD static constexpr void sync() {}
  WEFT_HD static constexpr void sync_warp() {}

  template <class T>
  WEFT_HD T* shared(i64 count) {
#if defined(__CUDA_ARCH__)
    return nullptr;
#else
    const auto address = reinterpret_cast<std::uintptr_t>(shared_) + static_cast<std::uintptr_t>(used_);
    const i64 begin = used_ + static_cast<i64>((~address + 1) % 64);
    const i64 end = begin + count * static_cast<i64>(sizeof(T));
    if (count < 0 || end > bytes_) {
      throw Error("team/shared-exhausted", "a kernel body asked for " + std::to_string(end) +
                                               " bytes of shared memory and was lent " +
                                               std::to_string(bytes_));
    }
    used_ = end;
    return reinterpret_cast<T*>(shared_ + begin);
#endif
  }

  template <class T, class Op>
  WEFT_HD_INLINE T all_reduce(T value, Op) {
    return value;
  }
  template <class T>
  WEFT_HD_INLINE T sum(T value) {
    return value;
  }
  template <class T>
  WEFT_HD_INLINE T prod(T value) {
    return value;
  }
  template <class T>
  WEFT_HD_INLINE T max(T value) {
    return value;
  }
  template <class T>
  WEFT_HD_INLINE T min(T value) {
    return value;
  }
  template <class T>
  WEFT_HD_INLINE T broadcast(T value, int = 0) {
    return value;
  }

 private:
  std::byte* shared_ = nullptr;
  i64 bytes_ = 0;
  i64 used_ = 0;
};

}  // namespace WEFT_NAMESPACE
