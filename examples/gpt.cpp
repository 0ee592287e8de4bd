// A small GPT on the bytes of a text: trains it, keeps the best of its checkpoints, draws both losses, and
// has the best one go on with a prompt, token by token, through a cache of keys and values.

#include "gpt.hpp"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include "chosen_device.hpp"
#include "gpt_text.hpp"
#include "options.hpp"

using namespace weft;

constexpr const char* usage =
    "usage: gpt [OPTIONS]\n"
    "Training\n"
    "  --data FILE      the text; the last tenth of it validates\n"
    "                   (default: examples/data/verse.txt)\n"
    "  --steps N        of training, those before --resume included; the learning\n"
    "                   rate falls to 0 on the last (default: 600)\n"
    "  --stop N         ends training at this step of them, to be resumed\n"
    "  --every N        steps between validations, each of which saves\n"
    "                   gpt_last.safetensors, and gpt_best.safetensors where no\n"
    "                   loss was less (default: 100)\n"
    "  --resume FILE    goes on from a checkpoint, and counts a gpt_best.safetensors\n"
    "                   beside it among its own; with --steps 0 only samples\n"
    "  --out FOLDER     where the checkpoints and gpt.svg go (default: here)\n"
    "  --seed N         of starting values, dropout, order (a checkpoint has its\n"
    "                   own) and samples (default: 0)\n"
    "  --threads N      of the CPU; 0 is OpenMP's choice (default: 0)\n"
    "Sampling, from the best checkpoint\n"
    "  --prompt TEXT    what the samples go on with; the model sees its last 128\n"
    "                   bytes, of an empty one a newline (default: empty)\n"
    "  --tokens N       bytes to sample (default: 500). Where prompt and samples\n"
    "                   fill the context of 128, its second half is read again\n"
    "  --temperature X  divides the logits; 0 takes the likeliest byte (default: 0.8)\n"
    "  --top-k N        samples the N likeliest bytes; 0 all (default: 0)\n"
    "  --top-p X        samples the likeliest bytes, as few as have this probability\n"
    "                   together; 1 all, 0 the likeliest (default: 1)\n"
    "Control characters among the samples are shown as '?'.\n";

constexpr gpt::Sizes sizes;
constexpr i64 context = sizes.context, batch = 32;
using Network = gpt::Gpt<sizes>;

struct Settings {
  i64 steps = 0, stop = 0, every = 0, tokens = 0;
  u64 seed = 0;
  std::string data, resume, out, prompt;
  gpt::Sampling sampling;
};

Settings read_settings(const Options& options) {
  const int most = 1'000'000'000;
  Settings s;
  s.steps = options.number("steps", 600, 0, most);
  s.stop = std::min<i64>(s.steps, options.number("stop", most, 0, most));
  s.every = options.number("every", 100, 1, most);
  s.tokens = options.number("tokens", 500, 0, most);
  s.seed = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  s.data = options.text("data", verse_file);
  s.resume = options.text("resume", "");
  s.out = options.text("out", ".");
  s.prompt = options.text("prompt", "");
  if (s.prompt.empty()) s.prompt = "\n";
  s.sampling = {options.real("temperature", 0.8, 0, 1000), options.number("top-k", 0, 0, sizes.vocabulary),
                options.real("top-p", 1, 0, 1)};
  return s;
}

// Tokens a second; 0 where there were none.
struct Finding {
  f64 validation = 0, training = 0, sampling = 0;
};

// The least validation loss so far, and the checkpoint of it.
struct Best {
  f64 loss = std::numeric_limits<f64>::infinity();
  std::string file;

  // Whether a loss is less than all before, and so it and its checkpoint count from now on.
  bool take(f64 other, const std::string& path) {
    if (!(other < loss)) return false;
    loss = other, file = path;
    return true;
  }
};

// Prints the prompt, and each byte that `next` gives behind it as it comes. Sampled bytes a second.
template <class Next>
f64 sample(Next next, const Settings& settings) {
  std::string prompt = settings.prompt;
  std::fwrite(prompt.data(), 1, prompt.size(), stdout);
  if (static_cast<i64>(prompt.size()) > context) prompt.erase(0, prompt.size() - context);
  // [sample]
  gpt::Reader<sizes, Next> reader(std::move(next));
  std::mt19937_64 random(settings.seed);
  std::vector<f32> logits;
  for (const char byte : prompt) logits = reader.read(static_cast<u8>(byte));
  const f64 start = train::steady_seconds();
  for (i64 i = 0; i < settings.tokens; ++i) {
    const i32 byte = gpt::draw(logits, settings.sampling, random);
    std::putchar(byte == '\n' || byte == '\t' || (byte >= 32 && byte != 127) ? byte : '?');
    std::fflush(stdout);
    logits = reader.read(byte);
  }
  // [/sample]
  const f64 seconds = train::steady_seconds() - start;
  std::putchar('\n');
  return static_cast<f64>(settings.tokens) / seconds;
}

