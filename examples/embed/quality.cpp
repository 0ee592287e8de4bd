// Plain C++: calls on raw pointers what classifier.cu built.

#include "quality.hpp"

#include <algorithm>
#include <array>

double accuracy(Classifier& classifier, const float* images, const int* labels, weft::i64 count) {
  std::array<float, batch * 64> padded{};
  std::array<float, batch * 10> scores;
  weft::i64 correct = 0;
  for (weft::i64 first = 0; first < count; first += batch) {
    const weft::i64 rows = std::min(batch, count - first);
    const float* input = images + first * 64;
    if (rows < batch) {  // the model always reads a whole batch
      std::copy_n(input, rows * 64, padded.begin());
      input = padded.data();
    }
    classifier.predict.into(scores)(input);
    for (weft::i64 i = 0; i < rows; ++i) {
      const auto row = scores.begin() + i * 10;
      correct += std::max_element(row, row + 10) - row == labels[first + i];
    }
  }
  return static_cast<double>(correct) / static_cast<double>(count);
}
