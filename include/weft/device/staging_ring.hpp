#pragma once
// A ring of slots through which the host hands data to a device without waiting for it. Law: a slot is
// written again only when the copies that read it have ended, so the caller's own memory is free on return.

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"

namespace WEFT_NAMESPACE {

// Backend supplies the device: `Backend::Memory` (constructed from bytes, with data()), `Backend::Mark`
// (default-constructible; the end of the work enqueued so far), and
//   void copy(void* device, const std::byte* slot, std::size_t bytes)  enqueues a copy,
//   void record(Mark&)                                                marks what was enqueued so far,
//   void wait(Mark&)                                                  returns when the mark is reached.
template <class Backend>
class StagingRing {
 public:
  // `slots` of `bytes` each; memory is taken here and only here.
  StagingRing(Backend backend, int slots, std::size_t bytes) : backend_(std::move(backend)), bytes_(bytes) {
    if (slots < 1) throw Error("staging/slots", "a staging ring has at least one slot");
    stride_ = (bytes + 255) / 256 * 256;
    memory_ = typename Backend::Memory(stride_ * static_cast<std::size_t>(slots));
    slots_.resize(static_cast<std::size_t>(slots));
  }
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  // Memory must outlive the copies that read it.
  ~StagingRing() {
    for (Slot& slot : slots_) {
      try {
        if (open_ && slot.busy && &slot == &slots_[next_]) backend_.record(slot.mark);
        if (slot.busy) backend_.wait(slot.mark);
      } catch (const Error&) {
        // The device has failed, which the next call on it reports; nothing reads the slot any more.
      }
    }
  }

  std::size_t slot_bytes() const { return bytes_; }

  // Opens the next slot, waiting until its last copies have ended, and returns its memory (256-byte aligned
  // if the backend's memory is).
  std::byte* begin() {
    if (open_) throw Error("staging/open", "a slot is open already: end() it first");
    Slot& slot = slots_[next_];
    if (slot.busy) backend_.wait(slot.mark);
    slot.busy = false;
    open_ = true;
    return memory_.data() + next_ * stride_;
  }

  // Enqueues a copy of part of the open slot to the device.
  void copy(void* device, std::size_t offset, std::size_t bytes) {
    if (!open_) throw Error("staging/closed", "no slot is open: begin() one first");
    if (offset > bytes_ || bytes > bytes_ - offset) {
      throw Error("staging/overflow", std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                          " do not fit in a slot of " + std::to_string(bytes_));
    }
    backend_.copy(device, memory_.data() + next_ * stride_ + offset, bytes);
    slots_[next_].busy = true;
  }

  // Closes the open slot.
  void end() {
    if (!open_) throw Error("staging/closed", "no slot is open: begin() one first");
    if (slots_[next_].busy) backend_.record(slots_[next_].mark);
    next_ = (next_ + 1) % slots_.size();
    open_ = false;
  }

  // begin, copy all of `source` and end.
  void send(void* device, const void* source, std::size_t bytes) {
    std::byte* slot = begin();
    if (bytes <= bytes_) std::memcpy(slot, source, bytes);
    try {
      copy(device, 0, bytes);
    } catch (...) {
      open_ = false;
      throw;
    }
    end();
  }

 private:
  struct Slot {
    typename Backend::Mark mark;
    bool busy = false;
  };

  Backend backend_;
  typename Backend::Memory memory_;
  std::vector<Slot> slots_;
  std::size_t bytes_ = 0;
  std::size_t stride_ = 0;
  std::size_t next_ = 0;
  bool open_ = false;
};

}  // namespace WEFT_NAMESPACE
