#pragma once
// Ranks that are threads of one process, connected by memory: run_ranks(n, f) calls f on each, and
// comm::ddp<ThreadRanks> and comm::zero<1, ThreadRanks> train on them.

#include <algorithm>
#include <barrier>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
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

    // The world of the ranks that follow `first` in steps of `stride`, of `n` ranks.
    World& part(int first, int stride, int n) {
      const std::lock_guard lock(mutex);
      std::unique_ptr<World>& at = parts[{first, stride}];
      if (!at) at = std::make_unique<World>(n);
      return *at;
    }
    std::mutex mutex;
    std::map<std::pair<int, int>, std::unique_ptr<World>> parts;
  };
  static inline thread_local World* world = nullptr;
  static inline thread_local int rank = 0;
  static inline thread_local weft::i64 sums = 0;  // that this rank has begun, of gradients or pieces of them
  static inline thread_local weft::i64 most_sent = 0;  // bytes of a bucket that was scattered

  class Communicator final : public weft::comm::Communicator {
   public:
    Communicator() = default;
    Communicator(World& around, int number) : world_(around), rank_(number) {}
    int rank() const override { return rank_; }
    int size() const override { return world_.size; }
    void sum_by_engine() override { by_engine_ = true; }
    void reserve(int request, weft::i64 count, weft::DType dtype) override {
      const auto k = static_cast<std::size_t>(request);
      if (sums_.size() <= k) sums_.resize(k + 1);
      sums_[k] = {nullptr, count, dtype, 0, false, 0, {}, {}};
    }
    void start_sum(int request, void* data, weft::i64 count, weft::DType dtype) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data != nullptr || sum.count != count || sum.dtype != dtype) throw weft::Error("test", "start");
      sum.data = data;
      ++sums;
    }
    void wait_sum(int request) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data == nullptr) throw weft::Error("test", "wait");
      const auto bytes = static_cast<std::size_t>(sum.count * weft::size_of(sum.dtype));
      std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
      all_gather(sum.data, all.data(), static_cast<weft::i64>(bytes));
      add(sum.dtype, sum.data, all, sum.count, size());
      sum.data = nullptr;
      ++sum.done;
    }
    void reserve_pieces(int request, const weft::i64* bounds, weft::DType dtype) override {
      reserve(request, bounds[size()], dtype);
      sums_[static_cast<std::size_t>(request)].bounds.assign(bounds, bounds + size() + 1);
    }
    void reserve_scatter_into(int request, const weft::i64* bounds, weft::DType dtype) override {
      reserve_pieces(request, bounds, dtype);
    }
    void start_scatter(int request, void* data) override {
      start_pieces(request, data, false);
      ++sums;
    }
    void start_gather(int request, void* data) override { start_pieces(request, data, true); }
    void start_scatter_into(int request, const Part* parts, int count, void* to) override {
      start_pieces(request, to, false);
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      const weft::i64 unit = weft::size_of(sum.dtype);
      sum.sent.assign(static_cast<std::size_t>(sum.count * unit), std::byte{0});
      for (int k = 0; k < count; ++k)
        std::memcpy(sum.sent.data() + parts[k].begin * unit, parts[k].data,
                    static_cast<std::size_t>(parts[k].length * unit));
      most_sent = std::max(most_sent, sum.count * unit);
    }
    void reserve_state(int request, weft::i64 count) override { reserve(request, count, weft::DType::u8); }
    void start_state(int request, void* to, weft::i64 begin, weft::i64 count,
                     const weft::comm::Shares& shares, weft::i64 unit) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data != nullptr || sum.count != count) throw weft::Error("test", "start");
      sum.data = to;
      sum.state_unit = unit;
      sum.bounds.clear();
      for (int r = 0; r <= size(); ++r) sum.bounds.push_back(shares.begin_in(r, size(), begin, count));
      // what other ranks have is not here yet
      for (weft::i64 i = 0; i < count; ++i)
        if (i < sum.bounds[static_cast<std::size_t>(rank_)] ||
            i >= sum.bounds[static_cast<std::size_t>(rank_) + 1])
          std::memset(static_cast<std::byte*>(to) + i * unit, 0xff, static_cast<std::size_t>(unit));
    }
    void wait_pieces(int request) override {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data == nullptr) throw weft::Error("test", "wait");
      if (sum.state_unit > 0) {
        gather_pieces(sum.data, sum.bounds.data(), sum.state_unit);
        sum.data = nullptr;
        ++sum.done;
        return;
      }
      const weft::i64 unit = weft::size_of(sum.dtype);
      if (!sum.sent.empty()) {
        const weft::i64 begin = sum.bounds[static_cast<std::size_t>(rank_)] * unit,
                        end = sum.bounds[static_cast<std::size_t>(rank_) + 1] * unit;
        const auto bytes = static_cast<std::size_t>(end - begin);
        std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
        show(sum.sent.data());
        for (std::size_t r = 0; r < world_.given.size() && bytes > 0; ++r)
          std::memcpy(all.data() + r * bytes, static_cast<const std::byte*>(world_.given[r]) + begin, bytes);
        world_.barrier.arrive_and_wait();
        if (bytes > 0)
          add(sum.dtype,
              static_cast<std::byte*>(sum.data) + begin / unit * weft::comm::unit_added_to(sum.dtype), all,
              (end - begin) / unit, size(), false);
        sum.sent.clear();
        sum.data = nullptr;
        ++sum.done;
        return;
      }
      if (sum.gathers) {
        gather_pieces(sum.data, sum.bounds.data(), unit);
      } else {
        const weft::i64 begin = sum.bounds[static_cast<std::size_t>(rank_)] * unit,
                        end = sum.bounds[static_cast<std::size_t>(rank_) + 1] * unit;
        const auto bytes = static_cast<std::size_t>(end - begin);
        std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
        show(sum.data);
        for (std::size_t r = 0; r < world_.given.size() && bytes > 0; ++r)
          std::memcpy(all.data() + r * bytes, static_cast<const std::byte*>(world_.given[r]) + begin, bytes);
        world_.barrier.arrive_and_wait();
        auto* const data = static_cast<std::byte*>(sum.data);
        add(sum.dtype, data + begin, all, (end - begin) / unit, size());
        // nothing may read the rest, but the zeros between tensors stay
        for (weft::i64 at = 0; at < sum.count * unit; ++at)
          if ((at < begin || at >= end) && data[at] != std::byte{0}) data[at] = std::byte{0xff};
      }
      sum.data = nullptr;
      ++sum.done;
    }
    void await(int request) override {
      if (sums_[static_cast<std::size_t>(request)].data != nullptr) wait_pieces(request);
    }
    void gather_pieces(void* data, const weft::i64* bounds, weft::i64 unit) override {
      show(data);
      for (int r = 0; r < size(); ++r) {
        const auto begin = static_cast<std::size_t>(bounds[r] * unit),
                   bytes = static_cast<std::size_t>((bounds[r + 1] - bounds[r]) * unit);
        const auto* const from = static_cast<const std::byte*>(world_.given[static_cast<std::size_t>(r)]);
        if (r != rank_ && bytes > 0) std::memcpy(static_cast<std::byte*>(data) + begin, from + begin, bytes);
      }
      world_.barrier.arrive_and_wait();
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
      bool gathers = false;
      weft::i64 state_unit = 0;  // of a gathering of state
      std::vector<weft::i64> bounds;
      std::vector<std::byte> sent;
    };
    void start_pieces(int request, void* data, bool gathers) {
      Sum& sum = sums_[static_cast<std::size_t>(request)];
      if (sum.data != nullptr || sum.bounds.empty()) throw weft::Error("test", "start");
      sum.data = data;
      sum.gathers = gathers;
    }
    // As an engine does: in another order than that of ranks.
    void add(weft::DType dtype, void* to, const std::vector<std::byte>& from, weft::i64 length, int ranks,
             bool anew = true) const {
      std::vector<std::byte> turned = from;
      const auto piece = static_cast<std::size_t>(length * weft::size_of(dtype));
      if (by_engine_)
        for (int r = 0; r < ranks; ++r)
          std::copy_n(from.data() + static_cast<std::size_t>(ranks - 1 - r) * piece, piece,
                      turned.data() + static_cast<std::size_t>(r) * piece);
      weft::comm::add_ranks(dtype, to, turned.data(), length, ranks, anew);
    }
    void show(const void* data) {
      world_.given[static_cast<std::size_t>(rank_)] = data;
      world_.barrier.arrive_and_wait();
    }
    World& world_ = *ThreadRanks::world;
    int rank_ = ThreadRanks::rank;
    std::vector<Sum> sums_;
    bool by_engine_ = false;
  };

  static weft::Shared<weft::comm::Communicator> connect() {
    return weft::Shared<weft::comm::Communicator>(new Communicator);
  }
  static weft::Shared<weft::comm::Communicator> connect_group(int degree) {
    World& group = world->part(rank / degree * degree, 1, degree);
    return weft::Shared<weft::comm::Communicator>(new Communicator(group, rank % degree));
  }
  static weft::Shared<weft::comm::Communicator> connect_across(int degree) {
    World& ranks = world->part(rank % degree, degree, world->size / degree);
    return weft::Shared<weft::comm::Communicator>(new Communicator(ranks, rank / degree));
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
