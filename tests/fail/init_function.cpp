// wrote: nn::init::xavier_uniform_(model.get<"fc.weight">());
// write: apply<nn::init::XavierUniform<>>(model, predicate);
// expect: TensorView
// first-error: an initialiser is a type
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  apply<nn::init::XavierUniform<>>(model,
                                   [](std::string_view, const Dims& shape) { return shape.rank == 2; });
#else
  nn::init::xavier_uniform_(model.get<"fc.weight">());
#endif
}
