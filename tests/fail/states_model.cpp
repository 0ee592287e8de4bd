// expect: states takes Models of one device
// first-error: states takes Models of one device
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
  Cache cache;
#endif
  auto f = compile(
      states(net, cache), [](const auto& m, const auto& c, auto x) { return m.fc(x) + c.rows; },
      in<f32, 2, 4>);
}
