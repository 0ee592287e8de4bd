// header: none
// expect: compile without -funsafe-math-optimizations and its parts
// first-error: weft rounds each operation as it is written
#ifndef WEFT_FIXED  // what -funsafe-math-optimizations defines
#define __ASSOCIATIVE_MATH__ 1
#endif
#include "weft/core/config.hpp"

int main() {}
