#include "softgpu/registers.hpp"

#include <algorithm>

namespace softgpu {

namespace {

// A set of registers.
class Set {
 public:
  explicit Set(std::size_t size) : words_((size + 63) / 64) {}
  void insert(Row r) { words_[r / 64] |= u64{1} << (r % 64); }
  void erase(Row r) { words_[r / 64] &= ~(u64{1} << (r % 64)); }
  bool add(const Set& other) {
    u64 grown = 0;
    for (std::size_t k = 0; k < words_.size(); ++k) {
      grown |= other.words_[k] & ~words_[k];
      words_[k] |= other.words_[k];
    }
    return grown != 0;
  }
  template <class F>
  void each(F f) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      for (u64 w = words_[k]; w != 0; w &= w - 1)
        f(static_cast<Row>(k * 64 + static_cast<u64>(__builtin_ctzll(w))));
  }

 private:
  std::vector<u64> words_;
};

template <class F>
void each_use(const Op& op, F f) {
  for (Row r : op.s)
    if (r != no_row) f(r);
  for (Row r : op.more)
    if (r != no_row) f(r);
  for (Row r : op.many) f(r);
  if (op.guarded) f(op.guard);
  if (op.members != no_row) f(op.members);
}
template <class F>
void each_result(const Op& op, F f) {
  for (Row r : op.d)
    if (r != no_row) f(r);
}

struct Interval {
  u32 from = ~0u, to = 0;
  void take(u32 at) {
    from = std::min(from, at);
    to = std::max(to, at);
  }
};

// From the first to the last instruction at which each register may be needed, by the usual equations of live
// variables over basic blocks.
std::vector<Interval> intervals(const std::vector<Op>& code, std::size_t registers) {
  const auto size = static_cast<u32>(code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (u32 i = 0; i < size; ++i) {
    if (code[i].control == Control::branch) leader[code[i].target] = true;
    if (code[i].control == Control::branch || code[i].control == Control::exit) leader[i + 1] = true;
  }
  std::vector<u32> begin, block_of(size);
  for (u32 i = 0; i < size; ++i) {
    if (leader[i]) begin.push_back(i);
    block_of[i] = static_cast<u32>(begin.size() - 1);
  }
  const std::size_t blocks = begin.size();
  begin.push_back(size);
  std::vector<Set> in(blocks, Set(registers)), out(blocks, Set(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      const Op& last = code[begin[b + 1] - 1];
      const bool ends = (last.control == Control::branch || last.control == Control::exit) && !last.guarded;
      if (last.control == Control::branch) out[b].add(in[block_of[last.target]]);
      if (!ends && b + 1 < blocks) out[b].add(in[b + 1]);
      Set live = out[b];
      for (u32 i = begin[b + 1]; i-- > begin[b];) {
        // a guarded instruction leaves the old value in some lanes
        if (!code[i].guarded) each_result(code[i], [&](Row r) { live.erase(r); });
        if (code[i].guarded) each_result(code[i], [&](Row r) { live.insert(r); });
        each_use(code[i], [&](Row r) { live.insert(r); });
      }
      if (in[b].add(live)) changed = true;
    }
  }
  std::vector<Interval> found(registers);
  for (std::size_t b = 0; b < blocks; ++b) {
    in[b].each([&](Row r) { found[r].take(begin[b]); });
    out[b].each([&](Row r) { found[r].take(begin[b + 1] - 1); });
  }
  for (u32 i = 0; i < size; ++i) {
    each_use(code[i], [&](Row r) { found[r].take(i); });
    each_result(code[i], [&](Row r) { found[r].take(i); });
  }
  return found;
}

u32 bytes_of(Width width) {
  switch (width) {
    case Width::predicate:
      return 4;
    case Width::narrow:
      return 4 * warp_size;
    default:
      return 8 * warp_size;
  }
}

}  // namespace

u32 place_registers(std::vector<Op>& code, const std::vector<Width>& widths,
                    std::vector<Kernel::Constant>& constants,
                    std::vector<std::pair<Row, Special>>& specials) {
  const std::size_t count = widths.size();
  std::vector<Interval> life = intervals(code, count);
  const Interval always{0, static_cast<u32>(code.size())};
  for (const Kernel::Constant& c : constants) life[c.at] = always;
  for (const auto& s : specials) life[s.first] = always;

  // In the order in which they begin, each takes the place of one that has ended.
  std::vector<Row> order(count), place(count, no_row);
  for (std::size_t r = 0; r < count; ++r) order[r] = static_cast<Row>(r);
  std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return life[a].from < life[b].from; });
  struct Held {
    u32 until;
    u32 index;
  };
  const auto later = [](const Held& a, const Held& b) { return a.until > b.until; };
  std::vector<Held> held[3];
  std::vector<u32> free[3];
  u32 used[3]{};
  for (const Row r : order) {
    const auto w = static_cast<std::size_t>(widths[r]);
    auto& heap = held[w];
    while (!heap.empty() && heap.front().until < life[r].from) {
      free[w].push_back(heap.front().index);
      std::pop_heap(heap.begin(), heap.end(), later);
      heap.pop_back();
    }
    u32 index = used[w];
    if (free[w].empty()) {
      ++used[w];
    } else {
      index = free[w].back();
      free[w].pop_back();
    }
    place[r] = index;
    heap.push_back({life[r].to, index});
    std::push_heap(heap.begin(), heap.end(), later);
  }

  // wide rows first, so that each row is aligned to its size
  u32 begin[3]{};
  begin[2] = 0;
  begin[1] = used[2] * bytes_of(Width::wide);
  begin[0] = begin[1] + used[1] * bytes_of(Width::narrow);
  const auto at = [&](Row r) {
    const auto w = static_cast<std::size_t>(widths[r]);
    return begin[w] + place[r] * bytes_of(widths[r]);
  };
  for (Op& op : code) {
    for (Row& r : op.s)
      if (r != no_row) r = at(r);
    for (Row& r : op.more)
      if (r != no_row) r = at(r);
    for (Row& r : op.d)
      if (r != no_row) r = at(r);
    for (Row& r : op.many) r = at(r);
    if (op.guarded) op.guard = at(op.guard);
    if (op.members != no_row) op.members = at(op.members);
  }
  for (Kernel::Constant& c : constants) {
    if (widths[c.at] == Width::predicate) c.predicate = true;
    c.at = at(c.at);
  }
  for (auto& s : specials) s.first = at(s.first);
  return round_up<u32>(begin[0] + used[0] * bytes_of(Width::predicate), 64);
}

}  // namespace softgpu
