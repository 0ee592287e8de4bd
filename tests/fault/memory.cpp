// Readers take memory of the order of the file, and time that grows with its length, whatever the file holds.

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <functional>

#include "../unit/io/scratch.hpp"
#include "weft/io/csv.hpp"
#include "weft/io/safetensors.hpp"

using namespace weft;

namespace {

// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return 1024 * std::stod(line.substr(line.find(':') + 1));
  return -1;
}

struct Cost {
  double times_size = 0;  // memory at the most, over the length of the file
  double seconds = 0;
  std::string outcome;
};
// What reading costs, in a process of its own.
Cost cost_of(const std::string& bytes, const std::function<void(const std::string&)>& read) {
  const ScratchFolder folder;
  const std::string path = folder / "f";
  io::write_file(path, bytes);
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const double before = status_bytes("VmRSS");
    const auto start = std::chrono::steady_clock::now();
    const std::string id = error_id([&] { read(path); });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const std::string line =
        std::to_string((status_bytes("VmHWM") - before) / static_cast<double>(bytes.size())) + " " +
        std::to_string(took.count()) + " " + id + "\n";
    ::_exit(::write(pipe_ends[1], line.data(), line.size()) > 0 ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  std::string line(200, '\0');
  const ssize_t got = ::read(pipe_ends[0], line.data(), line.size());
  ::close(pipe_ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(got > 0);
  line.resize(static_cast<std::size_t>(got) - 1);
  Cost cost;
  std::size_t at = 0;
  cost.times_size = std::stod(line, &at);
  line.erase(0, at);
  cost.seconds = std::stod(line, &at);
  cost.outcome = line.substr(at + 1);
  return cost;
}

std::string safetensors_of(const std::string& header) {
  const u64 length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header;
}
constexpr std::size_t size = 20'000'000;
std::string filled(std::string text, const std::function<void(std::string&, int)>& more) {
  for (int i = 0; text.size() < size; ++i) more(text, i);
  return text;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr double most = 40;  // sanitizers keep freed memory for a while
#else
constexpr double most = 10;
#endif

void check(const char* what, const std::string& bytes, const std::string& outcome,
           const std::function<void(const std::string&)>& read) {
  const Cost cost = cost_of(bytes, read);
  CAPTURE(what);
  CAPTURE(cost.times_size);
  CAPTURE(cost.seconds);
  CHECK(cost.outcome == outcome);
  CHECK(cost.times_size <= most);
  CHECK(cost.seconds < 30);  // quadratic time would be minutes
}

}  // namespace

TEST_CASE("memory: safetensors headers of nothing but numbers, brackets, names, or empty tensors") {
  const auto read = [](const std::string& path) { io::Safetensors file(path); };
  const auto header = [&](const char* what, const std::string& text, const char* outcome) {
    check(what, safetensors_of(text), std::string("safetensors/") + outcome, read);
  };
  header("numbers", filled("{\"a\":[0", [](std::string& s, int) { s += ",0"; }) + "]}", "bad-header");
  header("a shape", filled("{\"a\":{\"shape\":[0", [](std::string& s, int) { s += ",0"; }) + "]}}",
         "bad-header");
  header("brackets", filled("{\"a\":", [](std::string& s, int) { s += "[[[["; }), "bad-header");
  header("objects", filled("{", [](std::string& s, int) { s += "\"a\":{},"; }), "bad-header");
  header("a name", filled("{\"", [](std::string& s, int) { s += "nnnnnnnn"; }), "bad-json");
  header("escapes", filled("{\"", [](std::string& s, int) { s += "\\u0041"; }), "bad-json");
  header("keys of metadata",
         filled("{\"__metadata__\":{\"\":\"\"",
                [](std::string& s, int i) { s += ",\"" + std::to_string(i) + "\":\"\""; }) +
             "}}",
         "header-too-large");
  check("tensors",
        safetensors_of(filled("{\"__metadata__\":{}",
                              [](std::string& s, int i) {
                                s += ",\"" + std::to_string(i) +
                                     "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
                              }) +
                       "}"),
        "no error", read);
}

TEST_CASE("memory: tables that are all columns, all rows, quotes, or one number") {
  const auto read = [](const std::string& path) {
    const io::CsvTable table = io::read_csv(path);
    REQUIRE(table.take<i64>({table.names()[0]}).size() == static_cast<std::size_t>(table.rows()));
  };
  std::string names = "0", row = "7";
  for (int i = 1; i < 900'000; ++i) names += "," + std::to_string(i), row += ",7";
  check("columns", names + "\n" + row + "\n", "no error", read);
  check("rows", filled("a\n", [](std::string& s, int) { s += "7\n"; }), "no error", read);
  check("large integers", filled("a\n", [](std::string& s, int) { s += "9007199254740993\n"; }), "no error",
        read);
  check("separators", filled("", [](std::string& s, int) { s += ",,,,"; }) + "\n", "csv/too-many-columns",
        read);
  check("line ends", filled("a\n1\n", [](std::string& s, int) { s += "\n\n\n\n"; }) + "1\n",
        "csv/not-a-number", read);
  check("quotes", filled("\"", [](std::string& s, int) { s += "\"\""; }), "csv/quote", read);
  check("digits", filled("a\n1", [](std::string& s, int) { s += "00000000"; }) + "\n", "csv/out-of-range",
        read);
}
