#pragma once
// What a program of several ranks asks of the engine that connects them (comm/mpi.hpp is one). Law: every
// rank makes the same calls in the same order; a sum adds 0, then what the ranks have, in their order, so all
// ranks get the same bits, those of one process that adds them one by one.

#include <string>
#include <vector>

#include "weft/comm/shares.hpp"
#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"
#include "weft/core/shared.hpp"

namespace WEFT_NAMESPACE::comm {

// NaN, if either is.
template <class T>
WEFT_HD constexpr T larger(T x, T y) {
  return x != x ? x : y != y || y > x ? y : x;
}

class Communicator : public Counted {
 public:
  // This process's number, [0, size()), and how many there are.
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sums from now on are the engine's own reductions, in whatever order that adds.
  virtual void sum_by_engine() {
    throw Error(
        "comm/backend",
        "this backend adds in the order of ranks alone: leave comm::Reduction{.by_engine = true} out");
  }

  // Before the first sum of request number `request`: it will be of `count` elements.
  virtual void reserve(int request, i64 count, DType dtype) = 0;
  // Begins the sum over ranks of data[0, count), floats of the dtype, in place; returns at once. `data` is
  // left alone until wait_sum(request) returns.
  virtual void start_sum(int request, void* data, i64 count, DType dtype) = 0;
  // Throws "comm/timeout" where a rank stays silent.
  virtual void wait_sum(int request) = 0;
  // The halves of a sum, of a vector that the ranks share. Before the first of request number `request`:
  // rank r's piece of it is [bounds[r], bounds[r + 1]), for r in [0, size()), in elements.
  virtual void reserve_pieces(int request, const i64* bounds, DType dtype) {
    (void)request, (void)bounds, (void)dtype;
    throw Error("comm/backend", "this backend connects comm::ddp alone: it shares no vector out");
  }
  // Begins: this rank's piece of `data` becomes the sum over ranks; the rest of it stays. Returns at once.
  // `data` is left alone until wait_pieces(request) returns.
  virtual void start_scatter(int request, void* data) { (void)request, (void)data; }
  // Begins: what each rank has in its piece becomes what all have there.
  virtual void start_gather(int request, void* data) { (void)request, (void)data; }
  // Elements [begin, begin + length) of what a request is of.
  struct Part {
    const void* data = nullptr;
    i64 begin = 0, length = 0;
  };
  // As reserve_pieces, of a request of start_scatter_into. Parts of bf16 are added to f32.
  virtual void reserve_scatter_into(int request, const i64* bounds, DType dtype) {
    (void)request, (void)bounds, (void)dtype;
    throw Error("comm/backend", "this backend shares no gradients out: comm::zero<1, Backend>");
  }
  // Before a start_scatter_into whose elements are [begin, begin + count) of a vector that the ranks share.
  void reserve_part(int request, i64 begin, i64 count, const Shares& shares, DType dtype) {
    bounds_.resize(static_cast<std::size_t>(size()) + 1);
    for (int r = 0; r <= size(); ++r)
      bounds_[static_cast<std::size_t>(r)] = shares.begin_in(r, size(), begin, count);
    reserve_scatter_into(request, bounds_.data(), dtype);
  }
  // Before the first of these, which begin where no one knows: room for any.
  void reserve_any_part(int request, i64 count, DType dtype) {
    bounds_.assign(static_cast<std::size_t>(size()) + 1, 0);
    for (int r = rank() + 1; r <= size(); ++r) bounds_[static_cast<std::size_t>(r)] = count;
    reserve_scatter_into(request, bounds_.data(), dtype);
  }
  // Begins: this rank's piece of the sums over ranks of `parts`, between which are zeros, is added to `to`,
  // rank by rank, whose element k is the request's. Returns as soon as the parts may change; `to` is left
  // alone until wait_pieces(request) returns.
  virtual void start_scatter_into(int request, const Part* parts, int count, void* to) {
    (void)request, (void)parts, (void)count, (void)to;
  }
  // Before the first start_state of request number `request`: it will be of `count` elements.
  virtual void reserve_state(int request, i64 count) {
    (void)request, (void)count;
    throw Error("comm/backend", "this backend shares no parameters out: comm::zero<2, Backend>");
  }
  // Begins: of to[0, count), elements of `unit` bytes that are [begin, begin + count) of a vector that the
  // ranks share, what each rank has in its piece becomes what all have there.
  virtual void start_state(int request, void* to, i64 begin, i64 count, const Shares& shares, i64 unit) {
    (void)request, (void)to, (void)begin, (void)count, (void)shares, (void)unit;
  }
  // Throws "comm/timeout" where a rank stays silent.
  virtual void wait_pieces(int request) { (void)request; }
  // The same of a request that one trip of a loop begins and the next one waits for: where none has begun,
  // which the first one finds, it returns at once.
  virtual void await(int request) { wait_pieces(request); }
  // Before the first max of request number `request`: it will be of `count` elements.
  virtual void reserve_max(int request, i64 count) { (void)request, (void)count; }
  // to[i] becomes the largest from[i] of all ranks, NaN where one has that.
  void max(const f32* from, f32* to, i64 count) {
    std::vector<f32> all(static_cast<std::size_t>(size() * count));
    all_gather(from, all.data(), count * i64{sizeof(f32)});
    for (i64 i = 0; i < count; ++i) {
      to[i] = all[static_cast<std::size_t>(i)];
      for (int r = 1; r < size(); ++r) to[i] = larger(to[i], all[static_cast<std::size_t>(r * count + i)]);
    }
  }
  // Goes on with what was begun; called between launches.
  virtual void progress() = 0;