// The same on every device; `Device` is a type, so this is compiled once for each.
template <class Device>
Finding train_and_sample(const Device& device, const gpt::Texts& texts, const Settings& settings) {
  const auto training = gpt::training_windows<context>(texts);
  const auto validation = gpt::validation_windows<context>(texts);

  // [trainer]
  data::LoaderOptions order{.shuffle = true};
  if (settings.resume.empty()) order.seed = settings.seed;  // a checkpoint has its own
  auto loader = data::loader<batch>(training, order);
  const auto rate = schedule::warmup_cosine(3e-3, settings.steps / 20, settings.steps);
  auto trainer = make_trainer<Network>(
      device, [](const auto& model, auto text, auto next) { return cross_entropy(model(text), next); },
      in<i32, batch, context>, in<i32, batch, context>,
      optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = rate, .weight_decay = 0.1f}),
      clip::norm(1.0f), seed{settings.seed});
  // [/trainer]

  const std::string last_path = settings.out + "/gpt_last.safetensors",
                    best_path = settings.out + "/gpt_best.safetensors";
  Best best;
  if (!settings.resume.empty()) {
    const auto beside = std::filesystem::path(settings.resume).replace_filename("gpt_best.safetensors");
    if (std::filesystem::exists(beside)) {
      trainer.load(beside.string(), loader);
      best.take(trainer.evaluate(validation), beside.string());
    }
    trainer.load(settings.resume, loader);
    best.take(trainer.evaluate(validation), settings.resume);
  }

  train::Curve curve({.title = "gpt: loss of the next byte", .y_label = "nats"});
  train::Progress progress({.batches = settings.steps, .batch_size = batch});
  const i64 first = trainer.steps();  // of a checkpoint, its own
  i64 summed = 0;
  f64 sum = 0, seconds = 0, start = train::steady_seconds();
  // [loop]
  while (trainer.steps() < settings.stop)
    for (auto& [text, next] : loader) {
      const StepLoss loss = trainer.step(text, next);
      const i64 step = trainer.steps();
      progress.update(0, step, loss);
      sum += static_cast<f64>(loss), ++summed;
      if (step % settings.every == 0 || step == settings.stop) {
        seconds += train::steady_seconds() - start;
        const f64 judged = trainer.evaluate(validation);
        const bool least = best.take(judged, best_path);
        if (least) trainer.save(best_path, loader);
        trainer.save(last_path, loader);  // the position of the loader, too
        progress.finish();
        const f64 learnt = sum / static_cast<f64>(summed);
        std::printf("step %lld: training %.4f, validation %.4f%s\n", static_cast<long long>(step), learnt,
                    judged, least ? ", the least so far" : "");
        std::fflush(stdout);
        curve.add("training", static_cast<f64>(step), learnt);
        curve.add("validation", static_cast<f64>(step), judged);
        sum = 0, summed = 0, start = train::steady_seconds();
      }
      if (step == settings.stop) break;
    }
  // [/loop]
  const i64 steps = trainer.steps() - first;
  if (steps > 0) {
    const std::string drawing = settings.out + "/gpt.svg";
    curve.save(drawing);
    std::printf("wrote %s and %s; the best is %s\n", last_path.c_str(), drawing.c_str(), best.file.c_str());
  }

  // [next]
  if (!best.file.empty())
    trainer.model().load(best.file, {.allow = unexpected});  // a checkpoint has more than a model
  Model<gpt::Cache<sizes>, Device> cache(device);
  auto next = compile(
      states(trainer.model(), cache),  // the parameters where training left them
      [](const auto& model, const auto& c, auto token, auto position) { return model(token, position, c); },
      in<i32>, in<i32>);
  // [/next]
  const f64 trained = static_cast<f64>(steps * batch * context) / seconds;
  return {best.file.empty() ? trainer.evaluate(validation) : best.loss, steps > 0 ? trained : 0,
          sample(std::move(next), settings)};
}

int main(int argc, char** argv) try {
  const Options options(argc, argv, usage);
  const Settings settings = read_settings(options);
  const gpt::Texts texts = gpt::read_text(settings.data, sizes.context);
  std::string place;
  const Finding found = on_chosen_device(options, [&](const auto& device, const std::string& chosen) {
    place = chosen;
    return train_and_sample(device, texts, settings);
  });
  std::printf("gpt: validation loss %.3f, tokens/s: %.0f in training, %.0f in sampling (%s)\n",
              found.validation, found.training, found.sampling, place.c_str());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "gpt: %s\n", error.what());
  return 1;
}
