// wrote: nn::MultiheadAttention<8, 2> attn{.dropout = 10};
// write: nn::MultiheadAttention<8, 2> attn{.dropout = 0.1f};
// expect: Net
// first-error: dropout: the probability has to lie between 0 and 1: write
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::MultiheadAttention<8, 2> attn{.dropout = 0.1f};
#else
  nn::MultiheadAttention<8, 2> attn{.dropout = 10};
#endif
  constexpr auto operator()(auto x) const { return attn(x, x, x); }
};

int main() { Model<Net> model; }
