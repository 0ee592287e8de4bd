#pragma once
// The scales of precision::f8 in checkpoints, under the names of the parameters: "f8.scale.input.fc.weight"
// is that of the tensor which is multiplied with fc.weight, "f8.magnitudes.input.fc.weight" the largest
// magnitudes that it had, and "f8.gathered.input.fc.weight", with accumulate<N>, that since the last update.

#include <string>

#include "weft/targets/memory.hpp"
#include "weft/train/checkpoint.hpp"
#include "weft/train/f8_scales.hpp"

namespace WEFT_NAMESPACE::train {

// Stage: an F8Stage, whose state ends the block.
template <class M, class O, class Stage>
void add_f8_scales(CheckpointForm& form) {
  constexpr const auto& table = nn::state_table<M>;
  const i64 steps = O::Precision::scaling.history;
  static constexpr const char* roles[] = {"input", "weight", "gradient"};
  form.state.bytes = form.model_bytes + Stage::bytes();
  for (int k = 0; k < Stage::count(); ++k) {
    const F8Scale s = Stage::scale(k);
    int before = 0;  // of the same name: where a parameter is used several times
    for (int i = 0; i < k; ++i)
      before += Stage::scale(i).role == s.role && Stage::scale(i).parameter == s.parameter;
    for (i64 copy = 0; copy < s.copies; ++copy) {
      const nn::Name parameter = table.row[s.parameter].name.of_copy(copy);
      std::string name = roles[static_cast<int>(s.role)] + ("." + std::string(parameter.view()));
      if (before > 0) name += "." + std::to_string(before);
      const i64 scale = form.model_bytes + s.scale + 4 * copy,
                history = form.model_bytes + s.history + 4 * steps * copy;
      Dims all;
      all.rank = 1;
      all.extent[0] = steps;
      add_row(form.state, "f8.scale." + name, DType::f32, Dims{}, scale);
      add_row(form.state, "f8.magnitudes." + name, DType::f32, all, history);
      form.scales.push_back({scale, history, steps});
      if (s.gathered_slot >= 0)
        add_row(form.state, "f8.gathered." + name, DType::f32, Dims{},
                form.model_bytes + s.gathered + 4 * copy);
    }
  }
}

// Stage: the trace with its scales. Every tensor is rounded as it is, until its largest magnitude is known.
template <class Stage, class Device>
void start_f8_scales(const Device& device, std::byte* optimizer, const exec::Shard& shard) {
  for (int k = 0; k < Stage::count(); ++k) {
    const F8Scale s = Stage::scale(k);
    const std::vector<f32> ones(static_cast<std::size_t>(s.copies), 1.0f);
    exec::DeviceMemory<Device>::from_host(device, optimizer + shard.at(s.scale), ones.data(), 4 * s.copies);
  }
}

}  // namespace WEFT_NAMESPACE::train
