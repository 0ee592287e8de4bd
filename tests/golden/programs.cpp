// Launches, bytes moved and workspace of trainers' steps as users write them: dropout, normalisation,
// attention, recurrence, and each precision. A change of clustering that one pass's golden text does not see
// shows here.

#include <cstdio>

#include "golden/golden.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop1{.p = 0.1f};
  nn::Linear<128, 128> fc2;
  nn::Dropout drop2{.p = 0.2f};
  nn::Linear<128, 10> fc3;
  constexpr auto operator()(auto x) const { return fc3(drop2(gelu(fc2(drop1(relu(fc1(x))))))); }
};

// A loss whose rows are more than one unit of work.
struct Classes {
  nn::Linear<32, 1000> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

// Dropout whose results are read by several kernels.
struct Dropouts {
  nn::Linear<32, 32> fc1, fc2, fc3;
  nn::Dropout drop1{.p = 0.1f}, drop2{.p = 0.1f}, drop3{.p = 0.1f};
  constexpr auto operator()(auto x) const {
    const auto y = drop1(fc1(x));
    const auto z = drop2(fc2(y));
    return fc3(drop3(y + z) * y + z);
  }
};

struct Cnn {
  nn::Conv2d<1, 8, 3> conv1;
  nn::BatchNorm2d<8> norm1;
  nn::Dropout drop{.p = 0.1f};
  nn::Conv2d<8, 16, 3> conv2;
  nn::BatchNorm2d<16> norm2;
  nn::Linear<256, 10> fc;
  constexpr auto operator()(auto x) const {
    return fc(flatten<1>(relu(norm2(conv2(drop(relu(norm1(conv1(x)))))))));
  }
};

struct Block {
  nn::LayerNorm<32> norm1;
  nn::MultiheadAttention<32, 4, nn::MultiheadOptions{.batch_first = true}> attention{.dropout = 0.1f};
  nn::Dropout drop1{.p = 0.1f};
  nn::LayerNorm<32> norm2;
  nn::Linear<32, 128> up;
  nn::Dropout drop2{.p = 0.1f};
  nn::Linear<128, 32> down;
  nn::Dropout drop3{.p = 0.1f};
  constexpr auto operator()(auto x) const {
    const auto y = norm1(x);
    const auto z = x + drop1(attention(y, y, y));
    return z + drop3(down(drop2(gelu(up(norm2(z))))));
  }
};
struct Transformer {
  nn::Linear<16, 32> embed;
  Block block1, block2;
  nn::Linear<32, 5> head;
  constexpr auto operator()(auto x) const { return head(mean<1>(block2(block1(embed(x))))); }
};

// Six blocks written out, and as a Stack: what depth as a loop may cost is in the lines of both.
template <class Blocks>
struct Deep {
  nn::Linear<16, 32> embed;
  Blocks h;
  nn::Linear<32, 5> head;
  constexpr auto operator()(auto x) const {
    auto y = embed(x);
    if constexpr (nn::is_stack<Blocks>)
      y.value = h(y).value;
    else
      for (const Block& block : h) y.value = block(y).value;
    return head(mean<1>(y));
  }
};
using Unrolled = Deep<std::array<Block, 6>>;
using Stacked = Deep<nn::Stack<Block, 6>>;

struct Recurrent {
  nn::LSTM<8, 16> lstm;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const { return head(select<0, 6>(std::get<0>(lstm(x)))); }
};

constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
using F32 = train::Options<optim::AdamW>;
using BF16 = train::Options<optim::AdamW, precision::BF16, clip::Norm>;
using F32Again = train::Options<optim::AdamW, checkpoint::Blocks>;
using F16 = train::Options<optim::Adam, precision::F16>;
using F8 = train::Options<optim::AdamW, precision::F8<>>;

template <class M, class Options, class... Inputs>
std::string step(const char* name) {
  const ir::Graph graph = train::StepSource<M, decltype(loss), Options, true, Inputs...>::graph();
  const exec::Explanation e = exec::explain_graph(graph);
  char line[128];
  std::snprintf(line, sizeof line, "%-18s %3d launches %9lld bytes moved %8lld bytes of workspace\n", name,
                static_cast<int>(e.launches), static_cast<long long>(e.bytes),
                static_cast<long long>(e.workspace_bytes));
  return line;
}

}  // namespace

TEST_CASE("golden: what the steps of whole programs launch and move") {
  using Rows = Input<f32, Shape<256, 64>>;
  using Images = Input<f32, Shape<32, 1, 8, 8>>;
  using Sequences = Input<f32, Shape<8, 12, 16>>;
  using Narrow = Input<f32, Shape<64, 32>>;
  using Labels256 = Input<i32, Shape<256>>;
  using Labels64 = Input<i32, Shape<64>>;
  using Labels32 = Input<i32, Shape<32>>;
  using Labels16 = Input<i32, Shape<16>>;
  using Labels8 = Input<i32, Shape<8>>;
  golden::compare("programs", step<Mlp, F32, Rows, Labels256>("mlp f32") +                            //
                                  step<Mlp, BF16, Rows, Labels256>("mlp bf16") +                      //
                                  step<Mlp, F16, Rows, Labels256>("mlp f16") +                        //
                                  step<Dropouts, F32, Narrow, Labels64>("dropouts f32") +             //
                                  step<Dropouts, BF16, Narrow, Labels64>("dropouts bf16") +           //
                                  step<Classes, F32, Narrow, Labels64>("classes f32") +               //
                                  step<Cnn, F32, Images, Labels32>("cnn f32") +                       //
                                  step<Cnn, BF16, Images, Labels32>("cnn bf16") +                     //
                                  step<Transformer, F32, Sequences, Labels8>("transformer f32") +     //
                                  step<Transformer, BF16, Sequences, Labels8>("transformer bf16") +   //
                                  step<Unrolled, F32, Sequences, Labels8>("six blocks f32") +         //
                                  step<Stacked, F32, Sequences, Labels8>("six stacked f32") +         //
                                  step<Unrolled, F32Again, Sequences, Labels8>("six blocks again") +  //
                                  step<Stacked, F32Again, Sequences, Labels8>("six stacked again") +  //
                                  step<Unrolled, BF16, Sequences, Labels8>("six blocks bf16") +       //
                                  step<Stacked, BF16, Sequences, Labels8>("six stacked bf16") +       //
                                  step<Unrolled, F8, Sequences, Labels8>("six blocks f8") +           //
                                  step<Stacked, F8, Sequences, Labels8>("six stacked f8") +           //
                                  step<Recurrent, F32, Input<f32, Shape<7, 16, 8>>, Labels16>("lstm f32"));
}
