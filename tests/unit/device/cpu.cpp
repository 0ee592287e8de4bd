#include "weft/device/cpu.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "support/error_of.hpp"

using namespace weft;
using weft::testing::error_of;

TEST_CASE("cpu: a buffer is 256-byte aligned and writable to its end") {
  for (std::size_t bytes : {1u, 255u, 256u, 100000u}) {
    HostBuffer buffer(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
    CHECK(buffer.size() == bytes);
    CHECK(buffer.owned());
    buffer.data()[0] = buffer.data()[bytes - 1] = std::byte{7};
    CHECK(buffer.data()[bytes - 1] == std::byte{7});
  }
  CHECK(HostBuffer(0).data() == nullptr);
  CHECK(HostBuffer().size() == 0);
}

TEST_CASE("cpu: moving a buffer moves the memory") {
  HostBuffer a(64);
  std::byte* const data = a.data();
  HostBuffer b(std::move(a));
  CHECK(b.data() == data);
  HostBuffer c(32);
  c = std::move(b);
  CHECK(c.data() == data);
  CHECK(c.size() == 64);
}

TEST_CASE("cpu: memory of the caller is used and not freed") {
  alignas(256) std::byte memory[512];
  {
    HostBuffer buffer = HostBuffer::borrow(memory, sizeof memory);
    CHECK(buffer.data() == memory);
    CHECK(!buffer.owned());
    HostBuffer moved(std::move(buffer));
    CHECK(moved.data() == memory);
  }
  memory[0] = std::byte{1};
  CHECK(error_of([&] { HostBuffer::borrow(memory + 8, 16); }) == "cpu/misaligned");
  CHECK(error_of([] { HostBuffer::borrow(nullptr, 16); }) == "cpu/misaligned");
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("cpu: too much memory is an error with an id") {
  volatile std::size_t bytes = std::size_t{1} << 62;
  CHECK(error_of([&] { HostBuffer buffer(bytes); }) == "cpu/out-of-memory");
}
#endif

TEST_CASE("cpu: the number of threads") {
  CHECK(cpu_threads(Cpu{}) >= 1);
  CHECK(error_of([] { cpu_threads(Cpu{-1}); }) == "cpu/threads");
#if defined(_OPENMP)
  CHECK(cpu_threads(Cpu{3}) == 3);
  CHECK(cpu_threads(Cpu{}) == omp_get_max_threads());
#else
  CHECK(cpu_threads(Cpu{3}) == 1);
#endif
  static_assert(Cpu{} == Cpu{0} && !(Cpu{1} == Cpu{}));
}
