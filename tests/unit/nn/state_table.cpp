#include "weft/nn/state_table.hpp"

#include "../train/mlp.hpp"
#include "reference.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"

using namespace nn_test;
using train_test::Mlp;

namespace {

struct WithBuffer {
  nn::BatchNorm1d<3> norm{};
  nn::Linear<3, 2> fc{};
};

}  // namespace

TEST_CASE("state_table: names, shapes and dtypes are those of PyTorch's state_dict") {
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

TEST_CASE("state_table: parameters lie first, each at a multiple of 256 bytes, none over another") {
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

TEST_CASE("state_table: a Stack has one row for all blocks, whose copies lie one behind another") {
  struct Deep {
    nn::Linear<2, 3> first{};
    nn::Stack<train_test::Block, 4> h{};
  };
  const auto& table = nn::state_table<Deep>;
  REQUIRE(table.size == 6);
  const nn::StateInfo& row = table.row[4];
  CHECK(row.name.view() == "h.0.fc.weight");
  CHECK(row.bytes() == 4 * 16 * 16 * 4);
  CHECK(row.all_dims() == Shape<4, 16, 16>::value);
  CHECK(table.row[5].offset == row.offset + row.bytes());
  CHECK(nn::parameter_count<Deep>() == 9 + 4 * (32 + 16 * 17));
  const nn::StatePlace place = nn::find_state<Deep>("h.3.fc.bias");
  CHECK(place.row == 5);
  CHECK(place.copy == 3);

  // in the order of a model whose blocks are an array
  std::string names;
  nn::each_copy(table,
                [&](int i, i64 copy) { names += std::string(table.row[i].name.of_copy(copy).view()) + " "; });
  CHECK(
      names.starts_with("first.weight first.bias h.0.norm.weight h.0.norm.bias h.0.fc.weight h.0.fc.bias "
                        "h.1.norm.weight "));
  CHECK(names.ends_with("h.3.fc.bias "));
}
