#pragma once
// Layer 13: datasets and loaders.

#include "weft/data/batch.hpp"
#include "weft/data/dataset.hpp"
#include "weft/data/digits.hpp"
#include "weft/data/loader.hpp"
#include "weft/data/loader_options.hpp"
#include "weft/data/random_split.hpp"
#include "weft/data/stream.hpp"
