#pragma once
// Layer 5: operations on typed handles.

#include "weft/ops/activation.hpp"
#include "weft/ops/creation.hpp"
#include "weft/ops/input.hpp"
#include "weft/ops/linalg.hpp"
#include "weft/ops/loss.hpp"
#include "weft/ops/movement.hpp"
#include "weft/ops/pointwise.hpp"
#include "weft/ops/random.hpp"
#include "weft/ops/reduce.hpp"
