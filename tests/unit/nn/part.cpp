#include "weft/nn/part.hpp"

#include <doctest/doctest.h>

#include "support/thread_ranks.hpp"
#include "weft/comm/tensor_parallel.hpp"
#include "weft/nn/state_table.hpp"
#include "weft/nn/tensor_parallel.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::ThreadRanks;

namespace {

using Two = comm::tensor_parallel<2, ThreadRanks>;
using Four = comm::tensor_parallel<4, ThreadRanks>;
using One = comm::tensor_parallel<1, ThreadRanks>;

template <class G>
struct Inner {
  nn::LayerNorm<8> norm;
  std::array<nn::ColumnParallelLinear<8, 16, G>, 2> up;
};
struct Plain {
  nn::Linear<8, 8> fc;
  nn::ReLU act;
};
template <class A, class B>
struct Pair {
  A a;
  nn::Dropout drop;
  nn::Sequential<nn::Linear<8, 8>, B> b;
};

struct Lone {
  nn::ColumnParallelLinear<8, 16, One> up;
  nn::RowParallelLinear<16, 8, One> down;
  constexpr auto operator()(auto x) const { return down(relu(up(x))); }
};

template <class M, class G>
constexpr bool has_group = std::is_same_v<nn::group_of<M>, G>;
static_assert(has_group<Plain, nn::NoGroup>);
static_assert(has_group<Inner<Two>, Two>);
static_assert(has_group<Pair<Plain, Inner<Four>>, Four>);
static_assert(has_group<Pair<Inner<Two>, Inner<Two>>, Two>);
static_assert(has_group<Pair<Inner<Two>, Inner<Four>>, nn::SeveralGroups>);
static_assert(has_group<nn::Stack<Inner<Two>, 3>, Two>);
static_assert(has_group<nn::Frozen<Inner<Two>>, Two>);
static_assert(
    has_group<nn::SequenceParallel<nn::LayerNorm<8>, Two>, nn::NoGroup>);  // its parameters are whole

constexpr nn::ParallelOptions three{.blocks = 3};

}  // namespace

TEST_CASE("part: the table says how a parameter is cut") {
  constexpr const auto& table = nn::state_table<Inner<Two>>;
  CHECK(table.degree == 2);
  CHECK(table.row[0].parts == 1);
  CHECK(table.row[2].name.view() == "up.0.weight");
  CHECK(table.row[2].parts == 2);
  CHECK(table.row[2].part_axis == 0);
  CHECK(table.row[2].dims == Shape<8, 8>::value);
  CHECK(!nn::state_table<Plain>.in_parts());
}

TEST_CASE("part: a group of one rank is the undivided model") {
  CHECK(!nn::state_table<Inner<One>>.in_parts());
  Model<Lone> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
  const Tensor<f32, Shape<4, 8>> x = ones<f32, 4, 8>();
  const auto y = f(x);
  CHECK(y.size() == 32);
}

TEST_CASE("part: parts start as the parts of the whole, block by block where it is several") {
  struct Whole {
    nn::Linear<8, 24> qkv;
  };
  struct Parted {
    nn::ColumnParallelLinear<8, 24, Two, three> qkv;
  };
  Model<Whole> whole(Cpu{}, seed{5});
  test_support::run_ranks(2, [&](int r) {
    Model<Parted> parted(Cpu{}, seed{r == 0 ? 5u : 9u});  // the first rank's seed is the group's
    const auto own = parted.get<"qkv.weight">();
    const auto all = whole.get<"qkv.weight">();
    for (i64 i = 0; i < 12; ++i)
      for (i64 j = 0; j < 8; ++j)
        CHECK(own.data()[i * 8 + j] == all.data()[(i / 4 * 8 + 4 * r + i % 4) * 8 + j]);
  });
}
