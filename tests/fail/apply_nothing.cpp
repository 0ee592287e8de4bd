// expect: apply: the predicate picks no parameter or buffer of the model
// first-error: apply: the predicate picks no parameter
#include "weft/exec/apply.hpp"
#include "weft/nn/linear.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
#ifdef WEFT_FIXED
  const auto picked = [](std::string_view name, const Dims&) { return name == "fc.weight"; };
#else
  const auto picked = [](std::string_view name, const Dims&) { return name == "fc.wieght"; };
#endif
  Model<Net> model;
  apply<nn::init::Zeros>(model, picked);
}
