// Models, training and everything else of docs/from_pytorch.md: whatever stands in the right-hand columns of
// its tables stands here, is compiled and runs. tests/examples/run.sh pages compares.

// [include]
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;
// [/include]

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

// [model]
struct Block {
  nn::LayerNorm<16> norm;
  nn::Linear<16, 16> fc;
  nn::Dropout drop{.p = 0.1f};
  float share = 0.5f;
  constexpr auto operator()(auto x) const { return x + share * drop(gelu(fc(norm(x)))); }
};

struct Net {
  nn::Linear<8, 16> fc1;
  std::array<Block, 2> blocks;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const {
    auto h = relu(fc1(x));
    for (const Block& block : blocks) h = block(h);
    return fc2(h);
  }
};
// [/model]

struct Layers {
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.stride = 2, .padding = 1}> conv;
  nn::BatchNorm2d<8> bn;
  nn::MaxPool2d<2> pool;
  nn::Sequential<nn::Flatten<1>, nn::Linear<32, 16, false>, nn::ReLU> body;
  nn::Embedding<100, 16> words;
  nn::LSTM<16, 8, nn::Recurrent{.batch_first = true, .bidirectional = true}> lstm;
  nn::MultiheadAttention<16, 2, nn::MultiheadOptions{.batch_first = true}> attn;
  nn::Param<f32, Shape<16>, nn::init::Ones> scale;
  nn::Buffer<f32, Shape<16>> mean_so_far;
  nn::Frozen<nn::Linear<16, 16>> backbone;
  nn::Stack<Block, 12> deep;
  nn::Linear<16, 3> head;
  constexpr auto operator()(auto image, auto tokens) const {  // (N, 3, 8, 8), (N, 5)
    const auto pixels = body(pool(relu(bn(conv(image)))));    // (N, 16)
    const auto x = words(tokens);                             // (N, 5, 16)
    const auto [y, state] = lstm(x);
    const auto mixed = mean<1>(attn(y, y, y));
    mean_so_far.assign(mean<0>(stop_gradient(mixed)));
    auto h = backbone((pixels + mixed) * scale);
    h = deep(h);
    return head(h);
  }
};

constexpr auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("fc2."); };

// [helper]
template <int Axis>
constexpr auto standardise(auto x, auto gain) {
  const auto centred = x - mean<Axis>(x, keepdim);
  if constexpr (decltype(x)::rank > 1)
    return gain * centred / (stddev<Axis>(x, keepdim) + 1e-5f);
  else
    return gain * centred;
}
// [/helper]

void layers() {
  Model<Layers> model(Cpu{}, 3);
  auto predict = compile(
      model, [](const auto& m, auto image, auto tokens) { return m(image, tokens); }, in<f32, 2, 3, 8, 8>,
      in<i64, 2, 5>);
  auto y = predict(std::vector<f32>(2 * 3 * 8 * 8, 0.5f), std::vector<i64>(10, 7));
  std::printf("%lld parameters, finite: %s\n", static_cast<long long>(Model<Layers>::parameter_count()),
              std::isfinite(y(1, 2)) ? "yes" : "no");
  model.get<"head.bias">() = 0.5f;
}

void optimisers() {
  const std::array optimisers_with_rate{
      optim::SGD{.lr = 0.1f, .momentum = 0.9f, .nesterov = true}.lr,
      optim::Adam{.lr = 1e-3f, .betas = {0.9f, 0.99f}}.lr,
      optim::AdamW{.lr = 1e-3f, .weight_decay = 0.1f}.lr,
      optim::AdamW{.lr = schedule::cosine(1e-3, 1000)}.lr,
      optim::AdamW{.lr = schedule::step(1e-3, 30, 0.1)}.lr,
      optim::AdamW{.lr = schedule::one_cycle(1e-2, 1000)}.lr,
      optim::AdamW{.lr = schedule::warmup_cosine(1e-3, 100, 1000)}.lr,
      optim::AdamW{.lr = schedule::sequential(
                       {schedule::linear(1e-3, 0.1, 1, 100), schedule::exponential(1e-3, 0.99)}, {100})}
          .lr,
      optim::AdamW{.lr = schedule::lambda(1e-3, [](i64 step) { return 1.0 / double(1 + step); })}.lr};
  schedule::ReduceOnPlateau plateau{.lr = 1e-3, .patience = 5};
  const f32 rate = plateau.step(0.5);
  const auto averaged = optim::swa(optim::SGD{}, {.start = 100, .every = 10});
  const auto ams = optim::amsgrad(optim::AdamW{});
  std::printf("%zu optimisers and schedules, rate %g, %d and %d vectors\n", optimisers_with_rate.size(),
              double(rate), decltype(averaged)::moments, decltype(ams)::moments);
}

