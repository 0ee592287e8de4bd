#pragma once
// One line that tells how training goes, such as
//   epoch 3/20  [#########...........]  45%  loss 0.1234  12.3k samples/s  ETA 0:12
// Law: it never exceeds 79 columns, and the loss is read (which waits for the device) only when a line is
// due.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "weft/core/clock.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::train {

using weft::steady_seconds;

struct ProgressOptions {
  i64 epochs = 1;                                                   // in all
  i64 batches = 1;                                                  // in an epoch
  i64 batch_size = 1;                                               // samples in a batch
  std::FILE* stream = stderr;                                       // where lines go
  enum class Mode { detect, terminal, plain } mode = Mode::detect;  // detect asks isatty
  f64 terminal_interval = 0.1;                                      // seconds between updates of the line
  f64 plain_interval = 30;          // seconds between lines when the output is no terminal
  f64 (*clock)() = steady_seconds;  // seconds since some moment
};

class Progress {
 public:
  explicit Progress(const ProgressOptions& options) : options_(options) {
    using Mode = ProgressOptions::Mode;
    terminal_ = options.mode == Mode::terminal ||
                (options.mode == Mode::detect && ::isatty(::fileno(options.stream)) == 1);
    start_ = last_ = options_.clock();
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  // After `done` batches of epoch `epoch` (from 0). `loss` is anything that converts to a number, such as the
  // handle that a training step returns. A line appears when one is due and at the end of every epoch.
  template <class Loss>
  void update(i64 epoch, i64 done, const Loss& loss) {
    const f64 now = options_.clock();
    const i64 batches = epoch * options_.batches + done;
    if (first_batch_ < 0) first_batch_ = batches - 1;  // a resumed run starts in the middle
    const bool epoch_end = done >= options_.batches;
    if (!epoch_end && now - last_ < (terminal_ ? options_.terminal_interval : options_.plain_interval))
      return;
    last_ = now;
    const std::string text = line(epoch, done, static_cast<f64>(loss), batches - first_batch_, now - start_);
    // \r returns to the start of the line, \033[K clears what a longer line left there.
    if (terminal_)
      std::fprintf(options_.stream, "\r%s\033[K", text.c_str());
    else
      std::fprintf(options_.stream, "%s\n", text.c_str());
    std::fflush(options_.stream);
    open_ = terminal_;
  }

  // Leaves the last line standing.
  void finish() {
    if (!open_) return;
    std::fputc('\n', options_.stream);
    std::fflush(options_.stream);
    open_ = false;
  }

 private:
  static constexpr std::size_t columns = 79;

  template <class... Args>
  static std::string print(const char* format, Args... args) {
    char text[64];
    const int length = std::snprintf(text, sizeof text, format, args...);
    return {text, static_cast<std::size_t>(length < 63 ? length : 63)};
  }

  // Three significant digits with a unit: 987, 12.3k, 4.56M.
  static std::string compact(f64 value) {
    const char* unit = "";
    for (const char* larger : {"k", "M", "G"}) {
      if (value < 999.5) break;
      value /= 1000;
      unit = larger;
    }
    const int decimals = unit[0] == '\0' || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return print("%.*f%s", decimals, value, unit);
  }

  static std::string duration(f64 seconds) {
    if (!(seconds < 1e9)) return "?";
    const long long s = std::llround(seconds);
    return s < 3600 ? print("%lld:%02lld", s / 60, s % 60)
                    : print("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  }

  // `covered` batches took `elapsed` seconds.
  std::string line(i64 epoch, i64 done, f64 loss, i64 covered, f64 elapsed) const {
    const f64 part = options_.batches > 0 ? static_cast<f64>(done) / static_cast<f64>(options_.batches) : 1.0;
    const f64 rate = elapsed > 0 ? static_cast<f64>(covered) / elapsed : 0.0;
    const f64 left = static_cast<f64>(options_.epochs * options_.batches - epoch * options_.batches - done);
    const std::string head =
        "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(options_.epochs) + "  ";
    std::string tail = print(" %3d%%  loss %.4g", static_cast<int>(part * 100), loss);
    tail += "  " + compact(rate * static_cast<f64>(options_.batch_size)) + " samples/s";
    tail += "  ETA " + (rate > 0 ? duration(left / rate) : std::string("?"));
    std::string bar;
    if (head.size() + tail.size() + 6 <= columns) {  // brackets and four cells at the least
      const std::size_t room = columns - head.size() - tail.size() - 2, width = room < 20 ? room : 20;
      const std::size_t full = static_cast<std::size_t>(part * static_cast<f64>(width));
      bar = "[" + std::string(full < width ? full : width, '#') +
            std::string(full < width ? width - full : 0, '.') + "]";
    }
    return (head + bar + tail).substr(0, columns);
  }

  ProgressOptions options_;
  bool terminal_ = false, open_ = false;
  i64 first_batch_ = -1;
  f64 start_ = 0, last_ = 0;
};

}  // namespace WEFT_NAMESPACE::train
