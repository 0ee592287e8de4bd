#include "weft/train/curve.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <limits>

#include "../io/scratch.hpp"

using namespace weft;
using train::Curve;

static int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_CASE("curve: points land where the axes say") {
  Curve curve({.title = "t"});
  curve.add("train", 0, 0);
  curve.add("train", 5, 5);
  curve.add("train", 10, 10);
  // The plot spans x 86...776 and y 420...48; both axes run from 0 to 10.
  CHECK(curve.svg().find("points=\"86.0,420.0 431.0,234.0 776.0,48.0\"") != std::string::npos);
  CHECK(count(curve.svg(), ">10</text>") == 2);
  CHECK(count(curve.svg(), "<polyline") == 1);
}

TEST_CASE("curve: axes have round ticks") {
  Curve curve;
  curve.add("", 3, 0.0123);
  curve.add("", 997, 0.0871);
  const std::string svg = curve.svg();
  for (const char* tick : {">0</text>", ">200</text>", ">1000</text>", ">0.01</text>", ">0.09</text>"}) {
    CAPTURE(tick);
    CHECK(svg.find(tick) != std::string::npos);
  }
  CHECK(svg.find(">0.0300000") == std::string::npos);
}

TEST_CASE("curve: a logarithmic axis") {
  Curve curve({.log_y = true});
  curve.add("a", 0, 10);
  curve.add("a", 1, 1);
  curve.add("a", 2, 0.1);
  CHECK(curve.svg().find("points=\"86.0,48.0 431.0,234.0 776.0,420.0\"") != std::string::npos);
  CHECK(curve.svg().find(">0.1</text>") != std::string::npos);
}

TEST_CASE("curve: what cannot be drawn leaves a gap") {
  const f64 nan = std::numeric_limits<f64>::quiet_NaN(), inf = std::numeric_limits<f64>::infinity();
  for (const f64 bad : {nan, inf, -inf}) {
    Curve curve;
    for (const f64 y : {1.0, 2.0, bad, 3.0, 4.0}) curve.add("a", y == y ? y : 2.5, y);
    CHECK(count(curve.svg(), "<polyline") == 2);
    CHECK(curve.svg().find("nan") == std::string::npos);
    CHECK(curve.svg().find("inf") == std::string::npos);
  }
  Curve log({.log_y = true});
  for (const f64 y : {1.0, 0.0, -1.0, 3.0}) log.add("a", y, y);
  CHECK(count(log.svg(), "<circle") == 2);
}

TEST_CASE("curve: no points, one point, huge and equal values") {
  CHECK(count(Curve().svg(), "</svg>") == 1);
  Curve one;
  one.add("a", 3, 7);
  CHECK(one.svg().find("<circle cx=\"431.0\" cy=\"234.0\"") != std::string::npos);
  Curve huge;
  huge.add("a", -9e299, 9e299);
  huge.add("a", 9e299, -9e299);
  CHECK(huge.svg().find("inf") == std::string::npos);
  CHECK(huge.svg().find("nan") == std::string::npos);
  // Values that differ by less than f64 can step through must end all the same.
  Curve close;
  close.add("a", 1e17, 1.0);
  close.add("a", 1e17 + 16, 1.0 + 1e-16);
  CHECK(close.svg().size() < 100'000);
}

TEST_CASE("curve: a long series stays small and keeps its peaks") {
  Curve curve;
  for (int i = 0; i < 200'000; ++i) curve.add("a", i, i == 123'456 ? 10.0 : 0.0);
  const std::string svg = curve.svg();
  CHECK(svg.size() < 60'000);
  CHECK(svg.find(",48.0 ") != std::string::npos);
}

TEST_CASE("curve: text is escaped, the legend names every series") {
  Curve curve({.title = "a<b & c"});
  curve.add("x<y", 0, 0);
  curve.add("second", 0, 1);
  const std::string svg = curve.svg();
  CHECK(svg.find("a&lt;b &amp; c") != std::string::npos);
  CHECK(svg.find(">x&lt;y</text>") != std::string::npos);
  CHECK(svg.find(">second</text>") != std::string::npos);
}

TEST_CASE("curve: the file is the chart") {
  const ScratchFolder folder;
  Curve curve;
  curve.add("a", 0, 0.5);
  curve.save(folder / "c.svg");
  CHECK(io::read_file(folder / "c.svg") == curve.svg());
  CHECK(error_id([&] { curve.save(folder / "none/c.svg"); }) == "file/create");
}
