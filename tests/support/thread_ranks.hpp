#pragma once
// Ranks that are threads of one process, connected by memory: run_ranks(n, f) calls f on each, and
// comm::ddp<ThreadRanks> trains on them.

#include <barrier>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "weft/weft.hpp"

namespace test_support {

class ThreadRanks {
 public:
  struct World {
    explicit World(int n) : size(n), barrier(n), given(static_cast<std::size_t>(n)) {}
    int size;
    std::barrier<> barrier;
    std::vector<const void*> given;  // what each rank shows the others
  };
  static inline thread_local World* world = nullptr;
  static inline thread_local int rank = 0;

  class Communicator final : public weft::comm::Communicator {
   public:
    int rank() const override { return rank_; }
    int size() const override { return world_.size; }
    void reserve(int request, weft::i64 count, weft::DType dtype) override {
      const auto k = static_cast<std::size_t>(request);
      if (sums_.size() <= k) sums_.resize(k + 1);
      sums_[k] = {nullptr, count, dtype, 0};
    }
    void start_sum(int request, void* data, weft::i64 count, weft::DType dtype) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data != nullptr || sum.count != count || sum.dtype != dtype) throw weft::Error("test", "start");
      sum.data = data;
    }
    void wait_sum(int request) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data == nullptr) throw weft::Error("test", "wait");
      const auto bytes = static_cast<std::size_t>(sum.count * weft::size_of(sum.dtype));
      std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
      all_gather(sum.data, all.data(), static_cast<weft::i64>(bytes));
      weft::comm::add_ranks(sum.dtype, sum.data, all.data(), sum.count, size());
      sum.data = nullptr;
      ++sum.done;
    }
    void progress() override {}
    void broadcast(void* data, weft::i64 bytes) override {
      show(data);
      if (rank_ != 0) std::memcpy(data, world_.given[0], static_cast<std::size_t>(bytes));
      world_.barrier.arrive_and_wait();
    }
    void all_gather(const void* from, void* to, weft::i64 bytes) override {
      show(from);
      for (std::size_t r = 0; r < world_.given.size(); ++r)
        std::memcpy(static_cast<std::byte*>(to) + r * static_cast<std::size_t>(bytes), world_.given[r],
                    static_cast<std::size_t>(bytes));
      world_.barrier.arrive_and_wait();
    }

   private:
    struct Sum {
      void* data = nullptr;
      weft::i64 count = 0;
      weft::DType dtype{};
      int done = 0;
    };
    void show(const void* data) {
      world_.given[static_cast<std::size_t>(rank_)] = data;
      world_.barrier.arrive_and_wait();
    }
    World& world_ = *ThreadRanks::world;
    int rank_ = ThreadRanks::rank;
    std::vector<Sum> sums_;
  };

  static weft::Shared<weft::comm::Communicator> connect() {
    return weft::Shared<weft::comm::Communicator>(new Communicator);
  }
};

// f(rank) on n threads at once; throws what one of them threw.
template <class F>
void run_ranks(int n, const F& f) {
  ThreadRanks::World world(n);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(n));
  std::vector<std::thread> threads;
  for (int r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      ThreadRanks::world = &world;
      ThreadRanks::rank = r;
      try {
        f(r);
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
        world.barrier.arrive_and_drop();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace test_support
