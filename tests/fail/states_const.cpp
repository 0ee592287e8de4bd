// expect: the function assigns a buffer of the model, and the model is const
// first-error: the function assigns a buffer of the model, and the model is const
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 4> fc;
};
struct Cache {
  nn::Buffer<f32, Shape<2, 4>> rows;
};

int main() {
  Model<Net> net;
#ifdef WEFT_FIXED
  Model<Cache> cache;
#else
  const Model<Cache> cache;
#endif
  auto f = compile(
      states(net, cache),
      [](const auto& m, const auto& c, auto x) {
        const auto y = m.fc(x);
        c.rows.assign(y);
        return y;
      },
      in<f32, 2, 4>);
}
