#include "weft/exec/memory_timeline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/watched.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

struct Block {
  nn::LayerNorm<64> norm;
  nn::Linear<64, 128> up;
  nn::Linear<128, 64> down;
  constexpr auto operator()(auto x) const { return x + down(gelu(up(norm(x)))); }
};
struct Written {
  std::array<Block, 3> h;
  nn::Linear<64, 10> head;
  constexpr auto operator()(auto x) const { return head(h[2](h[1](h[0](x)))); }
};
struct Stacked {
  nn::Stack<Block, 3> h;
  nn::Linear<64, 10> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

template <class M, class... O>
exec::MemoryTimeline timeline_of() {
  using Source = train::StepSource<M, decltype(loss), train::Options<optim::AdamW, O...>, true,
                                   Input<f32, Shape<64, 64>>, Input<i32, Shape<64>>>;
  return exec::memory_timeline(compiler::plan_graph(Source::graph()), &exec::state_name<Source>);
}

// Two that hold the same bytes during the same launch, the one in whose place the other is computed aside.
std::string overlap(const exec::MemoryTimeline& t) {
  for (std::size_t i = 0; i < t.holders.size(); ++i)
    for (std::size_t j = i + 1; j < t.holders.size(); ++j) {
      const exec::MemoryHolder &a = t.holders[i], &b = t.holders[j];
      if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) continue;
      if (a.last <= b.first || b.last <= a.first) continue;
      return a.what + " and " + b.what;
    }
  return "";
}
i64 most_held(const exec::MemoryTimeline& t) {
  i64 most = 0;
  for (const i64 bytes : exec::held_bytes(t)) most = bytes > most ? bytes : most;
  return most;
}

}  // namespace

TEST_CASE_TEMPLATE("memory_timeline: stretches inside the workspace that do not overlap", M, Written,
                   Stacked) {
  for (const exec::MemoryTimeline& t : {timeline_of<M>(), timeline_of<M, checkpoint::Blocks>()}) {
    CHECK(t.launches.size() > 10);
    for (const exec::MemoryHolder& h : t.holders) {
      CAPTURE(h.what);
      CHECK(h.offset >= 0);
      CHECK(h.bytes > 0);
      CHECK(h.offset + h.bytes <= t.workspace_bytes);
      CHECK(h.first <= h.last);
      CHECK(h.last < static_cast<int>(t.launches.size()));
    }
    CHECK(overlap(t) == "");
    CHECK(most_held(t) > 0.8 * static_cast<double>(t.workspace_bytes));
    CHECK(most_held(t) <= t.workspace_bytes);
  }
}

TEST_CASE("memory_timeline: what is checkpointed is held by its own block alone") {
  const auto widest =
      [](const exec::MemoryTimeline& t) {  // launches for which the first block's gelu is held
        int most = 0;
        for (const exec::MemoryHolder& h : t.holders)
          if (h.scope.starts_with("h.0") && h.bytes == 64 * 128 * 4) most = std::max(most, h.last - h.first);
        return most;
      };
  const exec::MemoryTimeline plain = timeline_of<Written>(),
                             again = timeline_of<Written, checkpoint::Blocks>();
  CHECK(widest(plain) > static_cast<int>(plain.launches.size()) / 2);
  CHECK(widest(again) < static_cast<int>(again.launches.size()) / 4);
}

TEST_CASE("memory_timeline: what a trip of a Stack holds is named, one trip of it") {
  const exec::MemoryTimeline t = timeline_of<Stacked>();
  i64 whole = 0;
  int trip = 0, trips = 0, carried = 0;
  for (const exec::MemoryHolder& h : t.holders) {
    CHECK_FALSE(has(h.what, "loop"));
    whole = std::max(whole, h.bytes);
    trip += h.what == "dot (64, 128) of f32" && h.scope == "h.*.down";
    trips += h.what == "add (3, 64, 128) of f32" && h.scope == "h.*.up";
    carried += h.what.starts_with("from trip to trip, ") && h.bytes == 64 * 64 * 4;
  }
  CHECK(trip > 0);
  CHECK(trips > 0);
  CHECK(carried > 0);
  CHECK(whole < t.workspace_bytes / 2);
}

TEST_CASE("memory_timeline: the page") {
  const std::string page = exec::to_html(timeline_of<Written>());
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(has(page, "<h1>Workspace: "));
  CHECK(has(page, "<title>the gradients, packed in update, "));
  CHECK(has(page, " of f32 in h.1.up, 32.8 kB, launches "));
  CHECK(has(page, "</span> h.2</span>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(has(exec::to_html(timeline_of<Stacked>()), "</span> h.*.up</span>"));
  const std::string nothing = exec::to_html(exec::memory_timeline(compiler::plan_graph(ir::Graph{})));
  CHECK(has(nothing, "0 launches"));
  auto trainer = make_trainer<Written>(Cpu{}, loss, in<f32, 64, 64>, in<i32, 64>, optim::AdamW{});
  CHECK(has(said([&] { trainer.memory_timeline("/nonexistent/folder/page.html"); }), "/nonexistent/folder"));
}
