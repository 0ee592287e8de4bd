#pragma once
// Seeds for what was given none. Law: two draws without a seed differ, whatever they are for; a program that
// runs again draws the same ones, in the order in which it asks.

#include <concepts>
#include <type_traits>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// What a seed is for. Each use counts by itself: one more loader changes no model.
enum class SeedUse : u32 { model, function, expression, loader };

namespace detail {

inline u64 seed_base = 0;
inline u64 seeds_taken[4]{};

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection that spreads neighbours.
constexpr u64 mixed_bits(u64 x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace detail

// As torch.manual_seed: what is made without a seed of its own from now on draws as it does after the same
// call in another run. Threads that make such things at the same time share one order; give them seeds.
inline void manual_seed(u64 seed) {
  __atomic_store_n(&detail::seed_base, seed, __ATOMIC_RELAXED);
  for (u64& taken : detail::seeds_taken) __atomic_store_n(&taken, 0, __ATOMIC_RELAXED);
}

// A seed that an option may hold: .seed = 3.
struct GivenSeed {
  u64 value = 0;       // the seed
  bool given = false;  // whether one was given
  constexpr GivenSeed() = default;
  template <class N>
  requires std::is_integral_v<N>
  constexpr GivenSeed(N number) : value(static_cast<u64>(number)), given(true) {}
  template <class Seed>  // the option seed{7} of a trainer
  requires requires(const Seed& s) {
    Seed::option;
    { s.value } -> std::same_as<const u64&>;
  }
  constexpr GivenSeed(const Seed& seed) : value(seed.value), given(true) {}
};

// The next seed for a use; far from small numbers, which programs give themselves.
inline u64 fresh_seed(SeedUse use) {
  const auto which = static_cast<u64>(use);
  const u64 count = __atomic_fetch_add(&detail::seeds_taken[which], 1, __ATOMIC_RELAXED);
  const u64 base = __atomic_load_n(&detail::seed_base, __ATOMIC_RELAXED);
  return detail::mixed_bits(detail::mixed_bits(base) + (which << 56) + count);
}

}  // namespace WEFT_NAMESPACE
