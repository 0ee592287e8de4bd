#include "weft/exec/model.hpp"

#include <doctest/doctest.h>

#include "../io/scratch.hpp"
#include "../train/mlp.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/linear.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<4, 3> fc{};
  nn::BatchNorm1d<3> norm{};
};
// As Net, but for the width of fc, the lack of norm's statistics and one more layer.
struct Other {
  nn::Linear<4, 5> fc{};
  nn::LayerNorm<3> norm{};
  nn::Linear<2, 2> more{};
};

std::vector<std::byte> bytes_of(const Model<Net>& model) {
  return std::vector<std::byte>(model.state(), model.state() + Model<Net>::state_bytes());
}

}  // namespace

TEST_CASE("model: a saved model loads into another, bit for bit") {
  const ScratchFolder folder;
  Model<Net> a(Cpu{}, 1), b(Cpu{}, 2);
  a.get<"norm.num_batches_tracked">()[0] = 77;
  CHECK(bytes_of(a) != bytes_of(b));
  CHECK(bytes_of(Model<Net>(Cpu{}, seed{2})) == bytes_of(b));
  a.save(folder / "net.safetensors");
  CHECK(b.load(folder / "net.safetensors").complete());
  CHECK(bytes_of(a) == bytes_of(b));
}

TEST_CASE("model: a strict load refuses what does not fit, names it, and changes nothing") {
  const ScratchFolder folder;
  Model<Other> other;
  other.save(folder / "other.safetensors");
  Model<Net> net(Cpu{}, 3);
  const auto before = bytes_of(net);
  CHECK(error_id([&] { net.load(folder / "other.safetensors"); }) == "model/mismatch");
  const std::string text = error_text([&] { net.load(folder / "other.safetensors"); });
  CHECK(
      text ==
      "model/mismatch: '" + (folder / "other.safetensors") +
          "' does not fit the model: missing norm.running_mean f32 (3), norm.running_var f32 (3), "
          "norm.num_batches_tracked i64 (); unexpected more.bias f32 (2), more.weight f32 (2, 2); of another "
          "shape or dtype: fc.weight, in the file f32 (5, 4), in the model f32 (3, 4), fc.bias, in the file "
          "f32 "
          "(5), in the model f32 (3)");
  CHECK(bytes_of(net) == before);
}

TEST_CASE("model: a lax load takes what fits and reports the rest") {
  const ScratchFolder folder;
  Model<Other> other;
  other.get<"norm.weight">()[1] = 9;
  other.save(folder / "other.safetensors");
  Model<Net> net(Cpu{}, 3);
  const auto fc = net.get<"fc.weight">().to_vector();
  const LoadReport report = net.load(folder / "other.safetensors", LoadMode::lax);
  using Names = std::vector<std::string>;
  CHECK(report.missing == Names{"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"});
  CHECK(report.unexpected.size() == 2);
  CHECK(report.mismatched == Names{"fc.weight", "fc.bias"});
  CHECK(net.get<"norm.weight">()[1] == 9);
  CHECK(net.get<"fc.weight">().to_vector() == fc);
}

TEST_CASE("model: a wrong dtype, a cut file and a file that is none leave the model as it was") {
  const ScratchFolder folder;
  Model<Net> net(Cpu{}, 3);
  const auto before = bytes_of(net);
  std::vector<std::byte> zeros(8 * 64);
  io::write_safetensors(folder / "f64.safetensors", {{"fc.weight", DType::f64, {3, 4}, zeros.data()}});
  CHECK(error_text([&] { net.load(folder / "f64.safetensors"); }).find("fc.weight") != std::string::npos);
  CHECK(net.load(folder / "f64.safetensors", LoadMode::lax).mismatched ==
        std::vector<std::string>{"fc.weight"});

  net.save(folder / "whole.safetensors");
  const std::string whole = io::read_file(folder / "whole.safetensors");
  for (std::size_t cut :
       {std::size_t{0}, std::size_t{5}, std::size_t{60}, whole.size() / 2, whole.size() - 1}) {
    CAPTURE(cut);
    io::write_file(folder / "cut.safetensors", whole.substr(0, cut));
    CHECK_THROWS_AS(net.load(folder / "cut.safetensors"), Error);
    CHECK_THROWS_AS(net.load(folder / "cut.safetensors", LoadMode::lax), Error);
  }
  CHECK_THROWS_AS(net.load(folder / "absent.safetensors"), Error);
  CHECK(bytes_of(net) == before);
}

