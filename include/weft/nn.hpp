#pragma once
// Layer 6: modules.

#include "weft/nn/activation.hpp"
#include "weft/nn/adaptive_pool.hpp"
#include "weft/nn/bilinear.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/conv.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/ignore.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/norm.hpp"
#include "weft/nn/param.hpp"
#include "weft/nn/pool.hpp"
#include "weft/nn/tied.hpp"
#include "weft/nn/upsample.hpp"
