// wrote: auto e = nn::Embedding(10, 3);
// write: auto e = nn::Embedding<10, 3>();
// expect: WithoutSizes<
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto table = nn::Embedding<10, 3>();
#else
  auto table = nn::Embedding(10, 3);
#endif
}
