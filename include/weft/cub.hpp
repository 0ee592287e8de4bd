#pragma once
// Sorts, and selections by them, of long lines on a GPU by CUB's radix sort, which weft.hpp leaves out. One
// file of a program that includes this is enough: results are the same bits with and without.

#if defined(__CUDACC__)
#include "weft/kernels/axis/cub.cuh"
#endif
