#pragma once
// What most tests include, compiled once for all of them (tests/CMakeLists.txt).

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "weft/compiler/verify.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"
