// A host application with a stream and an allocator of its own, in plain C++: trains what classifier.cu
// built, keeps the parameters in its arena, and calls the model on its own memory.

#include <algorithm>
#include <cstdio>
#include <vector>
#include <weft/data/digits.hpp>
#include <weft/data/loader.hpp>

#include "classifier.hpp"
#include "quality.hpp"

namespace {

// The application's memory: one block, handed out from the front.
class Arena {
 public:
  explicit Arena(std::size_t bytes)
      : block_(static_cast<std::byte*>(allocate_memory(bytes))), bytes_(bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { free_memory(block_); }

  void* take(std::size_t bytes) {
    const std::size_t at = (used_ + 255) / 256 * 256;
    if (block_ == nullptr || at + bytes > bytes_)
      throw weft::Error("embed/arena", "the application's arena is full");
    used_ = at + bytes;
    return block_ + at;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* block_;
  std::size_t bytes_, used_ = 0;
};

struct Stream {
  void* handle = make_stream();
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { destroy_stream(handle); }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed DIGITS (weft's examples/data/digits.bin)\n");
    return 2;
  }
  const weft::data::Digits digits = weft::data::load_digits(argv[1]);
  const Stream stream;
  Arena arena(1 << 20);

  constexpr int epochs = 20;
  auto loader = weft::data::loader<batch>(digits.train, {.shuffle = true});
  Training training = make_training(stream.handle, epochs * loader.batches());
  float loss = 0;
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [image, label] : loader) loss = training.step(image, label);
  training.save_model("embed.safetensors");

  Classifier classifier("embed.safetensors", stream.handle,
                        arena.take(static_cast<std::size_t>(Classifier::state_bytes())));
  std::vector<float> images;
  std::vector<int> labels;
  for (weft::i64 i = 0; i < static_cast<weft::i64>(digits.test.size()); ++i) {
    const auto [image, label] = digits.test[i];
    images.insert(images.end(), image.data(), image.data() + 64);
    labels.push_back(*label.data());
  }
  const Scores one = classifier.predict(images.data());  // the same call, into a tensor
  std::printf("last loss %.4f; %zu bytes of the arena hold the parameters; first image: a %d?\n",
              static_cast<double>(loss), arena.used(),
              static_cast<int>(std::max_element(one.begin(), one.begin() + 10) - one.begin()));
  std::printf("embed: test accuracy %.3f (%s)\n",
              accuracy(classifier, images.data(), labels.data(), static_cast<weft::i64>(labels.size())),
              device_name());
  return 0;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "embed: %s\n", error.what());
  return 1;
}
