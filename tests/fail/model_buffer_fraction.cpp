// wrote: model.get<"seen">() = 0.5;  // of an nn::Buffer<i64, Shape<3>>
// write: model.get<"seen">() = 1;
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Buffer<i64, Shape<3>> seen;
  constexpr auto operator()(auto x) const { return x * seen; }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.get<"seen">() = 1;
#else
  model.get<"seen">() = 0.5;
#endif
}
