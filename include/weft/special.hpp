#pragma once
// The rest of torch.special, which weft.hpp leaves out: functions of the normal distribution, Bessel
// functions, Airy's function, orthogonal polynomials.

#include "weft/ops/math/airy.hpp"
#include "weft/ops/math/bessel.hpp"
#include "weft/ops/math/modified_bessel.hpp"
#include "weft/ops/math/normal_functions.hpp"
#include "weft/ops/math/polynomial.hpp"
