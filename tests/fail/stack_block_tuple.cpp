// wrote: a block of nn::Stack that returns std::tuple{y, m}
// write: return std::pair{y, m}
// expect: std::tuple<
// first-error: Stack: each block is given what the one before returned
#include "weft/weft.hpp"
using namespace weft;

struct Block {
  nn::Linear<8, 8> fc;
  constexpr auto operator()(auto x) const {
    auto y = x + fc(x);
#ifdef WEFT_FIXED
    return std::pair{y, mean<>(y)};
#else
    return std::tuple{y, mean<>(y)};
#endif
  }
};

struct Net {
  nn::Stack<Block, 4> h;
  constexpr auto operator()(auto x) const { return std::get<0>(h(x)); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 4, 8>);
  (void)f;
}
