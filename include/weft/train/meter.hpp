#pragma once
// A meter: a metric of nn/metric.hpp with its counts on a device, outside any model. Law: read() is the
// metric of all that was added since reset(), read(ranks) of what all ranks added; nothing waits for the
// device until it is read.
//
//   auto accuracy = make_meter<nn::Accuracy>(Cpu{}, in<f32, 128, 10>, in<i32, 128>);
//   accuracy.add(predict(image), label);  ...  accuracy.read();  accuracy.reset();

#include <cstring>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE {

namespace train {
WEFT_REFUSAL(MeterAdds,
             "a meter takes a batch by add(predictions, labels), gives the metric of all of them by read() "
             "and starts anew by reset()");
WEFT_REFUSAL(MeterHasDevice,
             "make_meter takes the device first: make_meter<nn::Accuracy>(Cpu{}, in<f32, 128, 10>, in<i32, "
             "128>), and behind it what a batch is");
struct MetricValue {
  constexpr auto operator()(const auto& metric) const { return metric.value(); }
};
// What all ranks have, in the place of what this one has.
template <class T>
void add_counts(comm::Communicator& ranks, std::byte* own, i64 count) {
  const i64 bytes = count * i64{sizeof(T)};
  std::vector<T> all(static_cast<std::size_t>(ranks.size() * count)), sums(static_cast<std::size_t>(count));
  ranks.all_gather(own, all.data(), bytes);
  comm::add_ranks(sums.data(), all.data(), count, ranks.size());
  std::memcpy(own, sums.data(), static_cast<std::size_t>(bytes));
}
inline void add_counts(comm::Communicator& ranks, DType dtype, std::byte* own, i64 count) {
  if (dtype == DType::f64)
    add_counts<f64>(ranks, own, count);
  else if (dtype == DType::f32)
    add_counts<f32>(ranks, own, count);
  else if (dtype == DType::i64)
    add_counts<i64>(ranks, own, count);
  else if (dtype == DType::i32)
    add_counts<i32>(ranks, own, count);
  else
    throw Error("comm/dtype", "a meter's counts over ranks are of f64, f32, i64 or i32");
}
}  // namespace train

template <class Metric, class Device, class Add, class Read>
class Meter {
 public:
  Meter(Model<Metric, Device>&& model, Add add, Read read)
      : model_(std::move(model)), add_(std::move(add)), read_(std::move(read)) {}

  // One more batch, as the metric takes it; gives the metric of all batches so far.
  template <class... A>
  auto add(const A&... batch) {
    return add_(batch...);
  }
  // The metric of all batches, in memory that stays as it is.
  auto read() { return read_(); }
  // The metric of what all ranks have added, a call of all of them: counts are added in the order of ranks,
  // so it is of metrics whose buffers are sums, as all of nn/metric.hpp are. `ranks`: comm::Mpi::connect().
  auto read(const Shared<comm::Communicator>& ranks) {
    Model<Metric, Device> all = model_.clone();
    std::vector<std::byte> block(static_cast<std::size_t>(all.state_bytes()));
    using Memory = exec::DeviceMemory<Device>;
    Memory::to_host(all.device(), block.data(), all.state(), all.state_bytes());
    constexpr const auto& table = nn::state_table<Metric>;
    for (int i = 0; i < table.size; ++i) {
      const nn::StateInfo& row = table.row[i];
      train::add_counts(*ranks, row.dtype, block.data() + row.offset, row.elements());
    }
    Memory::from_host(all.device(), all.state(), block.data(), all.state_bytes());
    return compile(all, train::MetricValue{})();
  }
  // Refusals.
  WEFT_REFUSED_MEMBER(update, AfterRefusal{}, train::MeterAdds, spelled::update, Metric)
  WEFT_REFUSED_MEMBER(compute, AfterRefusal{}, train::MeterAdds, spelled::compute, Metric)
  WEFT_REFUSED_MEMBER(operator(), AfterRefusal{}, train::MeterAdds, spelled::call, Metric)
  // Starts anew.
  void reset() { model_.initialize(0); }

 private:
  Model<Metric, Device> model_;
  Add add_;
  Read read_;
};

// Metric: one of nn/metric.hpp, or a struct with a call operator that adds to its buffers, and value().
template <class Metric, class Device, class... I>
requires(sizeof...(I) > 0 || requires(const Metric& m) { m(); }) auto make_meter(const Device& device,
                                                                                 const I&... inputs) {
  Model<Metric, Device> model(device, 0);
  auto adds = compile(
      model, [](const auto& metric, const auto&... batch) { return metric(batch...); }, inputs...);
  auto reads = compile(model, train::MetricValue{});
  return Meter<Metric, Device, decltype(adds), decltype(reads)>(std::move(model), std::move(adds),
                                                                std::move(reads));
}
template <class Metric, class Device>
requires(!requires(const Metric& m) { m(); }) auto make_meter(const Device&) {
  static_assert(sizeof(train::MeterHasDevice<sizeof(Device) == 0, Metric, Device>) > 0);
  return AfterRefusal{};
}
template <class Metric, class T, class S, class... A>
auto make_meter(const Input<T, S>&, const A&...) {
  static_assert(sizeof(train::MeterHasDevice<sizeof(T) == 0, Metric, Input<T, S>>) > 0);
  return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
