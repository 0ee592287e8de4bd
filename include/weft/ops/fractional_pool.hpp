#pragma once
// Where programs include it from.

#include "weft/ops/nn/fractional_pool.hpp"
