// expect: the shapes do not broadcast: two extents of the same axis must be equal, or one of them 1
// expect: ShapesBroadcast
// expect: Add
// expect: Shape<4
// expect: Shape<3
#include "weft/core/diagnose.hpp"
#include "weft/core/shape.hpp"

struct Add {
  template <class A, class B>
  constexpr auto operator()(A a, B b) const {
    constexpr bool fits = weft::broadcastable(A::value, B::value);
    static_assert(sizeof(weft::ShapesBroadcast<fits, Add, A, B>) > 0);
    if constexpr (fits) {
      return b;
    } else {
      return a;
    }
  }
};

#ifdef WEFT_FIXED
static_assert(Add{}(weft::Shape<1, 8>{}, weft::Shape<3, 8>{}).size == 24);
#else
static_assert(Add{}(weft::Shape<4, 8>{}, weft::Shape<3, 8>{}).size == 32);
#endif
