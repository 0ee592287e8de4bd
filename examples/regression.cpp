// Regression from a CSV file: learns one column from the others and says how well it predicts rows that
// training never saw.
//
// How many columns a file has is known only when the program runs, while shapes are part of the program. So
// the network takes a fixed number of features, and what the file does not fill is zero in every row.
// Features and target are standardised with mean and deviation of the training rows.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "options.hpp"
#include "training_log.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: regression --data FILE --target COLUMN [OPTIONS]\n"
    "  --data FILE       a CSV file with a header\n"
    "  --target COLUMN   the column to predict\n"
    "  --feature COLUMN  predict from this column; repeat it for more (default: all\n"
    "                    others); every column that is used must hold numbers\n"
    "  --separator C     the character between fields (default: ,)\n"
    "  --epochs N        passes over the data (default: 3000 batches, 5 to 200 passes)\n"
    "  --seed N          of starting values and order (default: 0)\n"
    "  --out FOLDER      where regression.svg goes (default: here)\n"
    "Try it on --data examples/data/houses.csv --target price\n";

constexpr i64 most_features = 64, batch = 64;
constexpr i64 fewest_rows = 10;

struct Network {
  nn::Linear<most_features, 64> fc1;
  nn::Linear<64, 64> fc2;
  nn::Linear<64, 1> fc3;
  constexpr auto operator()(auto x) const { return reshape<batch>(fc3(gelu(fc2(gelu(fc1(x)))))); }
};

// What puts values on a common scale.
struct Scale {
  f64 mean = 0, deviation = 1;

  Scale(const std::vector<f64>& values, const std::vector<i64>& rows) {
    for (const i64 r : rows) mean += values[static_cast<std::size_t>(r)] / static_cast<f64>(rows.size());
    f64 variance = 0;
    for (const i64 r : rows) {
      const f64 distance = values[static_cast<std::size_t>(r)] - mean;
      variance += distance * distance / static_cast<f64>(rows.size());
    }
    if (std::sqrt(variance) > 1e-12 * std::abs(mean)) deviation = std::sqrt(variance);  // else: a constant
  }
  f32 forth(f64 value) const { return static_cast<f32>((value - mean) / deviation); }
  f64 back(f32 value) const { return mean + deviation * static_cast<f64>(value); }
};

struct Problem {
  io::CsvTable table;
  std::string target;
  std::vector<std::string> features;
  std::vector<i64> training, held_out;  // rows

  const std::vector<f64>& wanted() const { return table.column(target); }
};

// Reads the columns and cuts the rows at random into four fifths and one fifth.
Problem read_problem(const Options& options, u64 seed) {
  const std::string path = options.text("data", ""), separator = options.text("separator", ",");
  Problem p;
  p.target = options.text("target", "");
  p.features = options.all("feature");
  if (path.empty()) options.fail("--data FILE is missing");
  if (p.target.empty()) options.fail("--target COLUMN is missing");
  if (separator.size() != 1) options.fail("--separator takes one character");
  if (std::find(p.features.begin(), p.features.end(), p.target) != p.features.end())
    options.fail("'" + p.target + "' cannot be the target and a feature");
  io::CsvOptions csv;
  csv.separator = separator[0];
  if (!p.features.empty()) {
    csv.columns = p.features;
    csv.columns.push_back(p.target);
  }
  p.table = io::read_csv(path, csv);
  p.wanted();  // a missing column is an error here
  if (p.features.empty())
    for (const std::string& name : p.table.names())
      if (name != p.target) p.features.push_back(name);
  if (p.features.empty()) throw Error("regression/columns", "'" + path + "' has no column beside the target");
  if (static_cast<i64>(p.features.size()) > most_features)
    throw Error("regression/columns", "'" + path + "' has " + std::to_string(p.features.size()) +
                                          " features and this program takes " +
                                          std::to_string(most_features) +
                                          ": choose some with --feature, or raise most_features");
  if (p.table.rows() < fewest_rows)
    throw Error("regression/rows", "'" + path + "' has " + std::to_string(p.table.rows()) +
                                       " rows; learning and testing take " + std::to_string(fewest_rows));
  const std::vector<i64> order = data::permutation(p.table.rows(), seed, 0, data::ShuffleUse::split);
  for (std::size_t i = 0; i < order.size(); ++i) (i % 5 == 0 ? p.held_out : p.training).push_back(order[i]);
  const auto [least, most] = std::minmax_element(p.wanted().begin(), p.wanted().end());
  if (*least == *most)
    throw Error("regression/constant",
                "column '" + p.target + "' holds one value: there is nothing to learn");
  return p;
}

