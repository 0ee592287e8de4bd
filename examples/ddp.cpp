// Data parallelism: a classifier of digits, or a small GPT, trained by as many ranks as mpirun starts, each
// on batches of its own. The same program runs alone: it is rank 0 of 1 then.
//
//   mpirun -n 2 build/examples/examples/ddp --what gpt   (./weft example ddp builds it)

#include <cstdio>
#include <optional>
#include <string>
#include <weft/mpi.hpp>
#include <weft/weft.hpp>

#include "digits.hpp"
#include "gpt.hpp"
#include "gpt_text.hpp"
#include "options.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: ddp [OPTIONS], or mpirun -n RANKS ddp [OPTIONS]\n"
    "  --what NAME        what is trained, digits or gpt (default: digits)\n"
    "  --data FILE        the digits, or a text, on every rank (default: those of\n"
    "                     examples/data)\n"
    "  --steps N          updates, those before --resume included; the learning rate\n"
    "                     falls to 0 on the last (default: 600)\n"
    "  --stop N           ends training at this update, to be resumed\n"
    "  --every N          updates between tests over all ranks, each of which writes\n"
    "                     the checkpoint (default: 100)\n"
    "  --accumulate N     batches of each rank before an update, 1 or 2 (default: 1)\n"
    "  --lr X             the highest learning rate (default: 0.003)\n"
    "  --checkpoint FILE  is written by rank 0 (default: none)\n"
    "  --resume FILE      goes on from a checkpoint of as many ranks, each of which\n"
    "                     reads it\n"
    "  --save FILE        where rank 0 writes the parameters (default:\n"
    "                     ddp.safetensors)\n"
    "  --seed N           of starting values, dropout and order, which a checkpoint\n"
    "                     has of its own (default: 0)\n"
    "  --threads N        of each rank (default: 1)\n";

struct Settings {
  i64 steps = 0, stop = 0, every = 0;
  int gathered = 1, threads = 1;
  f64 lr = 0;
  u64 seed = 0;
  std::string checkpoint, resume, save;
};

Settings read_settings(const Options& options) {
  const int most = 1'000'000'000;
  Settings s;
  s.steps = options.number("steps", 600, 1, most);
  s.stop = std::min<i64>(s.steps, options.number("stop", most, 0, most));
  s.every = options.number("every", 100, 1, most);
  s.gathered = options.number("accumulate", 1, 1, 2);
  s.lr = options.real("lr", 3e-3, 0, 1000);
  s.checkpoint = options.text("checkpoint", "");
  s.resume = options.text("resume", "");
  s.save = options.text("save", "ddp.safetensors");
  s.seed = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  s.threads = options.number("threads", 1, 1, 4096);
  return s;
}

auto rate_of(const Settings& settings) {
  return schedule::warmup_cosine(static_cast<f32>(settings.lr), settings.steps / 20, settings.steps);
}

struct Mlp {
  nn::Linear<64, 256> fc1;
  nn::Dropout drop{.p = 0.3f};
  nn::Linear<256, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

// What is trained: samples, the trainer of a rank, and a figure that all ranks find together.
struct DigitsTask {
  static constexpr i64 batch = 32,
                       units = 1;  // samples of a batch; of a sample, what the closing line counts
  static constexpr const char *unit = "samples", *figure = "test accuracy";
  data::Digits digits;

  explicit DigitsTask(const Options& options)
      : digits(data::load_digits(options.text("data", digits_file))) {}
  const auto& training() const { return digits.train; }

  // [trainer]
  template <int Gathered>
  auto trainer(const Settings& settings) const {
    return make_trainer<Mlp>(
        Cpu{settings.threads}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); },
        in<f32, batch, 64>, in<i32, batch>,  // the batch of one rank
        optim::AdamW{.lr = rate_of(settings), .weight_decay = 0.01f}, seed{settings.seed},
        accumulate<Gathered>, comm::ddp<comm::Mpi>);
  }
  // [/trainer]
  // [judge]
  f64 judge(auto& trainer) const {  // of all the digits, on every rank the same number
    return trainer.evaluate([](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, digits.test);
  }
  // [/judge]
};

struct GptTask {
  static constexpr gpt::Sizes sizes{};
  static constexpr i64 batch = 8, context = sizes.context, units = context;
  static constexpr const char *unit = "tokens", *figure = "validation loss";
  gpt::Texts texts;

