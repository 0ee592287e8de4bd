// What including everything costs.
#include <weft/weft.hpp>

int main() {}
