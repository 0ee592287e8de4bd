#pragma once
// One pointwise primitive on stored elements, by the library's functions of scalars or of lanes.

#include "sweep/evaluate.hpp"

namespace weft::sweep {

// r[k] = op(a[k], b[k], c[k]) for n elements; `from` is the operands' dtype (of b and c for select), `to` the
// result's. False: the library has no such function. `fault` as in evaluate.
bool pointwise(ir::Op op, DType to, DType from, Path path, const void* a, const void* b, const void* c,
               void* r, i64 n, std::string& fault);

}  // namespace weft::sweep
