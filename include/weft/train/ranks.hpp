#pragma once
// A trainer among the ranks of a distributed program; one by itself where there is no communication. Law:
// what one rank cannot do ends the others with an Error too.

#include <bit>
#include <exception>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/shares.hpp"
#include "weft/nn/state_table.hpp"
#include "weft/train/options.hpp"

namespace WEFT_NAMESPACE::train {

// What the ranks of a program must have in common, by digests: the program, and the optimiser's numbers with
// the bound to clip by.
struct Digest {
  static constexpr u64 version =
      u64{WEFT_VERSION_MAJOR} << 32 | u64{WEFT_VERSION_MINOR} << 16 | u64{WEFT_VERSION_PATCH};
  u64 program = 14695981039346656037u ^ version, numbers = 14695981039346656037u;

  // (Fowler, Noll and Vo's hash, 64 bits.)
  static constexpr void add(u64& to, u64 word) { to = (to ^ word) * 1099511628211u; }
  // Of a schedule, the rates at some steps.
  template <class Optimizer, class Clip>
  void add_numbers(const Optimizer& optimizer, const Clip& clip) {
    constexpr int count = Optimizer::base::numbers;
    f32 number[at_least_one(count)]{};
    for (i64 step = 0; step <= 1'000'000; step = step < 10 ? step + 1 : 2 * step)
      for (int g = 0; g < Optimizer::group_count; ++g) {
        optimizer.fill(g, step, number);
        for (int n = 0; n < count; ++n) add(numbers, std::bit_cast<u32>(number[n]));
      }
    if constexpr (requires { clip.most; }) add(numbers, std::bit_cast<u32>(clip.most));
  }
};

// Degree: how many ranks that follow one another are one, as they have the parts of one model; this rank is
// then among those with the same parts.
template <class Comm, int Degree = 1>
class Ranks {
 public:
  Ranks() : communicator_(connect()) {
    if constexpr (requires { Comm::reduction; })
      if (Comm::reduction.by_engine) communicator_->sum_by_engine();
  }

  comm::Communicator* communicator() const { return communicator_.get(); }
  i64 rank() const { return communicator_->rank(); }
  i64 size() const { return communicator_->size(); }

