#include "unit/train/zero.hpp"

using namespace test_zero;

TEST_CASE("zero, parameters: ranks are one process with accumulate, bit for bit") { same_bits<3>(); }
TEST_CASE("zero, parameters: parameter groups, some of them frozen, are one process with accumulate") {
  groups_are_updated<3>();
}
TEST_CASE("zero, parameters: bf16 and f16 are one process with accumulate") { precisions_agree<3>(); }
TEST_CASE("zero, parameters: a Stack, recomputed blocks, a skipped update") { models_agree<3>(); }
TEST_CASE("zero, parameters: fewer parameters than the ranks share out") { small_models_agree<3>(); }
TEST_CASE(
    "zero, parameters: a checkpoint is whole, and any number of ranks goes on from it, however sharded") {
  files_are_whole<3>();
}
TEST_CASE("zero, parameters: ranks gather the average of the weights") { averages_are_gathered<3>(); }
TEST_CASE("zero, parameters: what each rank gathers is what one process gathers in the same order") {
  same_as_one_process<3, 2, Net, 2>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<3, 3, Net, 2>(optim::SGD{.lr = 0.1f}, precision::f16);
}
