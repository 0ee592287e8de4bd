// wrote: const nn::Linear<8, 4>& fc;
// write: nn::Linear<8, 4> fc;
// expect: Net
// first-error: a model has no member that is a reference or has no default value
#include "weft/weft.hpp"
using namespace weft;

struct Head {
#ifdef WEFT_FIXED
  nn::Linear<8, 4> fc;
#else
  const nn::Linear<8, 4>& fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Net {
  Head head;
  constexpr auto operator()(auto x) const { return head(x); }
};

int main() { auto text = summary<Net>(); }
