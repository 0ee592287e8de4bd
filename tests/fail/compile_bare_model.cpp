// expect: compile: it takes a device or a Model
// first-error: compile: it takes a device or a Model
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc{};
};

int main() {
  Model<Net> model;
  auto forward = [](const auto& m, auto x) { return m.fc(x); };
#ifdef WEFT_FIXED
  compile(model, forward, in<f32, 1, 4>);
#else
  compile(Net{}, forward, in<f32, 1, 4>);
  compile(Model<Net>{}, forward, in<f32, 1, 4>);
#endif
}
