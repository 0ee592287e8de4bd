// header: none
// expect: weft keeps NaN and infinity: compile without -ffast-math, -Ofast and -ffinite-math-only
// first-error: weft keeps NaN and infinity
#ifndef WEFT_FIXED  // what -ffinite-math-only defines
#undef __FINITE_MATH_ONLY__
#define __FINITE_MATH_ONLY__ 1
#endif
#include "weft/core/config.hpp"

int main() {}
