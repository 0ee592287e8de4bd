// The program that docs/layers.md opens with, and what it prints.

// [program]
#include <array>
#include <cstdio>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

struct Block {
  nn::LayerNorm<16> norm;
  nn::Linear<16, 16> fc;
  nn::Dropout drop{.p = 0.1f};
  constexpr auto operator()(auto x) const { return x + drop(gelu(fc(norm(x)))); }
};

struct Net {
  nn::Embedding<100, 16> words;
  std::array<Block, 2> h;  // a ModuleList
  nn::Sequential<nn::Linear<16, 8, false>, nn::Tanh, nn::Linear<8, 2>> head;
  constexpr auto operator()(auto tokens) const {  // (N, 5) -> (N, 2)
    auto x = words(tokens);                       // (N, 5, 16)
    for (const Block& block : h) x = block(x);
    return head(mean<1>(x));
  }
};

int main() {
  static_assert(Model<Net>::parameter_count() == 2354);  // known to the compiler
  Model<Net> model;
  std::printf("%s", model.summary().c_str());

  auto classify = compile(
      model, [](const auto& net, auto tokens) { return argmax<-1>(net(tokens)); }, in<i32, 3, 5>);
  const i32 tokens[3][5] = {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {99, 98, 97, 96, 95}};
  auto classes = classify(tokens);
  std::printf("the classes of the first two agree: %s\n", classes(0) == classes(1) ? "yes" : "no");
}
// [/program]
// prints: name             shape      dtype    elements
// prints: words.weight     (100, 16)  f32         1,600
// prints: h.0.norm.weight  (16,)      f32            16
// prints: h.0.norm.bias    (16,)      f32            16
// prints: h.0.fc.weight    (16, 16)   f32           256
// prints: h.0.fc.bias      (16,)      f32            16
// prints: h.1.norm.weight  (16,)      f32            16
// prints: h.1.norm.bias    (16,)      f32            16
// prints: h.1.fc.weight    (16, 16)   f32           256
// prints: h.1.fc.bias      (16,)      f32            16
// prints: head.0.weight    (8, 16)    f32           128
// prints: head.2.weight    (2, 8)     f32            16
// prints: head.2.bias      (2,)       f32             2
// prints: 2,354 trained parameters; 11,008 bytes
// prints: the classes of the first two agree: yes
