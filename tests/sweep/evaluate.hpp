#pragma once
// Evaluates graphs at run time with the library's own functions of scalars and of lanes: pointwise primitives
// are kernels::unary and kernels::binary on values of either kind, everything else is spelled out element by
// element in the type it is computed in. So one program can try every operation, where the pipeline would
// compile a kernel for each.

#include <string>
#include <vector>

#include "weft/ir/graph.hpp"

namespace weft::sweep {

// A tensor's elements as they are stored, followed by zeros up to a whole number of Simds.
struct Typed {
  DType dtype{};
  i64 size = 0;
  std::vector<u64> words;

  Typed() = default;
  Typed(DType t, i64 n);

  char* data() { return reinterpret_cast<char*>(words.data()); }
  const char* data() const { return reinterpret_cast<const char*>(words.data()); }
  // Element k; integers wrap as a C cast does, floats are rounded once.
  double number(i64 k) const;
  i64 integer(i64 k) const;
  void set_number(i64 k, double x);
  void set_integer(i64 k, i64 x);
  // Its bits; all NaN have the same.
  u64 bits(i64 k) const;
};

// Which functions do the arithmetic.
enum class Path { scalars, lanes };

// The values of `wanted` nodes from those of the graph's inputs. `fault`: what a primitive did that it must
// not (a register that holds what its dtype cannot), empty where nothing is wrong.
std::vector<Typed> evaluate(const ir::Graph& graph, const std::vector<Typed>& inputs,
                            const std::vector<int>& wanted, Path path, std::string& fault);

}  // namespace weft::sweep