  // Rank 0's bytes become every rank's.
  virtual void broadcast(void* data, i64 bytes) = 0;
  // Every rank's bytes, one behind the other in the order of ranks, into to[0, size() * bytes).
  virtual void all_gather(const void* from, void* to, i64 bytes) = 0;
  // The piece that each rank has of `data` becomes every rank's: rank r's is [bounds[r], bounds[r + 1]), in
  // units of so many bytes.
  virtual void gather_pieces(void* data, const i64* bounds, i64 unit) {
    (void)data, (void)bounds, (void)unit;
    throw Error("comm/backend", "this backend connects comm::ddp alone: it shares no vector out");
  }

  // For its errors: `name` gives the name of the parameter that has a byte of the model's block, and an
  // element of the gradients' vector is `unit` bytes of that.
  using StateName = std::string (*)(i64 offset);
  void name_state(StateName name, i64 unit) { name_ = name, unit_ = unit; }
  // Request number `request` is of elements [begin, begin + count) of the gradients' vector.
  void note(int request, i64 begin, i64 count) {
    const auto k = static_cast<std::size_t>(request);
    if (noted_.size() <= k) noted_.resize(k + 1);
    noted_[k] = {begin, begin + count};
  }

  // Of a number that every rank has: the sum in the order of ranks, and that divided by their number. Calls
  // of all ranks, which get the same bits.
  f64 sum(f64 own) {
    std::vector<f64> all(static_cast<std::size_t>(size()));
    all_gather(&own, all.data(), sizeof own);
    f64 sum = 0;
    for (const f64 of_rank : all) sum += of_rank;
    return sum;
  }
  f64 mean(f64 own) { return sum(own) / size(); }

 protected:
  // " of fc1.weight to fc2.bias", what a request is of; nothing where nobody said so.
  std::string scope_of(int request) const {
    const auto k = static_cast<std::size_t>(request);
    return k < noted_.size() ? scope_of(noted_[k].begin, noted_[k].end) : "";
  }
  // The same of all requests together.
  std::string scope_of_all() const {
    i64 begin = 0, end = 0;
    for (const Noted& range : noted_) {
      if (range.begin == range.end) continue;
      if (begin == end || range.begin < begin) begin = range.begin;
      if (end < range.end) end = range.end;
    }
    return scope_of(begin, end);
  }

 private:
  struct Noted {
    i64 begin = 0, end = 0;
  };
  std::string scope_of(i64 begin, i64 end) const {
    if (name_ == nullptr || begin == end) return "";
    const std::string first = name_(begin * unit_), last = name_((end - 1) * unit_);
    return first.empty() ? "" : " of " + first + (last.empty() || last == first ? "" : " to " + last);
  }

  std::vector<i64> bounds_;
  std::vector<Noted> noted_;  // by request
  StateName name_ = nullptr;
  i64 unit_ = 1;
};

// Adds what `ranks` ranks have of one piece, each `length` elements behind the last, to what `to` has, or
// `anew` to 0.
template <class T, class From>
void add_ranks(T* to, const From* from, i64 length, int ranks, bool anew = true) {
  for (i64 i = 0; i < length; ++i) to[i] = (anew ? T(0) : to[i]) + static_cast<T>(from[i]);
  for (int r = 1; r < ranks; ++r)
    for (i64 i = 0; i < length; ++i) to[i] = to[i] + static_cast<T>(from[r * length + i]);
}
// Numbers of bf16 are added as f32: `anew` to one that is rounded, else to what is f32.
inline void add_ranks_of_bf16(void* to, const bf16* from, i64 length, int ranks, bool anew) {
  if (!anew) return add_ranks(static_cast<f32*>(to), from, length, ranks, false);
  for (i64 i = 0; i < length; ++i) {
    f32 sum = 0;
    for (int r = 0; r < ranks; ++r) sum = sum + static_cast<f32>(from[r * length + i]);
    static_cast<bf16*>(to)[i] = bf16(sum);
  }
}
// Bytes of an element of what is added to, where so is sent.
constexpr i64 unit_added_to(DType sent) { return sent == DType::bf16 ? 4 : size_of(sent); }
inline void add_ranks(DType dtype, void* to, const void* from, i64 length, int ranks, bool anew = true) {
  if (dtype == DType::f32)
    add_ranks(static_cast<f32*>(to), static_cast<const f32*>(from), length, ranks, anew);
  else if (dtype == DType::f64)
    add_ranks(static_cast<f64*>(to), static_cast<const f64*>(from), length, ranks, anew);
  else if (dtype == DType::bf16)
    add_ranks_of_bf16(to, static_cast<const bf16*>(from), length, ranks, anew);
  else
    throw Error("comm/dtype", "a sum over ranks is of f32, f64 or bf16");
}

}  // namespace WEFT_NAMESPACE::comm
