#include "weft/io/csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "scratch.hpp"
#include "weft/io/file.hpp"

using namespace weft::io;
using weft::f32;
using weft::f64;
using weft::i32;
using weft::i64;
using weft::i8;
using weft::u64;
using weft::u8;

static std::string id(const char* text, const CsvOptions& options = {}) {
  return error_id([&] { parse_csv(text, options); });
}
static std::string said(const char* text, const CsvOptions& options = {}) {
  return error_text([&] { parse_csv(text, options, "t.csv"); });
}

TEST_CASE("csv: a plain table") {
  const CsvTable table = parse_csv("x,y\n1,2.5\n-3e2, +4 \n");
  CHECK(table.rows() == 2);
  CHECK(table.names() == std::vector<std::string>{"x", "y"});
  CHECK(table.column("x") == std::vector<f64>{1, -300});
  CHECK(table.column("y") == std::vector<f64>{2.5, 4});
}

TEST_CASE("csv: quotes, CRLF, byte order mark, separators and no newline at the end") {
  const CsvTable table =
      parse_csv("\xEF\xBB\xBF\"a \"\"1\"\"\";\"b\r\nc\"\r\n\"1.5\";2\r\n3;4", {.separator = ';'});
  CHECK(table.names() == std::vector<std::string>{"a \"1\"", "b\r\nc"});
  CHECK(table.column("a \"1\"") == std::vector<f64>{1.5, 3});
  CHECK(parse_csv("a\tb\n1\t2\n", {.separator = '\t'}).column("b") == std::vector<f64>{2});
  CHECK(parse_csv("1,2\n3,4\n\n\n", {.header = false}).column("1") == std::vector<f64>{2, 4});
}

TEST_CASE("csv: chosen columns, the others may hold text") {
  const CsvTable table = parse_csv("id,x,name,y\n1,10,ann,20\n2,30,,40\n", {.columns = {"y", "x"}});
  CHECK(table.names() == std::vector<std::string>{"y", "x"});
  CHECK(table.take<f32>({"x", "y"}) == std::vector<f32>{10, 20, 30, 40});
  CHECK(table.take<i32>({"y"}) == std::vector<i32>{20, 40});
}

TEST_CASE("csv: mistakes name the line and the column") {
  CHECK(said("a,b\n1,2\n3,x\n") == "csv/not-a-number: 't.csv', line 3: column 'b': 'x' is not a number");
  CHECK(said("a,b\n1,2\n3\n") == "csv/ragged: 't.csv', line 3: 1 fields where the first line has 2");
  CHECK(said("a,b\n1,2\n", {.columns = {"c"}}) ==
        "csv/missing-column: 't.csv' has no column 'c'; its columns are 'a', 'b'");
  CHECK(error_text([] { parse_csv("a,b\n1,2\n", {}, "t.csv").column("c"); }) ==
        "csv/missing-column: 't.csv' has no column 'c'; its columns are 'a', 'b'");
  // A quoted line end counts as a line.
  CHECK(said("\"a\nb\"\n1\n?\n") == "csv/not-a-number: 't.csv', line 4: column 'a\nb': '?' is not a number");
}

TEST_CASE("csv: every kind of bad input") {
  CHECK(id("") == "csv/empty");
  CHECK(id("\n\n") == "csv/empty");
  CHECK(id("a,b\n") == "csv/empty");
  CHECK(id("a,a\n1,2\n") == "csv/duplicate-column");
  CHECK(id("a\n1\n", {.columns = {"a", "a"}}) == "csv/duplicate-column");
  for (const char* bad : {"a\nx\n", "a\n1x\n", "a\n1 2\n", "a\n0x10\n", "a\n--1\n", "a\n+-1\n", "a\n+\n",
                          "a,b\n,1\n", "a,b\n1,\n", "a,b\n1,", "a\n\n1\n", "a\n1\r2\n"}) {
    CAPTURE(bad);
    CHECK(id(bad) == "csv/not-a-number");
  }
  for (const char* bad : {"a\nnan\n", "a\ninf\n", "a\n-Infinity\n", "a\nNaN\n"})
    CHECK(id(bad) == "csv/not-finite");
  CHECK(id("a\n1e999\n") == "csv/out-of-range");
  CHECK(id("a\n1,2\n") == "csv/ragged");
  CHECK(id("a,b\n1,2\n\n3,4\n", {.columns = {"b"}}) == "csv/ragged");
  CHECK(id("a\n\"1\n") == "csv/quote");
  CHECK(id("a\n\"1\"2\n") == "csv/quote");
  CHECK(id("a\n1\"2\"\n") == "csv/quote");
  CHECK(id("a\n1\n", {.separator = '"'}) == "csv/separator");
  CHECK(error_id([] { read_csv("/no/such/file.csv"); }) == "file/open");
}

