#pragma once
// A traced graph through the list of passes, with what each leaves checked by its verifier.

#include <doctest/doctest.h>

#include <string>

#include "weft/compiler/verify.hpp"

namespace weft::testing {

inline compiler::Module compile_verified(const ir::Graph& traced) {
  return compiler::compile_graph(traced, [](auto pass, const compiler::Module& m) {
    const ir::Fault fault = compiler::verify(pass, m);
    if (fault) FAIL_CHECK("behind ", std::string(pass.name), ": ", ir::to_text(fault, m.graph));
  });
}

}  // namespace weft::testing
