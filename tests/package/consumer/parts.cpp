#include <cstdio>

float one(float);
float two(float);
bool one(int);
bool two(int);

#ifndef TWO_CHECKS
#define TWO_CHECKS false
#endif

int main() {
  if (one(1.5f) != 1.5f || two(1.00390625f) != one(1.00390625f)) return 1;
  if (one(0) || two(0) != TWO_CHECKS) return 2;
  std::printf("weft 0.0.0 works in two parts\n");
}
