// wrote: nn::Embedding<10, 8, f32, 10>
// write: nn::Embedding<10, 8, f32, 0>
// expect: Embedding<10, 8
// first-error: the padding of an embedding is one of its rows
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Embedding<10, 8, f32, 0> table{};
#else
  nn::Embedding<10, 8, f32, 10> table{};
#endif
  constexpr auto operator()(auto x) const { return table(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<i64, 4>);
}
