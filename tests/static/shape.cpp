// Shapes are types and values with the same meaning; nothing here runs.
#include "weft/core/shape.hpp"

#include <type_traits>

namespace {

using weft::Dims;
using weft::Shape;

static_assert(Shape<>::rank == 0 && Shape<>::size == 1);
static_assert(Shape<4, 8>::rank == 2 && Shape<4, 8>::size == 32 && Shape<4, 8>::dims[1] == 8);
static_assert(Shape<3, 0>::size == 0);
static_assert(weft::is_shape<Shape<2>> && !weft::is_shape<int>);

struct Sum {
  static constexpr Dims value = weft::broadcast(Shape<8, 1, 6, 1>::value, Shape<7, 1, 5>::value);
};
static_assert(std::is_same_v<weft::shape_of<Sum>, Shape<8, 7, 6, 5>>);
struct Scalar {
  static constexpr Dims value = weft::broadcast(Shape<>::value, Shape<>::value);
};
static_assert(std::is_same_v<weft::shape_of<Scalar>, Shape<>>);
static_assert(std::is_same_v<weft::shape_of<Shape<1, 2, 3, 4, 5, 6, 7, 8>>, Shape<1, 2, 3, 4, 5, 6, 7, 8>>);

static_assert(!weft::broadcastable(Shape<4, 8>::value, Shape<3, 8>::value));
static_assert(!weft::broadcast(Shape<4, 8>::value, Shape<3, 8>::value).valid());

}  // namespace
