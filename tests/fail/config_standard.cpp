// wrote: g++ -std=c++17 net.cpp
// write: g++ -std=c++20 net.cpp
// flags: -std=c++17
// header: none
// expect: weft needs C++20: compile with -std=c++20
// first-error: weft needs C++20: compile with -std=c++20
#include "weft/weft.hpp"

#ifdef WEFT_FIXED
using namespace weft;
#endif

int main() {}