  // Throws "comm/mismatch" where a rank's program or numbers are others than rank 0's.
  void check_same(const Digest& digest) const {
    std::vector<Digest> all(static_cast<std::size_t>(size()));
    communicator_->all_gather(&digest, all.data(), sizeof digest);
    for (std::size_t r = 1; r < all.size(); ++r) {
      if (all[r].program != all[0].program)
        throw Error("comm/mismatch",
                    "rank " + std::to_string(r) +
                        " runs another program than rank 0, with another model, batch, options "
                        "or version of weft: start one and the same on every rank");
      if (all[r].numbers != all[0].numbers)
        throw Error("comm/mismatch",
                    "rank " + std::to_string(r) +
                        " has other numbers than rank 0, in its optimiser, a schedule or the "
                        "bound to clip by: give every rank the same");
    }
  }
  void broadcast(void* data, i64 bytes) const {
    if (size() > 1 && bytes > 0) communicator_->broadcast(data, bytes);
  }
  // Of the device's memory, behind what `program` has begun; on a GPU in its stream.
  template <class Program>
  void broadcast(void* data, i64 bytes, const Program& program) const {
    if (size() == 1 || bytes == 0) return;
    if constexpr (requires { program.broadcast(data, bytes); })
      program.broadcast(data, bytes);
    else
      communicator_->broadcast(data, bytes);
  }
  // Calls f; where it throws on some ranks, the others throw "comm/rank".
  template <class F>
  void together(const char* what, const F& f) const {
    std::exception_ptr error;
    try {
      f();
    } catch (...) {
      error = std::current_exception();
    }
    const char failed = error ? 1 : 0;
    std::string all(static_cast<std::size_t>(size()), '\0');
    communicator_->all_gather(&failed, all.data(), 1);
    if (error) std::rethrow_exception(error);
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r] != 0) throw Error("comm/rank", "rank " + std::to_string(r) + " could not " + what);
  }
  // The piece that each rank has of the device's memory becomes every rank's, behind what `program` has
  // begun; on a GPU in its stream.
  template <class Program>
  void gather(std::byte* data, const comm::Shares& shares, i64 unit, const Program& program) const {
    if (size() == 1) return;
    std::vector<i64> bounds;
    for (i64 r = 0; r <= size(); ++r) bounds.push_back(shares.begin(r, size()));
    if constexpr (requires { program.gather_pieces(data, bounds.data(), unit); })
      program.gather_pieces(data, bounds.data(), unit);
    else
      communicator_->gather_pieces(data, bounds.data(), unit);
  }
  // The pieces of all ranks, each of up to `piece` bytes, in their order: read(at, to, bytes) copies a part
  // of this rank's, from byte `at` of it on, and take(rank, at, data, bytes) is called with that part of
  // each. A part of another's piece that is shorter has what lies behind it.
  template <class Read, class Take>
  void each_piece(i64 piece, const Read& read, const Take& take) const {
    constexpr i64 most = i64{1} << 20;
    const i64 room = piece < most ? piece : most;
    std::vector<std::byte> own(static_cast<std::size_t>(room)),
        all(own.size() * static_cast<std::size_t>(size()));
    for (i64 at = 0; at < piece; at += most) {
      const i64 bytes = piece - at < most ? piece - at : most;
      read(at, own.data(), bytes);
      communicator_->all_gather(own.data(), all.data(), bytes);
      for (i64 r = 0; r < size(); ++r) take(r, at, all.data() + r * bytes, bytes);
    }
  }
  // The sums of what the ranks have, in their order.
  void add(f64* values, i64 count) const {
    if (size() == 1) return;
    std::vector<f64> all(static_cast<std::size_t>(size() * count));
    communicator_->all_gather(values, all.data(), count * i64{sizeof(f64)});
    comm::add_ranks(values, all.data(), count, static_cast<int>(size()));
  }

 private:
  static Shared<comm::Communicator> connect() {
    if constexpr (Degree > 1)
      return Comm::backend::connect_across(Degree);
    else
      return Comm::backend::connect();
  }
  Shared<comm::Communicator> communicator_;
};

template <int Degree>
class Ranks<comm::None, Degree> {
 public:
  static constexpr comm::Communicator* communicator() { return nullptr; }
  static constexpr i64 rank() { return 0; }
  static constexpr i64 size() { return 1; }
  static constexpr void check_same(const Digest&) {}
  static constexpr void broadcast(void*, i64) {}
  template <class F>
  static void together(const char*, const F& f) {
    f();
  }
  static constexpr void add(f64*, i64) {}
};

// The ranks that have the parts of a model as a communication of their own.
template <class Group>
struct GroupComm {
  struct backend {
    static Shared<comm::Communicator> connect() { return Group::backend::connect_group(Group::degree); }
  };
};
template <class M, bool InParts = nn::state_table<M>.in_parts()>
struct GroupRanksOf {
  using type = Ranks<comm::None>;
};
template <class M>
struct GroupRanksOf<M, true> {
  using type = Ranks<GroupComm<nn::group_of<M>>>;
};
template <class M>
using GroupRanks = typename GroupRanksOf<M>::type;
// The ranks of data parallelism that train an M.
template <class M, class Comm>
using DataRanks = Ranks<Comm, nn::state_table<M>.degree>;

// Before a program of several ranks begins: every rank is one of the same program, with the same numbers, and
// has rank 0's seed.
template <class R>
void join(const R& ranks, const Digest& digest, u64& seed) {
  ranks.check_same(digest);
  ranks.broadcast(&seed, sizeof seed);
}

}  // namespace WEFT_NAMESPACE::train
