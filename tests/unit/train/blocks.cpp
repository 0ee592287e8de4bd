#include "weft/train/blocks.hpp"

#include <doctest/doctest.h>

#include "weft/nn.hpp"

using namespace weft;

namespace {

struct Inner {
  nn::Linear<4, 4> fc;
  std::array<nn::Linear<4, 4>, 2> parts;
};
struct Net {
  nn::Linear<4, 4> first;
  std::array<Inner, 2> h;
  nn::Stack<Inner, 3> deep;
  nn::Sequential<nn::Linear<4, 4>, nn::Linear<4, 4>> tail;
};
struct Plain {
  nn::Linear<4, 4> fc1, fc2;
};
struct Stacked {
  nn::Stack<nn::Linear<4, 4>, 3> h;
};

template <class M>
std::string_view block_of(std::string_view name) {
  for (int i = 0; i < nn::state_table<M>.size; ++i)
    if (nn::state_table<M>.row[i].name.view() == name) return train::block_of(nn::state_table<M>.row[i].name);
  return "no such name";
}

}  // namespace

TEST_CASE("blocks: the outermost number in a name, but those of a Stack") {
  CHECK(block_of<Net>("first.weight") == "");
  CHECK(block_of<Net>("h.0.fc.weight") == "h.0");
  CHECK(block_of<Net>("h.1.parts.0.bias") == "h.1");
  CHECK(block_of<Net>("deep.0.fc.weight") == "");
  CHECK(block_of<Net>("deep.0.parts.1.weight") == "");
  CHECK(block_of<Net>("tail.1.weight") == "tail.1");
}

namespace {

struct ByName {
  static constexpr bool names_block(std::string_view scope) {
    return scope == "first" || scope == "h.1.parts";
  }
};
struct OfStack {
  static constexpr bool names_block(std::string_view scope) { return scope == "deep"; }
};
struct InStack {
  static constexpr bool names_block(std::string_view scope) { return scope == "deep.0.fc"; }
};
struct OfNothing {
  static constexpr bool names_block(std::string_view scope) { return scope == "second"; }
};

}  // namespace

TEST_CASE("blocks: scopes that a policy names are blocks, too, but none with a Stack") {
  const auto name = [](std::string_view text) {
    for (int i = 0; i < nn::state_table<Net>.size; ++i)
      if (nn::state_table<Net>.row[i].name.view() == text)
        return train::block_of<ByName>(nn::state_table<Net>.row[i].name);
    return std::string_view("no such name");
  };
  CHECK(name("first.weight") == "first");
  CHECK(name("h.1.parts.0.bias") == "h.1");
  CHECK(name("deep.0.fc.weight") == "");
  CHECK(train::finds_scopes<Net, ByName>());
  CHECK(!train::finds_scopes<Net, OfStack>());
  CHECK(!train::finds_scopes<Net, InStack>());
  CHECK(!train::finds_scopes<Net, OfNothing>());
}

TEST_CASE("blocks: numbered in the order of the state table") {
  constexpr auto numbers = train::blocks_of_slots<Net>;
  const List<int> blocks = numbers();
  REQUIRE(blocks.size() == nn::state_table<Net>.size);
  int most = -1;
  for (const int block : blocks) {
    CHECK(block <= most + 1);
    if (block > most) most = block;
  }
  CHECK(most == 3);  // h.0, h.1, tail.0, tail.1
  CHECK(train::has_written_blocks<Net>);
  CHECK(train::has_stacks<Net>);
  CHECK(!train::has_written_blocks<Plain>);
  CHECK(!train::has_stacks<Plain>);
  CHECK(!train::has_written_blocks<Stacked>);
  CHECK(train::has_stacks<Stacked>);
}
