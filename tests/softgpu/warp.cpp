#include "softgpu/warp.hpp"

#include <algorithm>
#include <bit>

#include "softgpu/block.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

// How often a group may jump back while another waits for its turn, before another goes on for a while.
constexpr u32 patience = 256;

constexpr int launch_failure = 719;

}  // namespace

void Warp::start(Block& block, int index, std::byte* registers, u32 lanes) {
  block_ = &block;
  index_ = index;
  registers_ = registers;
  alive_ = lanes;
  epoch_ = 0;
  state_ = State::running;
  current_ = {lanes, 0, Wait::none, 0};
  running_ = true;
  others_.clear();
  stop_pc_ = ~0u;
  backward_ = 0;
  in_flight_ = 0;
  copies_.clear();
  products_.clear();
  groups_of_products_.clear();
}

void Warp::wait_for_products(std::size_t groups) {
  if (groups_of_products_.size() <= groups) return;
  const std::size_t finished = groups_of_products_.size() - groups, count = groups_of_products_[finished - 1];
  for (std::size_t k = 0; k < count; ++k) block_->shared->end_product_read(*this, products_[k]);
  products_.erase(products_.begin(), products_.begin() + static_cast<std::ptrdiff_t>(count));
  groups_of_products_.erase(groups_of_products_.begin(),
                            groups_of_products_.begin() + static_cast<std::ptrdiff_t>(finished));
  for (std::size_t& end : groups_of_products_) end -= count;
}

Warp::State Warp::run(u64 budget) {
  while (state_ == State::running && budget > 0) {
    if (!running_) {
      merge();
      resolve();
      if (state_ != State::running) break;
      choose();
    }
    run_group(budget);
  }
  return state_;
}

void Warp::release() {
  state_ = State::running;
  for (Group& g : others_)
    if (g.wait == Wait::block) g = {g.mask, g.pc + 1, Wait::none, 0};
  ++epoch_;
}

// Groups at the same place are one.
void Warp::merge() {
  for (std::size_t a = 0; a < others_.size(); ++a) {
    for (std::size_t b = a + 1; b < others_.size();) {
      if (others_[a].pc == others_[b].pc) {
        others_[a].mask |= others_[b].mask;
        if (others_[a].wait != others_[b].wait)
          others_[a].wait = Wait::none;  // it arrives again, with more lanes
        others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(b));
      } else {
        ++b;
      }
    }
  }
}

// Lets go on who has waited for lanes that are there now, or finds that nobody can.
void Warp::resolve() {
  if (alive_ == 0) {
    state_ = State::done;
    return;
  }
  const Op* const code = block_->launch->kernel->code.data();
  const auto at_barrier = [&](const Group& g) {
    return g.wait == Wait::warp && code[g.pc].control == Control::warp_barrier;
  };
  for (Group& g : others_) {
    if (g.wait != Wait::warp) continue;
    const u32 wanted = g.wanted;
    if (!at_barrier(g)) {
      if ((wanted & alive_ & ~g.mask) == 0) g.wait = Wait::none;  // runs its instruction now
      continue;
    }
    u32 arrived = 0;  // at any barrier of these lanes
    for (const Group& other : others_)
      if (at_barrier(other) && other.wanted == wanted) arrived |= other.mask;
    if ((wanted & alive_ & ~arrived) != 0) continue;
    if ((wanted & alive_) == alive_) ++epoch_;
    for (Group& other : others_)
      if (at_barrier(other) && other.wanted == wanted) other = {other.mask, other.pc + 1, Wait::none, 0};
  }
  bool ready = false, at_block = false, other_wait = false;
  for (const Group& g : others_) {
    ready = ready || g.wait == Wait::none;
    at_block = at_block || g.wait == Wait::block;
    other_wait = other_wait || g.wait == Wait::warp;
  }
  if (ready) return;
  if (at_block && !other_wait) {
    if (others_.size() > 1) {
      const Op& op = block_->launch->kernel->code[others_[1].pc];
      report("divergent barrier", place(*this, op),
             "lanes " + hex(others_[1].mask) + " of a warp wait here and lanes " + hex(others_[0].mask) +
                 " at the barrier of PTX line " +
                 std::to_string(block_->launch->kernel->code[others_[0].pc].line) + ", " +
                 where(*this, op, std::countr_zero(others_[1].mask)));
    }
    barrier_pc_ = others_[0].pc;
    state_ = State::at_barrier;
    return;
  }
  deadlock();
}

void Warp::deadlock() {
  const Group& g =
      *std::find_if(others_.begin(), others_.end(), [](const Group& o) { return o.wait == Wait::warp; });
  const Op& op = block_->launch->kernel->code[g.pc];
  const u32 missing = g.wanted & alive_ & ~g.mask;
  fail_access("lanes that never arrive", *this, op, std::countr_zero(g.mask),
              "lanes " + hex(g.mask) + " wait for lanes " + hex(missing) +
                  ", which wait elsewhere: the mask names lanes that do not come here",
              launch_failure);
}