TEST_CASE("csv: what is missing becomes what the option says") {
  const char* const text = "a,b,c\n1,,NA\n nan ,2,\nnull,N/A,3\n";
  const CsvTable table = parse_csv(text, {.missing = -1.0});
  CHECK(table.take<f32>({"a", "b", "c"}) == std::vector<f32>{1, -1, -1, -1, 2, -1, -1, -1, 3});
  CHECK(table.take<i64>({"b"}) == std::vector<i64>{-1, 2, -1});
  const CsvTable unknown = parse_csv(text, {.missing = std::numeric_limits<f64>::quiet_NaN()});
  CHECK(std::isnan(unknown.column("b")[0]));
  CHECK(unknown.take<f32>({"b"})[1] == 2);
  CHECK(std::isnan(unknown.take<f32>({"b"})[2]));
  CHECK(error_id([&] { unknown.take<i32>({"b"}); }) == "csv/not-an-integer");
  CHECK(said(text) ==
        "csv/not-a-number: 't.csv', line 2: column 'b': '' is not a number: {.missing = NAN}, or a number, "
        "takes it "
        "as missing");
  CHECK(id("a\nnan\n") == "csv/not-finite");
  CHECK(id("a\nnone of these\n", {.missing = 0.0}) == "csv/not-a-number");
  CHECK(id("a,b\n1\n", {.missing = 0.0}) == "csv/ragged");
}

TEST_CASE("csv: a number that the asked type does not hold is refused") {
  const CsvTable table = parse_csv("big,half,byte,minus\n1e300,0.5,255,-128\n");
  CHECK(error_id([&] { table.take<f32>({"big"}); }) == "csv/out-of-range");
  CHECK(error_id([&] { table.take<i32>({"half"}); }) == "csv/not-an-integer");
  CHECK(error_id([&] { table.take<i32>({"big"}); }) == "csv/out-of-range");
  CHECK(table.take<u8>({"byte"}) == std::vector<u8>{255});
  CHECK(error_id([&] { table.take<i8>({"byte"}); }) == "csv/out-of-range");
  CHECK(table.take<i8>({"minus"}) == std::vector<i8>{-128});
  CHECK(error_id([&] { table.take<u8>({"minus"}); }) == "csv/out-of-range");
}

