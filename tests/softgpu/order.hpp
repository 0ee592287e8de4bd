#pragma once
// Which work comes before which, by vector clocks. Law: work comes after what its stream did before, after
// what it waited for, and after what the host had waited for when it asked for the work; what is in no such
// order and shares memory, one writing, is a finding, whichever ran first. The nodes of a graph count as one
// work.

#include <vector>

#include "softgpu/memory.hpp"
#include "softgpu/types.hpp"

namespace softgpu {

// How far each stream had come, by the stream's number.
struct Clock {
  std::vector<u64> of;
  void join(const Clock& other);
  void reach(std::size_t stream, u64 time);
  bool has(std::size_t stream, u64 time) const { return stream < of.size() && of[stream] >= time; }
};

class Order {
 public:
  // Work begins that comes after all of `clock`, its own time included. Tags from `first_tag` on are its own;
  // the first of them marks what it writes as a whole.
  void begin(const Clock& clock, std::size_t stream, u64 time, Tag first_tag);
  void end(Tag end_tag);
  // What has begun is not done, and will begin again.
  void postpone();
  // Nothing pending is older than what `host` has waited for.
  void forget(const Clock& host);

  Tag tag() const { return now_.first_tag; }
  // Whether some earlier work is in no order with this one: only then accesses need a closer look.
  bool any_unordered() const { return !unordered_.empty(); }
  bool wrote_unordered(Tag tag) const;
  // Reads are marked once two streams have had work.
  bool marks_reads() const { return streams_seen_ > 1 && now_.number != 0; }
  u32 reader() const { return now_.number; }
  bool read_unordered(u32 reader) const;

 private:
  struct Executed {
    u32 number = 0;
    std::size_t stream = 0;
    u64 time = 0;
    Tag first_tag = written_by_copy, end_tag = 0;
  };
  Executed now_;
  std::vector<Executed> executed_, unordered_;
  u32 count_ = 0;
  std::size_t streams_seen_ = 0;
  std::vector<bool> seen_;
};

Order& order();

// A range that a copy, a fill or a product reads or writes as a whole; `what` names it in a report.
void order_read(Region* region, u64 at, u64 bytes, const char* what);
void order_write(Region* region, u64 at, u64 bytes, const char* what);

}  // namespace softgpu
