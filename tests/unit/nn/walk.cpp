#include "weft/nn/walk.hpp"

#include "reference.hpp"
#include "weft/nn/activation.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/linear.hpp"

using namespace nn_test;

namespace {

struct Block {
  nn::LayerNorm<16> norm{};
  nn::Linear<16, 16> fc{};
};
// The Mlp of generate_nn.py.
struct Mlp {
  nn::Linear<6, 16> fc1{};
  std::array<Block, 2> h{};
  nn::Sequential<nn::ReLU, nn::Linear<16, 4, false>> tail{};
};
struct WithBuffer {
  nn::BatchNorm1d<3> norm{};
  nn::Linear<3, 2> fc{};
};

}  // namespace

TEST_CASE("walk: names, shapes and dtypes are those of PyTorch's state_dict") {
  const auto file = open("mlp");
  const auto& table = nn::state_table<Mlp>;
  CHECK(static_cast<std::size_t>(table.size) == file.entries().size());
  for (int i = 0; i < table.size; ++i) {
    const std::string name(table.row[i].name.view());
    CAPTURE(name);
    const io::SafetensorsEntry* entry = file.find(name);
    REQUIRE(entry != nullptr);
    CHECK(entry->shape == exec::extents(table.row[i].dims));
    CHECK(entry->dtype == table.row[i].dtype);
  }
  static_assert(nn::parameter_count<Mlp>() == 6 * 16 + 16 + 2 * (32 + 16 * 17) + 64);
}

TEST_CASE("walk: parameters lie first, each at a multiple of 256 bytes, none over another") {
  const auto& table = nn::state_table<WithBuffer>;
  i64 end = 0;
  for (bool trained : {true, false})
    for (int i = 0; i < table.size; ++i) {
      if (table.row[i].trained != trained) continue;
      CHECK(table.row[i].offset % 256 == 0);
      CHECK(table.row[i].offset >= end);
      end = table.row[i].offset + table.row[i].dims.size() * size_of(table.row[i].dtype);
      CHECK((end <= table.trained_bytes) == trained);
    }
  CHECK(end <= table.bytes);
}

TEST_CASE("walk: settings of a mode are reached inside arrays and containers") {
  struct Deep {
    std::array<nn::Sequential<nn::Dropout, nn::Frozen<nn::BatchNorm1d<2>>>, 3> h{};
  };
  Deep deep;
  int states = 0, modes = 0;
  auto f = [&](const nn::Unnamed&, auto&) { ++states; };
  auto g = [&](nn::Mode&) { ++modes; };
  nn::walk<nn::Unnamed>(deep, f, g);
  CHECK(states == 15);
  CHECK(modes == 6);
}