struct Folder {  // files go to a folder that is removed
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("weft_from_pytorch_" + std::to_string(::getpid()));
  Folder() {
    std::filesystem::create_directory(path);
    std::filesystem::current_path(path);
  }
  ~Folder() {
    std::filesystem::current_path(path.parent_path());
    std::filesystem::remove_all(path);
  }
};

auto make_samples(i64 count) {
  std::vector<f32> features;
  std::vector<i32> labels;
  for (i64 i = 0; i < count; ++i) {
    for (int k = 0; k < 8; ++k) features.push_back(k == i % 3 ? 1.0f : 0.1f * static_cast<f32>((i + k) % 5));
    labels.push_back(static_cast<i32>(i % 3));
  }
  return data::Arrays<f32, i32>({features, {8}}, {labels, {}});
}

void training() {
  io::write_file("houses.csv", "area,rooms,price\n80,3,100\n120,4,150\n");
  const auto table = io::read_csv("houses.csv", {.columns = {"area", "price"}});
  const std::vector<f32> area = table.take<f32>({"area"});
  const std::vector<f64>& price = table.column("price");
  std::printf("%zu areas, the last price is %g\n", area.size(), price[1]);
  constexpr int epochs = 3;
  const auto all = make_samples(100);
  auto [train_set, test_set] = data::random_split(all, {0.8, 0.2}, 1);

  // [training]
  auto loader = data::loader<16>(train_set, {.shuffle = true, .seed = 7});
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::AdamW{.lr = schedule::warmup_cosine(1e-2, 5, 100)}, clip::norm(1.0f), seed{7});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    f32 last = 0;
    for (auto& [x, y] : loader) {
      auto loss = trainer.step(x, y);
      last = loss;
    }
    const f64 held_out = trainer.evaluate(test_set);
    std::fprintf(stderr, "epoch %d: %.3f, held out %.3f\n", epoch, double(last), held_out);
  }
  // [/training]

  std::printf("gradient norm: %s\n", std::isfinite(trainer.gradient_norm()) ? "finite" : "not finite");
  trainer.set_lr(1e-3f);
  const f32 rate = trainer.lr();
  trainer.model().save("net.safetensors");
  trainer.save("run.safetensors");
  trainer.save("run.safetensors", loader);
  trainer.load("run.safetensors");
  trainer.load("run.safetensors", loader);
  try {
    trainer.load("net.safetensors");
  } catch (const Error& error) {
    std::printf("%s\n", error.id().c_str());
  }

  Model<Net> model;
  model.load("net.safetensors");
  Model<Net> target(Cpu{}, 1);
  target.load(model);
  target.lerp(model, 0.005f);
  model.load("net.safetensors", {.strip_prefix = "module.", .allow = missing | unexpected});
  auto w = model.get<"fc1.weight">();
  auto predict = compile(
      model, [](const auto& m, auto x) { return argmax<-1>(m(x)); }, in<f32, 20, 8>);
  auto logits = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 16, 8>);
  auto accuracy_of = make_meter<nn::Accuracy>(Cpu{}, in<f32, 16, 3>, in<i32, 16>);
  for (auto& [x, y] : data::loader<16>(test_set, {.last = data::pad_and_mask})) accuracy_of.add(logits(x), y);
  const f32 right = accuracy_of.read();
  accuracy_of.reset();
  const f64 also_right = evaluate(
      model, [](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, test_set, in<f32, 16, 8>,
      in<i32, 16>);
  std::printf("accuracy %.2f, %.2f; %g; %lld\n", double(right), also_right, double(rate),
              static_cast<long long>(w.size()));
  const std::vector<f32> some(20 * 8, 0.5f);
  std::printf("%lld classes\n", static_cast<long long>(predict(some).size()));
  std::fprintf(stderr, "%s%s%s", model.summary().c_str(), trainer.summary().c_str(),
               trainer.explain().c_str());
}

