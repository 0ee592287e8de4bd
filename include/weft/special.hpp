#pragma once
// The rest of torch.special, which weft.hpp leaves out: functions of the normal distribution, Bessel
// functions, Airy's function, orthogonal polynomials.

#include "weft/ops/airy.hpp"
#include "weft/ops/bessel.hpp"
#include "weft/ops/modified_bessel.hpp"
#include "weft/ops/normal_functions.hpp"
#include "weft/ops/polynomial.hpp"
