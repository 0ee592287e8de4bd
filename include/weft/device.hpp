#pragma once
// Layer 2: the devices a program runs on.

#include "weft/device/best.hpp"
#include "weft/device/cpu.hpp"
