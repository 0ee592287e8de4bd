#pragma once
// What a checkpoint of optim::LBFGS holds beside the model: the search's direction and its pairs of
// differences, over all parameters as they lie in memory.

#include "weft/optim/lbfgs.hpp"
#include "weft/train/checkpoint.hpp"

namespace WEFT_NAMESPACE::train {

// The search's state as tensors, with the memory that they point to.
struct LbfgsTensors {
  static constexpr const char* names[] = {"optimizer.lbfgs.direction", "optimizer.lbfgs.past_gradient",
                                          "optimizer.lbfgs.y",         "optimizer.lbfgs.s",
                                          "optimizer.lbfgs.rho",       "optimizer.lbfgs.rates",
                                          "optimizer.lbfgs.counts"};
  std::vector<f32> y, s;
  std::vector<f64> rho;
  f64 rates[2]{};
  i64 counts[2]{};
  std::vector<io::SafetensorsTensor> list;

  explicit LbfgsTensors(const optim::LbfgsSearch::State& state) {
    for (const auto& pair : state.pairs) {
      y.insert(y.end(), pair.y.begin(), pair.y.end());
      s.insert(s.end(), pair.s.begin(), pair.s.end());
      rho.push_back(pair.rho);
    }
    rates[0] = state.rate, rates[1] = state.scale;
    counts[0] = state.iterations, counts[1] = state.evaluations;
    const auto add = [&](DType dtype, std::vector<i64> shape, const void* data) {
      list.push_back({names[list.size()], dtype, std::move(shape), data});
    };
    const i64 size = static_cast<i64>(state.direction.size()), pairs = static_cast<i64>(rho.size());
    add(DType::f32, {size}, state.direction.data());
    add(DType::f32, {size}, state.past_gradient.data());
    add(DType::f32, {pairs, size}, y.data());
    add(DType::f32, {pairs, size}, s.data());
    add(DType::f64, {pairs}, rho.data());
    add(DType::f64, {2}, rates);
    add(DType::i64, {2}, counts);
  }
  LbfgsTensors(const LbfgsTensors&) = delete;
};

inline i64 bytes_of(const io::SafetensorsTensor& tensor) {
  return static_cast<i64>(io::safetensors_detail::byte_size(tensor.dtype, tensor.shape).bytes);
}

// The search's state over `size` parameters; a trainer that keeps fewer pairs than the file has takes the
// last. Throws "train/no-checkpoint".
inline optim::LbfgsSearch::State read_lbfgs(const io::Safetensors& file, const CheckpointReader& checkpoint,
                                            i64 size, i64 history) {
  const auto take = [&]<class T>(int which, const std::vector<i64>& shape, std::vector<T>& out) {
    const char* const name = LbfgsTensors::names[which];
    const io::SafetensorsEntry* entry = file.find(name);
    if (entry == nullptr || entry->dtype != dtype_of<T> || entry->shape != shape)
      checkpoint.damaged(std::string("it lacks ") + name + " " +
                         exec::tensor_text(name_of(dtype_of<T>), shape));
    out = entry->to_vector<T>();
  };
  optim::LbfgsSearch::State state;
  std::vector<f64> rates, rho;
  std::vector<i64> counts;
  take(5, {2}, rates);
  take(6, {2}, counts);
  if (counts[0] < 0 || counts[1] < counts[0] || counts[1] > largest_count)
    checkpoint.damaged("the iterations and evaluations of its search, " + std::to_string(counts[0]) +
                       " and " + std::to_string(counts[1]) + ", cannot be");
  const i64 begun = counts[0] > 0 ? size : 0;
  take(0, {begun}, state.direction);
  take(1, {begun}, state.past_gradient);
  const io::SafetensorsEntry* entry = file.find(LbfgsTensors::names[4]);
  const i64 pairs = entry != nullptr && entry->shape.size() == 1 ? entry->shape[0] : 0;
  if (pairs > counts[0]) checkpoint.damaged("its search has more pairs of differences than iterations");
  std::vector<f32> y, s;
  take(2, {pairs, begun}, y);
  take(3, {pairs, begun}, s);
  take(4, {pairs}, rho);
  bool finite = std::isfinite(rates[0]) && std::isfinite(rates[1]);
  for (const f64 r : rho) finite = finite && std::isfinite(r);
  if (!finite) checkpoint.damaged("the rates of its search are not finite");
  state.rate = rates[0], state.scale = rates[1];
  state.iterations = counts[0], state.evaluations = counts[1];
  for (i64 p = pairs > history ? pairs - history : 0; p < pairs; ++p) {
    const auto row = [&](const std::vector<f32>& all) {
      return std::vector<f32>(all.begin() + p * begun, all.begin() + (p + 1) * begun);
    };
    state.pairs.push_back({row(y), row(s), rho[static_cast<std::size_t>(p)]});
  }
  return state;
}

}  // namespace WEFT_NAMESPACE::train
