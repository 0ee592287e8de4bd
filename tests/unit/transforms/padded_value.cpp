// What is known of a value in padded rows: a few numbers, or nothing.
#include "weft/transforms/padded_value.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace weft;
using transforms::Candidates;
using transforms::RowTotal;

TEST_CASE("padded value: candidates are a set of two at most, and unknown beyond") {
  Candidates c;
  CHECK(!c.known());
  CHECK(c.add(3));
  CHECK(c.only(3));
  CHECK(c.add(3));
  CHECK(c.count == 1);
  CHECK(c.add(5));
  CHECK(!c.only(3));
  CHECK((c.has(3) && c.has(5) && !c.has(4)));
  Candidates turned = Candidates::one(5);
  CHECK(turned.add(3));
  CHECK(c == turned);
  CHECK(!(c == Candidates::one(3)));
  CHECK(!(Candidates::one(3) == c));
  CHECK(!c.add(7));
  CHECK(!c.known());
}

TEST_CASE("padded value: what is no number") {
  CHECK(Candidates::not_a_number().has_nan());
  CHECK(Candidates::not_a_number().known());
  CHECK(!Candidates::one(std::numeric_limits<double>::infinity()).has_nan());
  Candidates c = Candidates::one(0);
  CHECK(c.add(std::numeric_limits<double>::quiet_NaN()));
  CHECK(c.has_nan());
}

TEST_CASE("padded value: a sum of rows that is divided by their number, or by its elements', is a mean") {
  for (const double factor : {1.0 / 8, 1.0 / 32, 0.1249}) {  // 8 rows of 4 elements
    RowTotal t{RowTotal::sum, false, 1, 32};
    t.multiply(factor, 8);
    CHECK(t.kind == RowTotal::mean);
  }
  RowTotal other{RowTotal::sum, false, 1, 32};
  other.multiply(0.5, 8);
  CHECK(other.kind == RowTotal::sum);
  other.multiply(0.25, 8);  // one after the other
  CHECK(other.kind == RowTotal::mean);
  RowTotal inverse{RowTotal::sum, true, 1, 32};
  inverse.multiply(1.0 / 8, 8);
  CHECK(inverse.kind == RowTotal::sum);
}

TEST_CASE("padded value: totals cancel in a quotient, or in a product with an inverse") {
  const RowTotal sum{RowTotal::sum, false, 1, 8}, inverse{RowTotal::sum, true, 1, 8},
      mean{RowTotal::mean, false, 1, 8};
  CHECK(sum.cancels(sum, true));
  CHECK(!sum.cancels(sum, false));
  CHECK(sum.cancels(inverse, false));
  CHECK(!sum.cancels(inverse, true));
  CHECK(!sum.cancels(mean, true));
  CHECK(!RowTotal{}.cancels(RowTotal{}, true));
}
