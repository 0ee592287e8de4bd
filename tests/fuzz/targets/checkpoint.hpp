#pragma once
// Loading a checkpoint: an Error changes nothing, and what is taken trains on. The first byte chooses the
// trainer and how the rest is read: as a safetensors file, or as lines "key=value" that change the metadata,
// and "name:bytes" that change the tensors, of a file that this trainer saved.

#include "fuzz/target.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/optim/average.hpp"
#include "weft/train/lbfgs.hpp"
#include "weft/train/make_trainer.hpp"

namespace fuzz {

struct Net {
  weft::nn::Linear<2, 1> fc{};
};

// A trainer with a file of its own making.
template <class Trainer>
class CheckpointDriver {
 public:
  CheckpointDriver(Trainer&& trainer, const char* name) : trainer_(static_cast<Trainer&&>(trainer)) {
    for (int i = 0; i < 3; ++i) step();
    path_ = "/tmp/weft-fuzz-" + std::to_string(::getpid()) + "-" + name;
    saved_ = saved();
  }

  void run(const std::string& bytes) {
    const MemoryFile own(saved_), file(bytes);
    trainer_.load(own.path());
    bool refused = true;
    try {
      trainer_.load(file.path());
      refused = false;
    } catch (const weft::Error& error) {
      require(error.id().starts_with("train/") || error.id().starts_with("safetensors/"), error.what());
    }
    if (refused) require(trainer_.steps() == 3, "an Error changes nothing");
    // The whole state is compared now and then: it takes a file.
    if (refused && ++refusals_ % 64 == 0) require(saved() == saved_, "an Error changes nothing");
    const weft::i64 before = trainer_.steps();
    for (int i = 0; i < 2; ++i) step();
    require(trainer_.steps() == before + 2, "what is loaded trains on");
  }

  // The saved file with changes, each a line.
  std::string changed(const std::string& lines) const {
    const weft::io::Safetensors file(saved_.data(), saved_.size());
    weft::io::Safetensors::Metadata metadata = file.metadata();
    std::vector<weft::io::SafetensorsTensor> tensors;
    std::vector<std::string> data;
    data.reserve(100);
    for (const auto& entry : file.entries())
      tensors.push_back({entry.name, entry.dtype, entry.shape, entry.data});
    for (std::size_t at = 0; at < lines.size() && data.size() < 100;) {
      const std::size_t end = lines.find('\n', at) == std::string::npos ? lines.size() : lines.find('\n', at);
      const std::string line = lines.substr(at, end - at);
      at = end + 1;
      if (const std::size_t mark = line.find('='); mark != std::string::npos) {
        bool known = false;
        for (auto& [key, value] : metadata)
          if (key == line.substr(0, mark)) value = line.substr(mark + 1), known = true;
        if (!known) metadata.push_back({line.substr(0, mark), line.substr(mark + 1)});
      } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
        for (std::size_t t = 0; t < tensors.size(); ++t)
          if (tensors[t].name == line.substr(0, colon)) {
            std::string bytes(static_cast<const char*>(tensors[t].data), file.entries()[t].bytes);
            for (std::size_t i = 0; i < bytes.size() && colon + 1 + i < line.size(); ++i)
              bytes[i] = line[colon + 1 + i];
            data.push_back(bytes);
            tensors[t].data = data.back().data();
          }
      }
    }
    std::vector<weft::u32> order;
    for (weft::u32 i = 0; i < tensors.size(); ++i) order.push_back(i);
    std::string out;
    // Some lines make no file: keys that are no UTF-8, for one.
    refuses(
        [&] {
          const std::string header = weft::io::safetensors_header(tensors, order, metadata);
          const weft::u64 length = header.size();
          out.assign(reinterpret_cast<const char*>(&length), 8);
          out += header;
          for (std::size_t t = 0; t < tensors.size(); ++t)
            out.append(static_cast<const char*>(tensors[t].data), file.entries()[t].bytes);
        },
        "");
    return out;
  }

 private:
  void step() {
    const weft::f32 x[8] = {1, 2, -1, 0.5f, 3, 1, 0, 1}, y[4] = {1, 0, 2, 3};
    trainer_.step(&x[0], &y[0]);
  }
  std::string saved() const {
    trainer_.save(path_);
    std::string bytes = weft::io::read_file(path_);
    ::unlink(path_.c_str());
    return bytes;
  }

  Trainer trainer_;
  std::string path_, saved_;
  int refusals_ = 0;
};

template <class... O>
auto checkpoint_driver(const char* name, const O&... options) {
  using namespace weft;
  auto trainer = make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); }, in<f32, 4, 2>,
      in<f32, 4, 1>, options...);
  return CheckpointDriver<decltype(trainer)>(static_cast<decltype(trainer)&&>(trainer), name);
}

inline void checkpoint(const weft::u8* data, std::size_t size) {
  using namespace weft;
  if (size == 0) return;
  static auto scaled =
      checkpoint_driver("scaled", optim::ema(optim::AdamW{.lr = 0.01f}, 0.9f), precision::f16, accumulate<2>);
  static auto search = checkpoint_driver("search", optim::LBFGS{.max_iter = 3, .history_size = 4});
  const auto run = [&](auto& driver) {
    if ((data[0] & 2) != 0)
      driver.run(safetensors_bytes(data + 1, size - 1));
    else
      driver.run(driver.changed(std::string(reinterpret_cast<const char*>(data) + 1, size - 1)));
  };
  (data[0] & 1) != 0 ? run(search) : run(scaled);
}

}  // namespace fuzz
