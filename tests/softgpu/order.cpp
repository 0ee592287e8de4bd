#include "softgpu/order.hpp"

#include <algorithm>

#include "softgpu/report.hpp"

namespace softgpu {

void Clock::join(const Clock& other) {
  if (of.size() < other.of.size()) of.resize(other.of.size());
  for (std::size_t k = 0; k < other.of.size(); ++k) of[k] = std::max(of[k], other.of[k]);
}
void Clock::reach(std::size_t stream, u64 time) {
  if (of.size() <= stream) of.resize(stream + 1);
  of[stream] = std::max(of[stream], time);
}

void Order::begin(const Clock& clock, std::size_t stream, u64 time, Tag first_tag) {
  now_ = {++count_, stream, time, first_tag, 0};
  if (seen_.size() <= stream) seen_.resize(stream + 1);
  if (!seen_[stream]) ++streams_seen_;
  seen_[stream] = true;
  unordered_.clear();
  for (const Executed& e : executed_)
    if (!clock.has(e.stream, e.time)) unordered_.push_back(e);
}
void Order::end(Tag end_tag) {
  now_.end_tag = end_tag;
  executed_.push_back(now_);
  now_ = {};
  unordered_.clear();
}
void Order::postpone() {
  now_ = {};
  unordered_.clear();
}
void Order::forget(const Clock& host) {
  executed_.erase(std::remove_if(executed_.begin(), executed_.end(),
                                 [&](const Executed& e) { return host.has(e.stream, e.time); }),
                  executed_.end());
}

bool Order::wrote_unordered(Tag tag) const {
  return std::any_of(unordered_.begin(), unordered_.end(),
                     [&](const Executed& e) { return tag >= e.first_tag && tag < e.end_tag; });
}
bool Order::read_unordered(u32 reader) const {
  return reader != 0 && std::any_of(unordered_.begin(), unordered_.end(),
                                    [&](const Executed& e) { return reader == e.number; });
}

Order& order() {
  static auto* const only = new Order;  // outlives static objects that still use the device
  return *only;
}

void order_read(Region* region, u64 at, u64 bytes, const char* what) {
  if (region == nullptr || region->tags == nullptr) return;
  if (order().any_unordered()) {
    const Tag* const tags = region->tags_at(at);
    for (u64 i = 0; i < bytes; ++i) {
      if (!order().wrote_unordered(tags[i])) continue;
      report("unordered streams", what,
             std::string(what) + " reads at " + memory().describe(at + i) +
                 ", where other work wrote: no event or wait puts the two in order");
      break;
    }
  }
  if (order().marks_reads()) region->mark_read(at, bytes, order().reader());
}

void order_write(Region* region, u64 at, u64 bytes, const char* what) {
  if (region == nullptr || region->tags == nullptr || !order().any_unordered()) return;
  const Tag* const tags = region->tags_at(at);
  for (u64 i = 0; i < bytes; ++i) {
    const bool wrote = order().wrote_unordered(tags[i]);
    if (!wrote && !order().read_unordered(region->reader_of(at + i))) continue;
    report("unordered streams", what,
           std::string(what) + " writes at " + memory().describe(at + i) + ", where other work " +
               (wrote ? "wrote" : "read") + ": no event or wait puts the two in order");
    return;
  }
}

}  // namespace softgpu
