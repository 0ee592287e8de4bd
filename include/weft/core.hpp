#pragma once
// Layer 1: dtypes, shapes, fields, random numbers, errors.

#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"
#include "weft/core/field.hpp"
#include "weft/core/fixed_string.hpp"
#include "weft/core/philox.hpp"
#include "weft/core/shape.hpp"
