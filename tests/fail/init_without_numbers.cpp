// wrote: apply<nn::init::XavierUniform>(model, predicate);
// write: apply<nn::init::XavierUniform<>>(model, predicate);
// expect: Net
// first-error: the initialiser has numbers of its own
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
  apply<nn::init::XavierUniform>(model, [](std::string_view, const Dims& shape) { return shape.rank == 2; });
#endif
}
