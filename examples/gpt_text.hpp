#pragma once
// The text that the programs with a GPT learn from, and its windows: those that train and those that
// validate.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <weft/weft.hpp>

#ifdef WEFT_SOURCE_DIR
constexpr const char* verse_file = WEFT_SOURCE_DIR "/examples/data/verse.txt";
#else
constexpr const char* verse_file = "examples/data/verse.txt";
#endif

namespace gpt {

using namespace weft;

// [windows]
using Text = std::shared_ptr<const std::string>;

// Windows of a text: `Context` bytes, and as many that follow one byte behind. There are `count`, the first
// at `begin` and each `hop` behind the one before.
template <i64 Context>
auto windows(const Text& text, i64 begin, i64 hop, i64 count) {
  return data::from_function(count, [text, begin, hop](i64 i) {
    std::array<i32, Context> input, target;
    for (i64 k = 0; k < Context; ++k) {
      const auto at = static_cast<std::size_t>(begin + i * hop + k);
      input[static_cast<std::size_t>(k)] = static_cast<u8>((*text)[at]);
      target[static_cast<std::size_t>(k)] = static_cast<u8>((*text)[at + 1]);
    }
    return std::tuple{input, target};
  });
}
// [/windows]

// The first nine tenths train, the last validates.
struct Texts {
  Text text;
  i64 training = 0;  // bytes
};

// Throws the file's errors, and "gpt/short" for a text that has not ten windows.
inline Texts read_text(const std::string& path, i64 context) {
  Texts texts{std::make_shared<const std::string>(io::read_file(path))};
  const i64 bytes = static_cast<i64>(texts.text->size()), fewest = 10 * (context + 1);
  if (bytes < fewest)
    throw Error("gpt/short", "'" + path + "' has " + std::to_string(bytes) +
                                 " bytes; learning and validating take " + std::to_string(fewest));
  texts.training = bytes - bytes / 10;
  return texts;
}

// One begins at every byte that trains, of a text of many million bytes at every hop-th.
template <i64 Context>
auto training_windows(const Texts& texts) {
  const i64 starts = texts.training - Context, hop = 1 + starts / 8'000'000;
  return windows<Context>(texts.text, 0, hop, 1 + (starts - 1) / hop);
}
// At most `most` that do not overlap, spread over their part.
template <i64 Context>
auto validation_windows(const Texts& texts, i64 most = 512) {
  const i64 held_out = static_cast<i64>(texts.text->size()) - texts.training - 1;
  const i64 judges = std::min<i64>(most, held_out / Context);
  return windows<Context>(texts.text, texts.training, held_out / judges, judges);
}

}  // namespace gpt
