#include <cstdio>
#include <weft/weft.hpp>

int main() {
  const float half = static_cast<float>(weft::f16(0.5f));
  if (half != 0.5f) return 1;
  std::printf("weft %d.%d.%d works\n", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
}