TEST_CASE("model: options take a file of another dtype, with other names") {
  const ScratchFolder folder;
  Model<Net> source(Cpu{}, 1), net(Cpu{}, 3);
  // as torch.compile and a 16-bit export write it
  std::vector<std::vector<f16>> halves;
  std::vector<io::SafetensorsTensor> tensors;
  source.save(folder / "net.safetensors");
  const io::Safetensors saved(folder / "net.safetensors");
  for (const io::SafetensorsEntry& entry : saved.entries()) {
    std::string name = "_orig_mod." + entry.name;
    if (entry.name.starts_with("fc.")) name = "_orig_mod.head." + entry.name.substr(3);
    if (entry.dtype == DType::i64) {
      tensors.push_back({name, entry.dtype, entry.shape, entry.data});
      continue;
    }
    std::vector<f16> half;
    for (const f32 x : entry.to_vector<f32>()) half.push_back(f16(x));
    halves.push_back(half);
    tensors.push_back({name, DType::f16, entry.shape, halves.back().data()});
  }
  const std::string path = folder / "half.safetensors";
  io::write_safetensors(path, tensors);
  CHECK(error_text([&] { net.load(path); }).find("names of the file begin with") == std::string::npos);
  CHECK(
      error_text([&] {
        net.load(path, {.rename = {{"_orig_mod.head", "_orig_mod.fc"}}});
      }).ends_with("names of the file begin with '_orig_mod.': load with {.strip_prefix = \"_orig_mod.\"}"));
  const LoadOptions names{.strip_prefix = "_orig_mod.", .rename = {{"head", "fc"}}};
  CHECK(error_text([&] { net.load(path, names); })
            .ends_with("norm.running_var, in the file f16 (3), in the model f32 (3); {.cast = true} converts "
                       "floating-point dtypes"));
  const LoadReport report =
      net.load(path, {.cast = true, .strip_prefix = "_orig_mod.", .rename = {{"head", "fc"}}});
  CHECK(report.complete());
  CHECK(report.cast.size() == 6);
  CHECK(report.text().starts_with("cast fc.weight from f16 to f32, fc.bias from f16 to f32"));
  for (int i = 0; i < 12; ++i)
    CHECK(net.get<"fc.weight">().data()[i] == static_cast<f32>(f16(source.get<"fc.weight">().data()[i])));
}

TEST_CASE("model: what a load may leave undone is said by name") {
  const ScratchFolder folder;
  const std::string path = folder / "part.safetensors";
  Model<Net> net(Cpu{}, 3);
  const f32 bias[3] = {1, 2, 3}, head[2] = {1, 2};
  io::write_safetensors(path, {{"fc.bias", DType::f32, {3}, bias}, {"head.bias", DType::f32, {2}, head}});
  const auto id = [&](Allow allow) { return error_id([&] { net.load(path, {.allow = allow}); }); };
  CHECK(id(Allow::nothing) == "model/mismatch");
  CHECK(id(missing) == "model/mismatch");
  CHECK(id(unexpected) == "model/mismatch");
  CHECK(id(missing | unexpected) == "no error");
  CHECK(net.get<"fc.bias">()[2] == 3);
  // another shape never passes
  io::write_safetensors(path, {{"fc.bias", DType::f32, {3, 1}, bias}});
  CHECK(id(missing | unexpected) == "model/mismatch");
  CHECK(error_id([&] { net.load(path, {.cast = true, .allow = missing}); }) == "model/mismatch");
}

TEST_CASE("model: a file of PyTorch's state_dict loads, strictly") {
  const std::string path = repository_file("tests/parity/nn/mlp.safetensors");
  Model<train_test::Mlp> model;
  CHECK(model.load(path).complete());
  const io::Safetensors file(path);
  const auto weight = model.get<"h.1.fc.weight">();
  CHECK(std::memcmp(weight.data(), file.at("h.1.fc.weight").data, 16 * 16 * 4) == 0);
  CHECK(get<"tail.1.weight">(model)(3, 15) ==
        reinterpret_cast<const float*>(file.at("tail.1.weight").data)[63]);
}

TEST_CASE("model: the parameters of a const one are there to read") {
  Model<Net> model;
  const Model<Net>& same = model;
  const auto weight = same.get<"fc.weight">();
  static_assert(std::is_same_v<decltype(weight.data()), const float*>);
  static_assert(std::is_same_v<decltype(weight)::dtype, float>);
  model.get<"fc.weight">()(1, 2) = 0.25f;
  CHECK(weight(1, 2) == 0.25f);
  CHECK(get<"fc.weight">(same).to_vector() == model.get<"fc.weight">().to_vector());
  CHECK(Tensor<f32, Shape<3, 4>>(weight + weight)(1, 2) == 0.5f);
}

TEST_CASE("model: it may live in the caller's memory") {
  HostBuffer memory(static_cast<std::size_t>(Model<Net>::state_bytes()));
  Model<Net> model(Cpu{}, 1, memory.data()), own(Cpu{}, 1);
  CHECK(model.state() == memory.data());
  CHECK(bytes_of(model) == bytes_of(own));
}

namespace users {
// Functions of these names that a program may well have; weft's refusals of them are worse candidates.
template <class M>
std::string save(const M&, const std::string& path) {
  return "saved " + path;
}
template <class M>
int load(M&&, std::string) {
  return 2;
}
template <class M>
int save(const M&) {
  return 1;
}
}  // namespace users

TEST_CASE("model: a user's own save and load are called") {
  using namespace users;
  Model<Net> model;
  const std::string path = "net.bin";
  CHECK(save(model, "net.bin") == "saved net.bin");
  CHECK(save(model, path) == "saved net.bin");
  CHECK(load(model, "net.bin") == 2);
  CHECK(load(model, path) == 2);
  CHECK(save(model) == 1);
}
