// wrote: return cosine_similarity(x, y, 1);
// write: return cosine_similarity<1>(x, y);
// expect: EpsilonIsFraction
// first-error: an integer stands where eps belongs
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cosine_similarity<1>(x, y);
#else
        return cosine_similarity(x, y, 1);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
