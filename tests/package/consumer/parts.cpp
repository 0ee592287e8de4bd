#include <cstdio>

float one(float);
float two(float);

int main() {
  if (one(1.5f) != 1.5f || two(1.00390625f) != one(1.00390625f)) return 1;
  std::printf("weft 0.0.0 works in two parts\n");
}
