#include "weft/train/progress.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace weft;
using train::Progress;
using train::ProgressOptions;

static f64 now = 0;

// Everything that `use` makes a Progress with these options print.
template <class Use>
static std::string printed(ProgressOptions options, Use use) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  options.stream = file;
  options.clock = [] { return now; };
  now = 0;
  {
    Progress progress(options);
    use(progress);
  }
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}
// A loss that counts how often it is read.
struct Handle {
  int* reads;
  explicit operator f64() const { return ++*reads, 0.123412; }
};

TEST_CASE("progress: the line on a terminal") {
  const auto text =
      printed({.epochs = 20, .batches = 100, .batch_size = 128, .mode = ProgressOptions::Mode::terminal},
              [](Progress& progress) {
                now = 2.55;
                progress.update(2, 45, 0.12344);  // the first of this run: one batch in 2.55 s
              });
  // One batch of 128 in 2.55 s is 50.2 samples/s; 20 * 100 - 245 batches are left: 4475.25 s.
  CHECK(text == "\repoch 3/20  [#########...........]  45%  loss 0.1234  50 samples/s  ETA 1:14:35\033[K\n");
}

TEST_CASE("progress: speed and time left count this run alone") {
  const auto text =
      printed({.epochs = 4, .batches = 50, .batch_size = 1000, .plain_interval = 4}, [](Progress& progress) {
        for (i64 batch = 21; batch <= 40; ++batch) {
          now += 0.25;
          progress.update(1, batch, 1.5);
        }
      });
  // 4 batches/s. Lines after 16 batches, at 36 of 50: 114 batches are left.
  CHECK(text == "epoch 2/4  [##############......]  72%  loss 1.5  4.00k samples/s  ETA 0:29\n");
}

TEST_CASE("progress: lines and reads of the loss are rare") {
  int reads = 0;
  const auto use = [&](Progress& progress) {
    for (i64 epoch = 0; epoch < 2; ++epoch)
      for (i64 batch = 1; batch <= 1000; ++batch) {
        now += 0.01;
        progress.update(epoch, batch, Handle{&reads});
      }
  };
  const auto plain = printed({.epochs = 2, .batches = 1000}, use);
  CHECK(std::count(plain.begin(), plain.end(), '\n') == 2);  // 10 s an epoch: one line each
  CHECK(plain.find('\r') == std::string::npos);
  CHECK(plain.find('\033') == std::string::npos);
  CHECK(reads == 2);
  reads = 0;
  const auto terminal = printed({.epochs = 2, .batches = 1000, .mode = ProgressOptions::Mode::terminal}, use);
  CHECK(std::count(terminal.begin(), terminal.end(), '\r') == reads);
  CHECK(reads > 150);
  CHECK(reads <= 202);  // 20 s at ten a second, and the ends of the epochs
  CHECK(std::count(terminal.begin(), terminal.end(), '\n') == 1);
}

TEST_CASE("progress: never wider than 79 columns") {
  for (const i64 epochs : {i64{1}, i64{1'000'000}, i64{1} << 50})
    for (const f64 loss : {0.1, -1.234e-300, 1.0 / 0.0, 0.0 / 0.0})
      for (const f64 seconds : {0.0, 1e-9, 1.0, 1e7}) {
        const auto text =
            printed({.epochs = epochs, .batches = 1000, .batch_size = 4096}, [&](Progress& progress) {
              now = seconds;
              progress.update(epochs - 1, 1000, loss);
            });
        CAPTURE(text);
        CHECK(text.size() <= 80);  // with its newline
        CHECK(text.find("100%") != std::string::npos);
      }
}

TEST_CASE("progress: no terminal is found behind a file") {
  CHECK(printed({}, [](Progress& progress) { progress.update(0, 1, 1.0); }).find('\r') == std::string::npos);
}
