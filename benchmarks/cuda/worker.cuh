#pragma once
// A benchmark's process on a GPU: it holds one case ready and times it when told to
// (benchmarks/host/worker.hpp has the protocol). Times are of events around some milliseconds of executions,
// by execution. "profile BYTES FLOPS", what the machine does a second, answers the table of the case's
// launches.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "../../tests/softgpu/launch_records.hpp"
#include "../host/worker.hpp"

namespace bench {

// What is timed: run() enqueues one execution in the calling thread's stream.
struct CudaTimed {
  std::function<void()> run;
  std::string facts;  // of the case, as members of a JSON object
  std::function<std::string(const weft::Roofline&)> profile{};
};

// Device memory that the process took since the watch began, in KiB.
class DeviceMemoryWatch {
 public:
  DeviceMemoryWatch() : free_(free_bytes()) {}
  long growth_kib() const { return (free_ - free_bytes()) / 1024; }

 private:
  static long free_bytes() {
    std::size_t free = 0, total = 0;
    weft::cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return static_cast<long>(free);
  }
  long free_;
};

// Milliseconds of `count` executions.
inline double span(const CudaTimed& timed, int count) {
  static weft::Event start(true), stop(true);
  start.record(cudaStreamPerThread);
  for (int i = 0; i < count; ++i) timed.run();
  stop.record(cudaStreamPerThread);
  stop.synchronize();
  return static_cast<double>(stop.milliseconds_since(start));
}

// On the software device nothing is timed: one execution, the second, is counted, and every launch of it
// printed as an object of JSON.
inline int count(const softgpu::LaunchRecords& device, const CudaTimed& timed) {
  const auto run = [&] {
    timed.run();
    weft::cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };
  run();
  device.start();
  run();
  std::size_t launches = 0;
  const softgpu::LaunchRecord* const r = device.stop(&launches);
  std::printf("{%s, \"counted\": [", timed.facts.c_str());
  for (std::size_t k = 0; k < launches; ++k) {
    std::printf("%s{\"kernel\": \"%s\"", k == 0 ? "" : ", ", r[k].name);
    const auto number = [](const char* name, std::uint64_t value) {
      std::printf(", \"%s\": %llu", name, static_cast<unsigned long long>(value));
    };
    number("grid", r[k].grid);
    number("threads", r[k].threads);
    number("blocks_run", r[k].blocks_run);
    number("registers", r[k].registers);
    number("shared", r[k].static_shared + r[k].dynamic_shared);
    number("local_bytes", r[k].local_bytes);
    number("blocks_a_multiprocessor", r[k].blocks_a_multiprocessor);
    std::printf(", \"instructions\": {");
    for (int c = 0; c < softgpu::LaunchRecord::classes; ++c)
      std::printf("%s\"%s\": %llu", c == 0 ? "" : ", ", device.class_names[c],
                  static_cast<unsigned long long>(r[k].instructions[c]));
    std::printf("}");
    number("barriers", r[k].barriers);
    number("sectors_loaded", r[k].sectors_loaded);
    number("distinct_loaded", r[k].distinct_loaded);
    number("sectors_stored", r[k].sectors_stored);
    number("distinct_stored", r[k].distinct_stored);
    number("shared_accesses", r[k].shared_accesses);
    number("bank_conflicts", r[k].bank_conflicts);
    number("most_in_flight", r[k].most_in_flight);
    std::printf("}");
  }
  std::printf("]}\n");
  return 0;
}

// A string of JSON.
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

inline int serve(const DeviceMemoryWatch& memory, const CudaTimed& timed) {
  if (const softgpu::LaunchRecords* const device = softgpu::launch_records()) return count(*device, timed);
  span(timed, warm_up);
  std::printf("{%s, \"growth_kib\": %ld}\n", timed.facts.c_str(), memory.growth_kib());
  std::fflush(stdout);
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) {
    double seconds = 0;
    weft::Roofline machine;
    if (timed.profile &&
        std::sscanf(line, "profile %lf %lf", &machine.bytes_per_second, &machine.flops_per_second) == 2) {
      std::printf("{\"profile\": %s}\n", quoted(timed.profile(machine)).c_str());
      std::fflush(stdout);
      continue;
    }
    if (std::sscanf(line, "run %lf", &seconds) != 1) return 2;
    const int count = std::clamp(static_cast<int>(5 * warm_up / span(timed, warm_up)), 1, 1000);
    std::vector<double> found;
    for (const double end = now() + seconds; found.size() < 3 || now() < end;)
      found.push_back(span(timed, count) / count);
    std::printf("{\"ms\": %.6f, \"runs\": %zu}\n", median(found),
                found.size() * static_cast<std::size_t>(count));
    std::fflush(stdout);
  }
  return 0;
}

inline std::string fact(const char* name, weft::i64 value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

// Launches, FLOPs and the bytes that they move, of a compiled program.
inline std::string facts(const weft::compiler::ImageHeader& plan) {
  return fact("launches", plan.launches) + ", " + fact("bytes", plan.bytes) + ", " +
         fact("flops", plan.flops) + ", " + fact("workspace_bytes", plan.workspace_bytes);
}

// Normal numbers, or labels below `classes` (made by the host: where a sample of blocks runs, they are all
// there), in device memory.
template <class T, weft::i64... D>
auto fill(weft::Shape<D...>, int classes) {
  using namespace weft;
  if constexpr (is_float(dtype_of<T>)) {
    return Tensor<T, Shape<D...>, Cuda>(cast<T>(randn<f32, D...>()));
  } else {
    u32 state = 1;
    std::vector<T> labels(static_cast<std::size_t>((D * ... * 1)));
    for (T& label : labels) {
      state = state * 1664525u + 1013904223u;
      label = static_cast<T>((state >> 8) % static_cast<u32>(classes));
    }
    return Tensor<T, Shape<D...>, Cuda>(labels);
  }
}

// A function of tensors as a program whose inputs stay where they are.
template <int Classes, class F, class... I>
int function_case(F, I...) {
  using namespace weft;
  const DeviceMemoryWatch memory;
  using Code = exec::Compiled<exec::FunctionSource<F, I...>>;
  exec::CudaProgram<Code> program(Cuda{}, {});
  int number = 0;
  const auto bind = [&]<class In>(std::type_identity<In>) {
    const auto x = fill<typename In::dtype>(typename In::shape{}, Classes);
    program.bind_input(number++, x.data());
    program.wait();  // x has been copied
  };
  (bind(std::type_identity<I>{}), ...);
  const auto profile = [&](const Roofline& machine) {
    const exec::Explanation e = exec::Shown<typename Code::source, Code>::explanation();
    const std::vector<exec::StepName> names = exec::step_names(e);
    const auto times = exec::measure(Code::header.steps, exec::seconds_to_measure, [&](exec::StepTimes& now) {
      program.run_timed(now, steady_seconds, names);
    });
    return exec::to_text(e, times, machine);
  };
  return serve(memory, {[&] { program.run(); }, facts(Code::header), profile});
}

// A training step on one batch in device memory, which each step copies to its place.
template <class Trainer, class... X>
int training_case(const DeviceMemoryWatch& memory, Trainer trainer, const X&... batch) {
  using namespace weft;
  return serve(memory, {[&] { trainer.step(batch...); }, facts(Trainer::plan()),
                        [&](const Roofline& machine) { return trainer.profile(machine, batch...); }});
}

}  // namespace bench
