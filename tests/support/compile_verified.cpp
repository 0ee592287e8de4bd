#include "support/compile_verified.hpp"

#include <doctest/doctest.h>

#include <string>

namespace weft::testing {

compiler::Module compile_verified(const ir::Graph& traced) {
  return compiler::compile_graph(traced, [](auto pass, const compiler::Module& m) {
    const ir::Fault fault = compiler::verify(pass, m);
    if (fault) FAIL_CHECK("behind ", std::string(pass.name), ": ", ir::to_text(fault, m.graph));
  });
}

}  // namespace weft::testing