// The group that is least far runs first, so that the others meet it; but nobody runs for ever while others
// wait.
void Warp::choose() {
  std::size_t best = others_.size();
  for (std::size_t k = 0; k < others_.size(); ++k) {
    if (others_[k].wait != Wait::none) continue;
    if (best == others_.size() ||
        (backward_ <= patience ? others_[k].pc < others_[best].pc : others_[k].pc > others_[best].pc))
      best = k;
  }
  if (backward_ > patience) backward_ = 0;
  current_ = others_[best];
  others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(best));
  running_ = true;
  stop_pc_ = ~0u;
  for (const Group& g : others_)
    if (g.pc > current_.pc && g.pc < stop_pc_) stop_pc_ = g.pc;
}

void Warp::park(Wait wait, u32 wanted) {
  current_.wait = wait;
  current_.wanted = wanted;
  others_.push_back(current_);
  running_ = false;
}

void Warp::count(const Op& op, u32 active, u32 pc) {
  Counts& counts = block_->launch->counts;
  ++counts.instructions[static_cast<int>(op.kind)];
  counts.lanes += static_cast<u64>(std::popcount(active));
  if (active == 0) return;
  if (op.kind == Class::load_global) {
    in_flight_ += op.bytes;
    counts.most_in_flight = std::max(counts.most_in_flight, in_flight_);
  } else if (op.kind == Class::store_global || op.control == Control::block_barrier ||
             (op.control == Control::branch && op.target <= pc)) {
    in_flight_ = 0;
  }
}

void Warp::run_group(u64& budget) {
  const Op* const code = block_->launch->kernel->code.data();
  Counts& counts = block_->launch->counts;
  const bool counted = counting();
  u32 pc = current_.pc;
  u64 left = budget;
  const auto pause = [&](Wait wait, u32 wanted) {
    current_.pc = pc;
    budget = left;
    park(wait, wanted);
  };
  while (left > 0) {
    --left;
    const Op& op = code[pc];
    u32 active = current_.mask;
    if (op.guarded) {
      const u32 p = predicate(*this, op.guard);
      active &= op.guard_negated ? ~p : p;
    }
    if (counted) count(op, active, pc);
    switch (op.control) {
      case Control::none:
        if (active != 0) op.execute(*this, op, active);
        ++pc;
        break;
      case Control::branch: {
        const u32 stays = current_.mask & ~active;
        if (active == 0) {
          ++pc;
          break;
        }
        const bool back = op.target <= pc;
        if (stays == 0) {
          pc = op.target;
          if (others_.empty()) continue;
        } else {
          others_.push_back({stays, pc + 1, Wait::none, 0});
          current_.mask = active;
          pc = op.target;
        }
        if (back) ++backward_;
        pause(Wait::none, 0);
        return;
      }
      case Control::exit:
        alive_ &= ~active;
        current_.mask &= ~active;
        if (current_.mask == 0) {
          budget = left;
          running_ = false;
          return;
        }
        ++pc;
        break;
      case Control::block_barrier:
        if (active != current_.mask) {  // the lanes that a guard keeps away go past it
          others_.push_back({current_.mask & ~active, pc + 1, Wait::none, 0});
          current_.mask = active;
          if (active == 0) {
            budget = left;
            running_ = false;
            return;
          }
        }
        ++counts.barriers;
        pause(Wait::block, alive_);
        return;
      case Control::warp_barrier:
      case Control::collective: {
        if (active == 0) {
          ++pc;
          break;
        }
        if (active != current_.mask) {
          others_.push_back({current_.mask & ~active, pc + 1, Wait::none, 0});
          current_.mask = active;
        }
        const int first = std::countr_zero(active);
        const auto* masks = row<const u32>(*this, op.members);
        const u32 members = masks[first];
        u32 together = 0;  // lanes with other masks have the instruction to themselves
        for (int lane = first; lane < warp_size; ++lane)
          if ((active >> lane & 1) != 0 && masks[lane] == members) together |= 1u << lane;
        if (together != active) {
          others_.push_back({active & ~together, pc, Wait::none, 0});
          current_.mask = together;
        }
        if ((members & together) != together) {
          report("mask without its own lane", place(*this, op),
                 "lanes " + hex(together) + " run with the mask " + hex(members) + ", " +
                     where(*this, op, first));
        }
        const u32 missing = members & alive_ & ~together;
        if (missing != 0) {
          pause(Wait::warp, members);
          return;
        }
        if (op.control == Control::collective)
          op.execute(*this, op, together);
        else if ((members & alive_) == alive_)
          ++epoch_;
        ++pc;
        if (!others_.empty()) {
          pause(Wait::none, 0);
          return;
        }
        break;
      }
      case Control::trap:
        fail_access("trap", *this, op, std::countr_zero(active), "the kernel stopped itself", launch_failure);
    }
    if (pc >= stop_pc_) {
      pause(Wait::none, 0);
      return;
    }
  }
  current_.pc = pc;
  budget = 0;
  if (!others_.empty()) park(Wait::none, 0);
}

}  // namespace softgpu
