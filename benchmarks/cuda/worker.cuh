#pragma once
// A benchmark's process on a GPU: it holds one case ready and times it when told to
// (benchmarks/host/worker.hpp has the protocol). Times are of events around some milliseconds of executions,
// by execution.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "../host/worker.hpp"

namespace bench {

// What is timed: run() enqueues one execution in the calling thread's stream.
struct CudaTimed {
  std::function<void()> run;
  std::string facts;  // of the case, as members of a JSON object
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

inline int serve(const DeviceMemoryWatch& memory, const CudaTimed& timed) {
  span(timed, warm_up);
  const double one = span(timed, warm_up) / warm_up;
  const int count = std::clamp(static_cast<int>(5 / one), 1, 1000);
  std::printf("{%s, \"growth_kib\": %ld}\n", timed.facts.c_str(), memory.growth_kib());
  std::fflush(stdout);
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) {
    double seconds = 0;
    if (std::sscanf(line, "run %lf", &seconds) != 1) return 2;
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

// Normal numbers, or labels below `classes`, in device memory.
template <class T, weft::i64... D>
auto fill(weft::Shape<D...>, int classes) {
  using namespace weft;
  if constexpr (is_float(dtype_of<T>))
    return Tensor<T, Shape<D...>, Cuda>(cast<T>(randn<f32, D...>()));
  else
    return Tensor<T, Shape<D...>, Cuda>(cast<T>(randint<i32, D...>(0, classes)));
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
  return serve(memory, {[&] { program.run(); }, facts(Code::header)});
}

// A training step on one batch in device memory, which each step copies to its place.
template <class Trainer, class... X>
int training_case(const DeviceMemoryWatch& memory, Trainer trainer, const X&... batch) {
  return serve(memory, {[&] { trainer.step(batch...); }, facts(Trainer::plan())});
}

}  // namespace bench
