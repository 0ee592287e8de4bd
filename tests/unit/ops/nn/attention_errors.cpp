// How far the host's kernels of attention in small floats are from f64 (support/attention_errors.hpp).
#include "support/attention_errors.hpp"

using weft::testing::attention::check_errors;

TEST_CASE("attention_errors: bf16") {
  check_errors<weft::bf16, false>(weft::Cpu{}, "bf16");
  check_errors<weft::bf16, true>(weft::Cpu{}, "bf16");
}
TEST_CASE("attention_errors: f16") {
  check_errors<weft::f16, false>(weft::Cpu{}, "f16");
  check_errors<weft::f16, true>(weft::Cpu{}, "f16");
}
