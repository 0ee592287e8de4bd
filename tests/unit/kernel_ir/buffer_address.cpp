#include "weft/kernel_ir/buffer_address.hpp"

#include <doctest/doctest.h>

using namespace weft;
using kernel_ir::BufferAddress;

TEST_CASE("buffer_address: space, number and offset come back, at the ends of their ranges too") {
  for (const ir::Space space : {ir::Space::model, ir::Space::workspace, ir::Space::input, ir::Space::bound})
    for (const int index : {0, 1, 255, 65535})
      for (const i64 offset : {i64{0}, i64{1}, i64{1} << 32, (i64{1} << 40) - 1}) {
        const u64 a = BufferAddress::make(space, offset, index);
        CHECK(BufferAddress::space(a) == space);
        CHECK(BufferAddress::index(a) == index);
        CHECK(BufferAddress::offset(a) == offset);
        CHECK(a != BufferAddress::none);
      }
  for (const i64 bytes : {0, 1, 255, 256, 257, 100000}) {
    CHECK(kernel_ir::align_up(bytes) % kernel_ir::alignment == 0);
    CHECK(kernel_ir::align_up(bytes) >= bytes);
    CHECK(kernel_ir::align_up(bytes) < bytes + kernel_ir::alignment);
  }
}
