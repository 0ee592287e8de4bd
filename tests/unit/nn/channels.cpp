#include "weft/nn/channels.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("channels: a vector of C stands beside (N, C, ...) along axis 1") {
  auto f = compile(
      test_device(),
      [](auto x, auto v) {
        return x + nn::module_detail::along_channels<2>(v, std::make_integer_sequence<int, 1>{});
      },
      in<i32, 2, 2, 2>, in<i32, 2>);
  const std::vector<i32> x{0, 0, 0, 0, 1, 1, 1, 1}, v{10, 20};
  CHECK(f(x, v).to_vector() == std::vector<i32>{10, 10, 20, 20, 11, 11, 21, 21});
}
