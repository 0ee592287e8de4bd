// wrote: nn::Embedding<10, 4> table{.padding_idx = 0}
// write: nn::Embedding<10, 4, f32, 0> table
// expect: Embedding<10, 4
// nvcc: has no field "
// first-error: the padding of an embedding is a template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Embedding<10, 4, f32, 0> table;
#else
  nn::Embedding<10, 4> table{.padding_idx = 0};
#endif
  constexpr auto operator()(auto x) const { return table(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<i64, 4>);
  (void)f;
}
