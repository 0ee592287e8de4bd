// What a simulation predicts of GPT-2 124M on H200 GPUs, 16 sequences of 1,024 tokens on each in bf16: the
// tables of docs/scale.md. It runs nothing and needs no GPU.

#include "../compile/gpt2.hpp"

#include <weft/mpi.hpp>
#include <weft/train/scaling.hpp>

namespace {

using namespace weft;

// The type that make_trainer would give, of which no kernel is compiled: nothing is run.
using Tokens = std::remove_const_t<decltype(in<i32, 16, 1024>)>;
template <class Comm>
using TrainerWith =
    Trainer<gpt2::Gpt2<1024, 768, 12, 50257, 12, gpt2::Depth::unrolled, gpt2::Attends::at_once>,
            gpt2::NextToken, Cpu,
            train::Options<optim::AdamW, decltype(clip::norm(1.0f)),
                           std::remove_const_t<decltype(precision::bf16)>, Comm>,
            Tokens, Tokens>;

const Cluster h200{
    // a copy and a product in bf16 on one GPU: benchmarks/results/h200-2026-11-26.json
    .rank = {.bytes_per_second = 4.23e12, .flops_per_second = 706e12},
    .launch_seconds = 2e-6,
    .step_seconds = 53.4e-3,  // measured on one GPU: docs/performance.md
    .ranks_per_node = 8,
    .node = {.bytes_per_second = 450e9, .seconds = 3e-6},   // NVLink, as it is sold
    .network = {.bytes_per_second = 50e9, .seconds = 3e-6}  // 400 Gb/s a GPU
};

template <class Comm>
void print(const char* name, const Comm&) {
  const auto points = predict_scaling<TrainerWith<Comm>>(h200, {1, 8, 16, 64, 256, 1024});
  std::printf("%s\n%s\n", name, to_text(points).c_str());
}

}  // namespace

int main() {
  print("comm::ddp", comm::ddp<comm::Mpi>);
  print("comm::ddp, buckets of 256 MiB", comm::ddp<comm::Mpi, i64{256} << 20>);
  print("comm::zero<1>", comm::zero<1, comm::Mpi>);
}
