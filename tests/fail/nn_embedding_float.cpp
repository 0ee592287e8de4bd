// expect: embedding: the indices must be integers (i32 or i64)
// expect: float
// first-error: embedding: the indices must be integers
#include "weft/exec/model.hpp"
#include "weft/nn/embedding.hpp"
using namespace weft;

struct Net {
  nn::Embedding<8, 3> wte{};
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto f = compile(
      model, [](const auto& m, auto x) { return m.wte(x); }, in<i32, 4>);
#else
  auto f = compile(
      model, [](const auto& m, auto x) { return m.wte(x); }, in<f32, 4>);
#endif
}
