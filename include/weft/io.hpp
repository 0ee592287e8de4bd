#pragma once
// Layer 2: file formats.

#include "weft/io/csv.hpp"
#include "weft/io/misspelt.hpp"
#include "weft/io/safetensors.hpp"
