#pragma once
// A traced graph through the list of passes, with what each leaves checked by its verifier.

#include "weft/compiler/verify.hpp"

namespace weft::testing {

compiler::Module compile_verified(const ir::Graph& traced);

}  // namespace weft::testing
