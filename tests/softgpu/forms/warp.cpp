// What lanes do together: shuffles, votes, barriers; and control flow.
#include <bit>
#include <string>

#include "softgpu/block.hpp"
#include "softgpu/forms/rows.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

enum class Shuffle : u8 { up, down, bfly, idx };

// d|p = shfl(a, b, c): the source lane is in range, or else the lane's own value is kept and p is false.
template <Shuffle S>
void shuffle(Warp& warp, const Op& op, u32 active) {
  const auto* a = row<const u32>(warp, op.s[0]);
  const auto* b = row<const u32>(warp, op.s[1]);
  const auto* c = row<const u32>(warp, op.s[2]);
  const auto* members = row<const u32>(warp, op.s[3]);
  u32 result[warp_size]{}, in_range = 0;
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const int clamp = static_cast<int>(c[lane] & 31), segments = static_cast<int>(c[lane] >> 8 & 31);
    const int last = (lane & segments) | (clamp & ~segments), first = lane & segments;
    const int by = static_cast<int>(b[lane] & 31);
    int source = lane;
    bool in = false;
    if constexpr (S == Shuffle::up) {
      source = lane - by;
      in = source >= last;
    } else if constexpr (S == Shuffle::down) {
      source = lane + by;
      in = source <= last;
    } else if constexpr (S == Shuffle::bfly) {
      source = lane ^ by;
      in = source <= last;
    } else {
      source = first | (by & ~segments);
      in = source <= last;
    }
    if (!in) source = lane;
    if (((active & members[lane]) >> source & 1) == 0)
      report("shuffle from an absent lane", place(warp, op),
             "lane " + std::to_string(source) + " is read and does not take part (lanes " + hex(active) +
                 ", mask " + hex(members[lane]) + "), " + where(warp, op, lane));
    result[lane] = a[source];
    if (in) in_range |= 1u << lane;
  }
  if (op.d[0] != no_row) {
    auto* d = row<u32>(warp, op.d[0]);
    for (int lane = 0; lane < warp_size; ++lane)
      if ((active >> lane & 1) != 0) d[lane] = result[lane];
  }
  if (op.d[1] != no_row) {
    u32& p = predicate(warp, op.d[1]);
    p = (p & ~active) | in_range;
  }
}

Form shuffle_form(Execute execute) {
  return {execute,
          Class::exchange,
          {Width::narrow, Width::predicate},
          {Width::narrow, Width::narrow, Width::narrow, Width::narrow},
          Control::collective};
}

void ballot(Warp& warp, const Op& op, u32 active) {
  const u32 votes = predicate(warp, op.s[0]) & active;
  auto* d = row<u32>(warp, op.d[0]);
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) d[lane] = votes;
}

template <class F>
void vote(Warp& warp, const Op& op, u32 active) {
  u32& p = predicate(warp, op.d[0]);
  const u32 votes = predicate(warp, op.s[0]) & active;
  p = (p & ~active) | (F{}(votes, active) ? active : 0);
}

template <class F>
Form vote_form(F) {
  return {
      &vote<F>, Class::exchange, {Width::predicate}, {Width::predicate, Width::narrow}, Control::collective};
}

void active_mask(Warp& warp, const Op& op, u32 active) {
  auto* d = row<u32>(warp, op.d[0]);
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) d[lane] = active;
}

void nothing(Warp&, const Op&, u32) {}

// Runs when the whole block has come, Block::votes of which counted the threads and those whose predicate is
// set.
enum class Reduction : u8 { all, any, count };
template <Reduction R>
void reduce(Warp& warp, const Op& op, u32 active) {
  const Block::Votes votes = warp.block().votes;
  if constexpr (R == Reduction::count) {
    auto* d = row<u32>(warp, op.d[0]);
    for (int lane = 0; lane < warp_size; ++lane)
      if ((active >> lane & 1) != 0) d[lane] = votes.set;
  } else {
    u32& d = predicate(warp, op.d[0]);
    d = (R == Reduction::any ? votes.set > 0 : votes.set == votes.threads) ? d | active : d & ~active;
  }
}
template <Reduction R>
Form reduction_form() {
  return {&reduce<R>,
          Class::exchange,
          {R == Reduction::count ? Width::narrow : Width::predicate},
          {Width::narrow, Width::predicate},
          Control::block_barrier};
}

Form control(Control what, std::vector<Width> operands = {}) {
  return {&nothing, Class::control, {}, std::move(operands), what};
}

}  // namespace

void add_warp_forms(FormTable& t) {
  t.add("shfl.sync.up.b32", shuffle_form(&shuffle<Shuffle::up>));
  t.add("shfl.sync.down.b32", shuffle_form(&shuffle<Shuffle::down>));
  t.add("shfl.sync.bfly.b32", shuffle_form(&shuffle<Shuffle::bfly>));
  t.add("shfl.sync.idx.b32", shuffle_form(&shuffle<Shuffle::idx>));
  t.add({"vote.sync.ballot.b32", "vote.ballot.sync.b32"},
        {&ballot, Class::exchange, {Width::narrow}, {Width::predicate, Width::narrow}, Control::collective});
  t.add("vote.sync.any.pred", vote_form([](u32 votes, u32) { return votes != 0; }));
  t.add("vote.sync.all.pred", vote_form([](u32 votes, u32 all) { return votes == all; }));
  t.add("vote.sync.uni.pred", vote_form([](u32 votes, u32 all) { return votes == all || votes == 0; }));
  t.add("activemask.b32", {&active_mask, Class::exchange, {Width::narrow}, {}});
  t.add("bar.warp.sync", control(Control::warp_barrier, {Width::narrow}));
  t.add({"bar.sync", "barrier.sync", "barrier.sync.aligned"},
        control(Control::block_barrier, {Width::narrow}));
  t.add({"bar.red.and.pred", "barrier.red.and.pred"}, reduction_form<Reduction::all>());
  t.add({"bar.red.or.pred", "barrier.red.or.pred"}, reduction_form<Reduction::any>());
  t.add({"bar.red.popc.u32", "barrier.red.popc.u32"}, reduction_form<Reduction::count>());
  t.add({"bra", "bra.uni"}, control(Control::branch));
  t.add({"ret", "exit", "ret.uni"}, control(Control::exit));
  t.add("trap", control(Control::trap));
  t.add({"membar.gl", "membar.cta", "membar.sys", "fence.acq_rel.gpu", "fence.acq_rel.cta",
         "fence.acq_rel.sys", "fence.sc.gpu", "fence.sc.cta", "fence.sc.sys"},
        control(Control::none));
  for (const char* space : {"", "global.", "local."})  // no cache is modelled
    for (const char* level : {"L1", "L2"})
      t.add(std::string("prefetch.") + space + level, control(Control::none, {Width::wide}));
  t.add("nanosleep.u32", control(Control::none, {Width::narrow}));
}

}  // namespace softgpu
