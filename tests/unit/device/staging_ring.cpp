#include "weft/device/staging_ring.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "weft/device/cpu.hpp"

using namespace weft;
using weft::testing::error_of;

namespace {

// A device whose copies happen as late as they may: when somebody waits for a mark behind them.
struct LateDevice {
  struct Copy {
    void* to;
    const std::byte* from;
    std::size_t bytes;
  };
  std::deque<Copy> queue;
  int enqueued = 0;
  int done = 0;
  int waits = 0;

  void run_until(int mark) {
    while (done < mark) {
      std::memcpy(queue.front().to, queue.front().from, queue.front().bytes);
      queue.pop_front();
      ++done;
    }
  }
};

struct LateBackend {
  using Memory = HostBuffer;
  struct Mark {
    int at = -1;
  };
  LateDevice* device;
  void copy(void* to, const std::byte* from, std::size_t bytes) {
    device->queue.push_back({to, from, bytes});
    ++device->enqueued;
  }
  void record(Mark& mark) { mark.at = device->enqueued; }
  void wait(Mark& mark) {
    ++device->waits;
    device->run_until(mark.at);
  }
};

using Ring = StagingRing<LateBackend>;

}  // namespace

TEST_CASE("staging_ring: the caller's memory is free on return, however late the device copies") {
  for (int slots : {1, 2, 3, 8}) {
    LateDevice device;
    std::vector<int> received(50, -1);
    {
      Ring ring({&device}, slots, sizeof(int));
      for (int i = 0; i < 50; ++i) {
        int value = i;
        ring.send(&received[static_cast<std::size_t>(i)], &value, sizeof value);
        value = -2;
        CHECK(device.enqueued - device.done <= slots);
      }
      CHECK(device.waits == 50 - slots);
    }
    CHECK(device.queue.empty());
    for (int i = 0; i < 50; ++i) CHECK(received[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("staging_ring: several parts of a slot, and a slot that was never sent") {
  LateDevice device;
  float a[2]{}, b[2]{};
  {
    Ring ring({&device}, 2, 16);
    ring.begin();
    ring.end();
    std::byte* slot = ring.begin();
    const float values[4] = {1, 2, 3, 4};
    std::memcpy(slot, values, sizeof values);
    ring.copy(a, 0, 8);
    ring.copy(b, 8, 8);
    ring.end();
    ring.begin();
    CHECK(device.waits == 0);
    ring.end();
    CHECK(ring.begin() == slot);
    CHECK(device.waits == 1);
    ring.end();
  }
  CHECK(a[1] == 2);
  CHECK(b[0] == 3);
}

TEST_CASE("staging_ring: a slot left open is waited for before its memory goes") {
  LateDevice device;
  int to = 0;
  {
    Ring ring({&device}, 2, 16);
    const int value = 5;
    std::memcpy(ring.begin(), &value, sizeof value);
    ring.copy(&to, 0, sizeof to);
  }
  CHECK(to == 5);
}

TEST_CASE("staging_ring: slots are aligned and apart") {
  LateDevice device;
  Ring ring({&device}, 3, 300);
  std::vector<std::byte*> slots;
  for (int i = 0; i < 3; ++i) {
    slots.push_back(ring.begin());
    ring.end();
  }
  CHECK(slots[1] - slots[0] == 512);
  CHECK(slots[2] - slots[1] == 512);
  CHECK(reinterpret_cast<std::uintptr_t>(slots[0]) % 256 == 0);
  CHECK(ring.slot_bytes() == 300);
}

TEST_CASE("staging_ring: misuse is an error and leaves the ring usable") {
  LateDevice device;
  int to = 0;
  const int value = 9;
  const char large[64]{};
  Ring ring({&device}, 2, 16);
  CHECK(error_of([&] { ring.copy(&to, 0, 4); }) == "staging/closed");
  CHECK(error_of([&] { ring.end(); }) == "staging/closed");
  CHECK(error_of([&] { ring.send(&to, large, sizeof large); }) == "staging/overflow");
  ring.begin();
  CHECK(error_of([&] { ring.begin(); }) == "staging/open");
  CHECK(error_of([&] { ring.copy(&to, 14, 4); }) == "staging/overflow");
  CHECK(error_of([&] { ring.copy(&to, 100, 0); }) == "staging/overflow");
  ring.end();
  ring.send(&to, &value, sizeof value);
  device.run_until(device.enqueued);
  CHECK(to == 9);
  CHECK(error_of([&] { Ring none({&device}, 0, 16); }) == "staging/slots");
}
