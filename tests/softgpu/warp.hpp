#pragma once
// 32 lanes, their registers and where each of them is. Law: lanes that are at the same instruction run it
// together; at an instruction that names lanes they wait until all of those that have not exited are there;
// and a lane that spins does not keep another from going on.

#include <vector>

#include "softgpu/async_copies.hpp"
#include "softgpu/op.hpp"
#include "softgpu/types.hpp"

namespace softgpu {

struct Block;

// 16 bytes of shared memory that a warpgroup's product reads until it is waited for, and when it began:
// between which barriers of the block, and by whom, as shared memory has it.
struct ProductRead {
  const Op* op;
  u64 at;
  u32 interval, who;
};

class Warp {
 public:
  // What run() ended with.
  enum class State { running, at_barrier, done };

  void start(Block& block, int index, std::byte* registers, u32 lanes);
  // Goes on for about `budget` instructions, or until a block's barrier or the end.
  State run(u64 budget);
  // The block's barrier has opened.
  void release();

  std::byte* registers() const { return registers_; }
  Block& block() const { return *block_; }
  AsyncCopies& copies() { return copies_; }
  // Products of the warpgroup: what the one at hand reads.
  void reads_until_waited(const ProductRead& read) { products_.push_back(read); }
  void end_group_of_products() { groups_of_products_.push_back(products_.size()); }
  // All groups but the last `groups`, and what was begun before them, are done.
  void wait_for_products(std::size_t groups);
  int index() const { return index_; }
  u32 alive() const { return alive_; }
  State state() const { return state_; }
  // Counts the barriers of all lanes of this warp: accesses to shared memory on its two sides are in order.
  u32 epoch() const { return epoch_; }
  u32 barrier_pc() const { return barrier_pc_; }
  int thread(int lane) const { return index_ * warp_size + lane; }
  // The lanes that run the current instruction, the guard left out; for instructions that look at each other.
  u32 converged() const { return current_.mask; }

 private:
  enum class Wait : u8 { none, block, warp };
  struct Group {
    u32 mask = 0;
    u32 pc = 0;
    Wait wait = Wait::none;
    u32 wanted = 0;  // lanes that it waits for
  };

  void run_group(u64& budget);
  void count(const Op& op, u32 active, u32 pc);
  void choose();
  void merge();
  void resolve();
  void park(Wait wait, u32 wanted);
  [[noreturn]] void deadlock();

  std::byte* registers_ = nullptr;
  Block* block_ = nullptr;
  AsyncCopies copies_;
  int index_ = 0;
  u32 alive_ = 0;
  u32 epoch_ = 0;
  u32 barrier_pc_ = 0;
  u64 in_flight_ = 0;  // bytes that each lane has loaded since it last had to wait
  State state_ = State::done;
  Group current_;
  bool running_ = false;  // current_ holds lanes
  std::vector<Group> others_;
  std::vector<ProductRead> products_;
  std::vector<std::size_t> groups_of_products_;  // where each ends in products_
  u32 stop_pc_ = ~0u;                            // where the current group meets another
  u32 backward_ = 0;                             // jumps back while others wait
};

template <class T>
T* row(const Warp& warp, Row at) {
  return reinterpret_cast<T*>(warp.registers() + at);
}
inline u32& predicate(const Warp& warp, Row at) { return *row<u32>(warp, at); }

}  // namespace softgpu
