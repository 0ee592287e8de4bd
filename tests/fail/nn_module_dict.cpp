// wrote: nn::ModuleDict<nn::Linear<8, 8>> layers;
// write: nn::Linear<8, 8> fc;
// expect: ModulesAreMembers
// first-error: modules and parameters by name are the members of a struct
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 8> fc;
#else
  nn::ModuleDict<nn::Linear<8, 8> > fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
