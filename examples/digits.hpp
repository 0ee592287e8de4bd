#pragma once
// What the programs on handwritten digits share: where the digits are, how a classifier of them is tested,
// and a `main` that chooses the device and prints the closing line.

#include <cstdio>
#include <string>
#include <weft/weft.hpp>

#include "chosen_device.hpp"
#include "options.hpp"

#ifdef WEFT_SOURCE_DIR
constexpr const char* digits_file = WEFT_SOURCE_DIR "/examples/data/digits.bin";
#else
constexpr const char* digits_file = "examples/data/digits.bin";
#endif

// What a program found, such as "test accuracy 0.981", and the seconds that training took.
struct Finding {
  std::string figure;
  double seconds = 0;
};

// "label value", the value with some decimals.
inline std::string figure(const char* label, double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%s %.*f", label, decimals, value);
  return text;
}

// How often `classify`, compiled for batches of this size, names the class of a digit.
template <weft::i64 Batch>
double accuracy(auto& classify, const auto& digits) {
  weft::Tensor<weft::i64, weft::Shape<Batch>> predicted;
  weft::i64 correct = 0, tested = 0;
  for (auto& part : weft::data::loader<Batch>(digits, {.last = weft::data::pad_and_mask})) {
    auto& [image, label] = part;
    classify.into(predicted)(image);
    for (weft::i64 i = 0; i < part.valid(); ++i) correct += predicted[i] == label[i];
    tested += part.valid();
  }
  return static_cast<double>(correct) / static_cast<double>(tested);
}

// Reads the options and the digits, runs run(device, digits, options) on the best device, and prints its
// finding. The exit status of the program `name`.
int run_on_digits(const char* name, const char* usage, int argc, char** argv, auto run) try {
  const Options options(argc, argv, usage);
  const weft::data::Digits digits = weft::data::load_digits(options.text("data", digits_file));
  std::string place;
  const Finding finding = on_chosen_device(options, [&](const auto& device, const std::string& chosen) {
    place = chosen;
    return run(device, digits, options);
  });
  std::printf("%s: %s in %.2f s (%s)\n", name, finding.figure.c_str(), finding.seconds, place.c_str());
  return 0;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "%s: %s\n", name, error.what());
  return 1;
}
