#pragma once
// Layer 9: tensors, models, compiled functions.

#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/model.hpp"
#include "weft/exec/tensor.hpp"
