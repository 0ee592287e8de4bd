#pragma once
// Command lines of the form --name value for the examples. Every word must be one that the program asked for;
// anything else, a missing value, or a number that is none ends the program with a sentence.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

class Options {
 public:
  // `usage` is printed for --help and after a mistake; it names every option as "--name".
  Options(int argc, char** argv, std::string usage) : program_(name_of(argv[0])), usage_(std::move(usage)) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--help" || word == "-h") {
        std::fputs(usage_.c_str(), stdout);
        std::exit(0);
      }
      if (word.rfind("--", 0) != 0) fail("'" + word + "' is not an option");
      if (!known(word)) fail("there is no option " + word);
      if (i + 1 == argc) fail(word + " needs a value");
      given_.push_back({word.substr(2), argv[++i]});
    }
  }

  // The last value of an option, or `otherwise`.
  std::string text(std::string_view name, std::string otherwise) const {
    for (const Given& given : given_)
      if (given.name == name) otherwise = given.value;
    return otherwise;
  }
  // All values of an option that may be repeated.
  std::vector<std::string> all(std::string_view name) const {
    std::vector<std::string> values;
    for (const Given& given : given_)
      if (given.name == name) values.push_back(given.value);
    return values;
  }
  // A whole number in [least, most].
  int number(std::string_view name, int otherwise, int least, int most) const {
    const std::string value = text(name, std::to_string(otherwise));
    int result = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), result);
    if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size() || result < least ||
        result > most)
      fail("--" + std::string(name) + " takes a whole number from " + std::to_string(least) + " to " +
           std::to_string(most) + ", not '" + value + "'");
    return result;
  }
  // A decimal number in [least, most].
  double real(std::string_view name, double otherwise, double least, double most) const {
    const std::string value = text(name, "");
    if (all(name).empty()) return otherwise;
    double result = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), result);
    if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size() ||
        !(result >= least && result <= most)) {
      char range[80];
      std::snprintf(range, sizeof range, " takes a number from %g to %g, not '", least, most);
      fail("--" + std::string(name) + range + value + "'");
    }
    return result;
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::fprintf(stderr, "%s: %s\n\n%s", program_.c_str(), why.c_str(), usage_.c_str());
    std::exit(2);
  }

 private:
  struct Given {
    std::string name, value;
  };
  static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  bool known(const std::string& word) const {
    const std::size_t at = usage_.find(word + " ");
    return at != std::string::npos && usage_[at - 1] == ' ';
  }

  std::string program_, usage_;
  std::vector<Given> given_;
};
