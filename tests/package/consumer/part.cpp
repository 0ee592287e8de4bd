// One half of a program of two translation units, or of two shared libraries: PART is its name.
#include <weft/weft.hpp>

float PART(float x) { return static_cast<float>(weft::bf16(x)); }