  explicit GptTask(const Options& options)
      : texts(gpt::read_text(options.text("data", verse_file), context)) {}
  auto training() const { return gpt::training_windows<context>(texts); }

  template <int Gathered>
  auto trainer(const Settings& settings) const {
    return make_trainer<gpt::Gpt<sizes>>(
        Cpu{settings.threads},
        [](const auto& m, auto text, auto next) { return cross_entropy(m(text), next); },
        in<i32, batch, context>, in<i32, batch, context>,
        optim::groups(optim::no_decay(optim::is_vector),
                      optim::AdamW{.lr = rate_of(settings), .weight_decay = 0.1f}),
        clip::norm(1.0f), seed{settings.seed}, accumulate<Gathered>, comm::ddp<comm::Mpi>);
  }
  f64 judge(auto& trainer) const { return trainer.evaluate(gpt::validation_windows<context>(texts, 64)); }
};

template <int Gathered, class Task>
void train_task(const Task& task, const comm::Mpi& world, const Settings& settings) {
  constexpr i64 batch = Task::batch;
  // [loader]
  data::LoaderOptions order{.shuffle = true, .rank = world.rank(), .ranks = world.size()};
  if (settings.resume.empty()) order.seed = settings.seed;  // a checkpoint has its own
  auto loader = data::loader<batch>(task.training(), order);
  // [/loader]
  auto trainer = task.template trainer<Gathered>(settings);
  if (!settings.resume.empty()) trainer.load(settings.resume, loader);

  const bool speaks = world.rank() == 0;
  std::optional<train::Progress> progress;
  if (speaks)
    progress.emplace(
        train::ProgressOptions{.batches = settings.steps * Gathered, .batch_size = batch * world.size()});
  const i64 first = trainer.steps(),
            last = settings.stop * Gathered;  // calls, of which Gathered are an update
  f64 seconds = 0, start = train::steady_seconds(), found = 0;
  if (first >= last) found = task.judge(trainer);
  // [loop]
  while (trainer.steps() < last)
    for (auto& [x, y] : loader) {
      const StepLoss loss = trainer.step(x, y);  // of this rank's batch
      const i64 calls = trainer.steps();
      if (speaks) progress->update(0, calls, loss);
      if (calls % (settings.every * Gathered) == 0 || calls == last) {
        seconds += train::steady_seconds() - start;
        found = task.judge(trainer);                                                  // all ranks together,
        if (!settings.checkpoint.empty()) trainer.save(settings.checkpoint, loader);  // which rank 0 writes
        if (speaks) {
          progress->finish();
          std::printf("step %lld: %s %.4f\n", static_cast<long long>(calls / Gathered), Task::figure, found);
          std::fflush(stdout);
        }
        start = train::steady_seconds();
      }
      if (calls == last) break;
    }
  // [/loop]
  if (!speaks) return;
  progress->finish();
  trainer.model().save(settings.save);
  const f64 done = static_cast<f64>((trainer.steps() - first) * batch * Task::units * world.size());
  std::printf("ddp: %s %.4f, %.0f %s/s (ranks: %d, threads of each: %d)\n", Task::figure, found,
              seconds > 0 ? done / seconds : 0, Task::unit, world.size(), settings.threads);
}

template <class Task>
void run(const Options& options, const comm::Mpi& world, const Settings& settings) {
  const Task task(options);
  if (settings.gathered == 1)
    train_task<1>(task, world, settings);
  else
    train_task<2>(task, world, settings);
}

int main(int argc, char** argv) {
  const Options options(argc, argv, usage);
  const Settings settings = read_settings(options);
  const std::string what = options.text("what", "digits");
  if (what != "digits" && what != "gpt") options.fail("--what takes digits or gpt, not '" + what + "'");
  int rank = 0, ranks = 1;
  // [failure]
  try {
    const comm::Mpi world;
    rank = world.rank(), ranks = world.size();
    if (what == "digits")
      run<DigitsTask>(options, world, settings);
    else
      run<GptTask>(options, world, settings);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "ddp: rank %d: %s\n", rank, error.what());
    if (ranks > 1) comm::Mpi().abort();  // the others may wait for this rank
    return 1;
  }
  // [/failure]
}