void options() {
  manual_seed(7);
  [[maybe_unused]] constexpr auto half = precision::f16;
  [[maybe_unused]] constexpr auto tensor_cores = precision::tf32;
  [[maybe_unused]] const auto where_to_run = best_device{};
  [[maybe_unused]] const auto four_threads = Cpu{4};
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 4, 8>,
      in<f32, 4, 3>,
      optim::groups(optim::rule(is_head, [](auto& o) { o.lr = o.lr * 10; }),
                    optim::no_decay(optim::is_vector), optim::ema(optim::AdamW{.lr = 1e-3f}, 0.99f)),
      precision::bf16, accumulate<2>, clip::value(0.5f), check::finite, mode::train, checkpoint::blocks,
      comm::none);
  const std::vector<f32> x(4 * 8, 0.5f), y(4 * 3, 0.25f);
  for (int step = 0; step < 4; ++step) trainer.step(x, y);
  auto averaged = trainer.average();
  std::printf("%lld updates, %lld parameters\n", static_cast<long long>(trainer.steps() / 2),
              static_cast<long long>(averaged.parameter_count()));
  std::fprintf(stderr, "%s", trainer.profile(x, y).c_str());
}

void functions() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w, auto gain) {
        const auto energy = [](auto v, auto weight) { return sum(square(tanh(matmul(weight, v)))); };
        const auto sample = select<0, 0>(x);
        auto slope = grad(energy)(sample, w);
        auto [value, dv, dw] = value_and_grad<0, 1>(energy)(sample, w);
        auto each = vmap<0, unmapped>(grad<1>(energy))(x, w);
        auto [level, along] = jvp(energy)(sample, w, sample, w);
        auto bends = hessian(energy)(sample, w);
        auto twice = grad([&](auto v) { return sum(grad(energy)(v, w)); })(sample);
        auto shown = probe<"hidden">(matmul(x, t(w)));
        return std::tuple{slope, value, dv,    dw,    each,
                          level, along, bends, twice, standardise<-1>(shown, gain)};
      },
      in<f32, 32, 2>, in<f32, 3, 2>, in<f32>, probes<"hidden">, seed{3}, check::indices);
  const std::vector<f32> x(64, 0.5f), w(6, 0.25f);
  auto results = f(x, w, 2.0f);
  auto hidden = f.get_probe<"hidden">();
  std::fprintf(stderr, "%s", f.profile().c_str());
  std::printf("value %.4f, hidden %.2f\n", double(std::get<1>(results).item()), double(hidden(0, 0)));
  auto steps = compile(
      Cpu{},
      [](auto h, auto xs) {  // (8), (10, 8)
        auto [last, all] = loop(
            [](auto carry, auto x_t) {
              auto next = tanh(carry + x_t);
              return std::pair{next, next};
            },
            h, xs);
        auto small =
            while_loop<100>([](auto c) { return sum(abs(c)) > 1.0f; }, [](auto c) { return 0.5f * c; }, last);
        return std::tuple{last, all, small};
      },
      in<f32, 8>, in<f32, 10, 8>);
  std::printf("%lld\n",
              static_cast<long long>(std::get<1>(steps(std::vector<f32>(8), std::vector<f32>(80))).size()));
}

void threads() {
  // [threads]
  const Model<Net> model(Cpu{1}, 7);  // one thread for each program: the threads are ours
  const auto serve = [&model](const std::vector<f32>& x, std::vector<f32>& answer) {
    auto predict = compile(  // a function of the thread's own, over the memory that they share
        model, [](const auto& m, auto in) { return m(in); }, in<f32, 16, 8>);
    answer = predict(x).to_vector();
  };
  std::vector<f32> x(16 * 8, 0.5f), first, second;
  std::thread other([&] { serve(x, first); });
  serve(x, second);
  other.join();
  // [/threads]
  std::printf("both threads agree: %s\n", first == second ? "yes" : "no");
}

int main() {
  const Folder folder;
  layers();
  optimisers();
  training();
  options();
  functions();
  threads();
}
// prints: 8819 parameters, finite: yes
// prints: 9 optimisers and schedules, rate 0.001, 2 and 3 vectors
// prints: 2 areas, the last price is 150
// prints: gradient norm: finite
// prints: train/no-checkpoint
// prints: accuracy 1.00, 1.00; 0.001; 128
// prints: 20 classes
// prints: 2 updates, 803 parameters
// prints: value 0.1800, hidden 0.25
// prints: 80
// prints: both threads agree: yes