// (features, target, present) of the given rows. `present` is the label by which a loader marks padded rows.
auto samples(const Problem& p, const std::vector<i64>& rows) {
  data::Column<f32> features{{}, {most_features}}, target{};
  data::Column<i32> present{std::vector<i32>(rows.size(), 1), {}};
  features.values.resize(rows.size() * static_cast<std::size_t>(most_features));
  for (std::size_t f = 0; f < p.features.size(); ++f) {
    const std::vector<f64>& values = p.table.column(p.features[f]);
    const Scale scale(values, p.training);
    for (std::size_t i = 0; i < rows.size(); ++i)
      features.values[i * static_cast<std::size_t>(most_features) + f] =
          scale.forth(values[static_cast<std::size_t>(rows[i])]);
  }
  const Scale scale(p.wanted(), p.training);
  for (const i64 r : rows) target.values.push_back(scale.forth(p.wanted()[static_cast<std::size_t>(r)]));
  return data::Arrays<f32, f32, i32>(std::move(features), std::move(target), std::move(present));
}

int main(int argc, char** argv) try {
  const Options options(argc, argv, usage);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  const Problem p = read_problem(options, number);
  std::printf("%lld rows, %zu features; %zu rows held out\n", static_cast<long long>(p.table.rows()),
              p.features.size(), p.held_out.size());

  const auto training = samples(p, p.training);
  auto loader = data::loader<batch>(training, {.shuffle = true, .seed = number, .last = data::pad_and_mask});
  const i64 passes = std::clamp<i64>(3000 / loader.batches(), 5, 200);
  const int epochs = options.number("epochs", static_cast<int>(passes), 1, 1000000);
  const i64 steps = epochs * loader.batches();
  auto trainer = make_trainer<Network>(
      best_device{},
      [](const auto& model, auto x, auto y, auto present) {
        const auto counts = cast<f32>(present > 0);  // 0 in padded rows
        const auto wrong = (model(x) - y) * counts;
        return sum<>(wrong * wrong) / sum<>(counts);
      },
      in<f32, batch, most_features>, in<f32, batch>, in<i32, batch>,
      optim::AdamW{.lr = schedule::warmup_cosine(3e-3, steps / 20, steps), .weight_decay = 0.05f},
      seed{number}, clip::norm(1.0f));

  TrainingLog log({.title = "regression: training loss", .x_label = "epoch", .y_label = "squared error"},
                  {.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [x, y, present] : loader) log.add(trainer.step(x, y, present));
  log.finish();
  const std::string drawing = options.text("out", ".") + "/regression.svg";
  log.save_chart(drawing);
  std::printf("wrote %s\n", drawing.c_str());

  auto predict = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<f32, batch, most_features>);
  Tensor<f32, Shape<batch>> predicted;
  const Scale scale(p.wanted(), p.training);
  f64 error = 0, spread = 0, mean = 0;
  for (const i64 r : p.held_out)
    mean += p.wanted()[static_cast<std::size_t>(r)] / static_cast<f64>(p.held_out.size());
  std::size_t tested = 0;
  const auto held_out = samples(p, p.held_out);
  for (auto& part : data::loader<batch>(held_out, {.last = data::pad_and_mask})) {
    predict.into(predicted)(part.template get<0>());
    for (i64 i = 0; i < part.valid(); ++i) {
      const f64 truth = p.wanted()[static_cast<std::size_t>(p.held_out[tested++])];
      error += std::pow(truth - scale.back(predicted[i]), 2);
      spread += std::pow(truth - mean, 2);
    }
  }
  // R^2 is 1 for perfect predictions, 0 for the held-out rows' mean.
  std::printf("regression: '%s' on %zu held-out rows: R^2 %.3f, RMSE %.4g\n", p.target.c_str(), tested,
              spread > 0 ? 1 - error / spread : NAN, std::sqrt(error / static_cast<f64>(tested)));
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "regression: %s\n", error.what());
  if (error.id() == "csv/not-a-number")
    std::fprintf(stderr, "(--feature COLUMN chooses the columns to use)\n");
  return 1;
}