TEST_CASE("csv: integers are exact, whatever f64 makes of them") {
  const auto one = [](const char* number) { return parse_csv(std::string("a\n") + number + "\n"); };
  // 2^53 + 1 and the ends of 64 bits; the same in other spellings.
  for (const char* same : {"9007199254740993", "9007199254740993.0", "9.007199254740993e15",
                           "90071992547409930e-1", "0009007199254740993", "+9007199254740993"}) {
    CAPTURE(same);
    CHECK(one(same).take<i64>({"a"}) == std::vector<i64>{9007199254740993});
    CHECK(one(same).column("a")[0] == 9007199254740992.0);  // the nearest f64
  }
  CHECK(one("-9007199254740993").take<i64>({"a"}) == std::vector<i64>{-9007199254740993});
  CHECK(one("9223372036854775807").take<i64>({"a"}) == std::vector<i64>{INT64_MAX});
  CHECK(one("-9223372036854775807").take<i64>({"a"}) == std::vector<i64>{-INT64_MAX});
  CHECK(one("-9223372036854775808").take<i64>({"a"}) == std::vector<i64>{INT64_MIN});
  CHECK(one("18446744073709551615").take<u64>({"a"}) == std::vector<u64>{UINT64_MAX});
  CHECK(one("1e18").take<i64>({"a"}) == std::vector<i64>{1'000'000'000'000'000'000});
  const auto id = [&](const char* number) { return error_id([&] { one(number).take<i64>({"a"}); }); };
  CHECK(id("9223372036854775808") == "csv/out-of-range");
  CHECK(id("-9223372036854775809") == "csv/out-of-range");
  CHECK(id("18446744073709551616") == "csv/out-of-range");
  CHECK(error_id([&] { one("-1").take<u64>({"a"}); }) == "csv/out-of-range");
  CHECK(error_id([&] { one("-9007199254740993").take<u64>({"a"}); }) == "csv/out-of-range");
  // fractions that f64 rounds to integers
  CHECK(id("9007199254740993.5") == "csv/not-an-integer");
  CHECK(id("0.99999999999999999999") == "csv/not-an-integer");
  CHECK(id("1e-400") == "csv/not-an-integer");
  CHECK(id("0e999999999999999999999") == "no error");
  // each in its own place
  const CsvTable table = parse_csv("a,b\n1,9007199254740993\n9007199254740995,2\n3,9007199254740997\n");
  CHECK(table.take<i64>({"b", "a"}) ==
        std::vector<i64>{9007199254740993, 1, 2, 9007199254740995, 9007199254740997, 3});
}

TEST_CASE("csv: what is too small for f64 is 0, what is too large is refused") {
  const auto value = [](const std::string& number) {
    return parse_csv("a\n" + number + "\n").column("a")[0];
  };
  CHECK(value("1e-310") == 1e-310);
  CHECK(value("4.9e-324") == 4.9e-324);
  for (const std::string& tiny :
       {std::string("1e-400"), std::string("1e-99999999999999999999"), std::string("2e-324"),
        "0." + std::string(400, '0') + "1", "1" + std::string(10, '0') + "e-500"}) {
    CAPTURE(tiny);
    CHECK(value(tiny) == 0);
    CHECK_FALSE(std::signbit(value(tiny)));
    CHECK(std::signbit(value("-" + tiny)));
  }
  CHECK(value("0e400") == 0);
  for (const std::string& huge : {std::string("1e400"), std::string("-1e99999999999999999999"),
                                  "0." + std::string(400, '0') + "1e900", std::string(400, '9')}) {
    CAPTURE(huge);
    CHECK(error_id([&] { value(huge); }) == "csv/out-of-range");
  }
}

TEST_CASE("csv: a hundred thousand columns, and a limit") {
  std::string names = "0", row = "7";
  for (int c = 1; c < 100'000; ++c) names += "," + std::to_string(c), row += ",7";
  const CsvTable table = parse_csv(names + "\n" + row + "\n");
  CHECK(table.names().size() == 100'000);
  CHECK(table.column("99999") == std::vector<f64>{7});
  CHECK(table.take<i32>(table.names()) == std::vector<i32>(100'000, 7));
  CHECK(error_id([&] { parse_csv(names + ",5\n" + row + ",7\n"); }) == "csv/duplicate-column");
  const std::string text = error_text([&] { table.column("x"); });
  CHECK(text.size() < 300);
  CHECK(text.ends_with("'19' and 99980 more"));
  CHECK(error_id([] { parse_csv(std::string(1'000'000, ',') + "\n"); }) == "csv/too-many-columns");
}

TEST_CASE("csv: from a file") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "a\n1\n2\n");
  CHECK(read_csv(folder / "t.csv").column("a") == std::vector<f64>{1, 2});
  write_file(folder / "t.csv", "");
  CHECK(error_id([&] { read_csv(folder / "t.csv"); }) == "csv/empty");
}
