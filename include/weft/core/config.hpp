#pragma once
// How weft meets the compiler: host/device markers, forced inlining, version. The only header that asks
// which compiler this is; every macro weft defines for itself is defined here.

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

// An #include of what does not exist ends every compiler at once, where #error lets g++ continue for pages.
#if __cplusplus < 202002L
#include <weft needs C++20: compile with -std=c++20>
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#include <weft needs g++ 12 or newer, or clang 16>
#endif

// Where the compiler may take for granted that there is no NaN, isnan, nan_to_num and relu are wrong.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error weft keeps NaN and infinity: compile without -ffast-math, -Ofast and -ffinite-math-only
#endif
// Where it may order additions anew, exp, sin and long sums are wrong. (clang does not say so.)
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error weft rounds each operation as it is written: compile without -funsafe-math-optimizations and its parts
#endif

#if defined(__CUDACC__)
#define WEFT_HD __host__ __device__
#define WEFT_HD_INLINE __host__ __device__ __forceinline__
#else
#define WEFT_HD
#define WEFT_HD_INLINE inline __attribute__((always_inline))
#endif
#define WEFT_INLINE inline __attribute__((always_inline))

// Whether options of core/check.hpp are on unless they are given: -DWEFT_CHECK.
#if defined(WEFT_CHECK)
#define WEFT_CHECK_DEFAULT true
#else
#define WEFT_CHECK_DEFAULT false
#endif

// The namespace of everything in weft, and inside it an inline one that users never write. It bears what two
// translation units of one program may differ in, so that each keeps its own: the version, and whether
// everything is checked.
#if defined(WEFT_CHECK)
#define WEFT_NAMESPACE weft::inline v0_1_check
#else
#define WEFT_NAMESPACE weft::inline v0_1
#endif

// WEFT_REFUSAL(ShapesBroadcast, "the shapes do not broadcast: ...");  a compile-time error, the first alone
// (core/diagnose.hpp)
#if defined(__CUDACC__) || !__has_attribute(unavailable)
#define WEFT_REFUSAL(Name, sentence)                                                                  \
  template <bool Ok, class... What>                                                                   \
  struct Name {};                                                                                     \
  template <class... What>                                                                            \
  requires(!::weft::refused_before<Name<false, What...>>) struct Name<false, What...>                 \
      : ::weft::detail::Refused<typename ::weft::detail::Beside<void, What...>::type> {               \
    static_assert(sizeof(typename ::weft::detail::Beside<Name<true>, What...>::type) == 0, sentence); \
  }
#else
#define WEFT_REFUSAL(Name, sentence)                                                    \
  namespace refusals {                                                                  \
  template <class... What>                                                              \
  __attribute__((unavailable(sentence))) inline constexpr bool Name = false;            \
  }                                                                                     \
  template <bool Ok, class... What>                                                     \
  struct Name {};                                                                       \
  template <class... What>                                                              \
  requires(!::weft::refused_before<Name<false, What...>>) struct Name<false, What...>   \
      : ::weft::detail::Refused<typename ::weft::detail::Beside<void, What...>::type> { \
    static_assert(!refusals::Name<What...>);                                            \
  }
#endif

// A member that is there to be refused, whatever it is given: WEFT_REFUSED_MEMBER(item, result, Refusal,
// What...). Its result is deduced, so that g++ looks into the body, and says the sentence, before it looks at
// what is done with the result.
#define WEFT_REFUSED_MEMBER(name, result, Refusal, ...)                         \
  template <auto... Brackets, class... Given>                                   \
  constexpr auto name(const Given&...) const {                                  \
    static_assert(sizeof(Refusal<(sizeof...(Given) > 1024), __VA_ARGS__>) > 0); \
    return result;                                                              \
  }

// WEFT_OPERATOR(sign), which the user of this defines, for every operator that has a form with =: a += b.
#define WEFT_COMPOUND_OPERATORS \
  WEFT_OPERATOR(+)              \
  WEFT_OPERATOR(-)              \
  WEFT_OPERATOR(*)              \
  WEFT_OPERATOR(/)              \
  WEFT_OPERATOR(%)              \
  WEFT_OPERATOR(&)              \
  WEFT_OPERATOR(|)              \
  WEFT_OPERATOR(^)              \
  WEFT_OPERATOR(<<)             \
  WEFT_OPERATOR(>>)

// Before a loop of constant length: device code unrolls it, so that arrays it indexes stay in registers.
#if defined(__CUDA_ARCH__)
#define WEFT_UNROLL _Pragma("unroll")
#define WEFT_UNROLL_FOUR _Pragma("unroll 4")
#else
#define WEFT_UNROLL
#define WEFT_UNROLL_FOUR
#endif
