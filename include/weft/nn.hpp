#pragma once
// Layer 6: modules.

#include "weft/nn/dropout.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/param.hpp"
