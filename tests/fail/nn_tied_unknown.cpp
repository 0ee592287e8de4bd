// expect: Tied: the model has no parameter of the name given
// expect: Net
// expect: wpe.weight
// first-error: Tied: the model has no parameter of the name given
#include "weft/exec/model.hpp"
#include "weft/nn/embedding.hpp"
using namespace weft;

struct Net {
  nn::Embedding<8, 3> wte{};
#ifdef WEFT_FIXED
  nn::Tied<"wte.weight"> head{};
#else
  nn::Tied<"wpe.weight"> head{};
#endif
};

int main() {
  Model<Net> model;
  model.save("net.safetensors");
}
