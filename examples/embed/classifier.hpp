#pragma once
// What the application knows of its model: types that can be written down, no device and no kernel.

#include <cstddef>
#include <memory>
#include <string>
#include <weft/exec/any_function.hpp>
#include <weft/train/any_trainer.hpp>

inline constexpr weft::i64 batch = 32;

using Images = weft::Tensor<weft::f32, weft::Shape<batch, 64>>;
using Labels = weft::Tensor<weft::i32, weft::Shape<batch>>;
using Scores = weft::Tensor<weft::f32, weft::Shape<batch, 10>>;

// "cuda" where this program was built for a GPU and finds one, else "cpu".
const char* device_name();
// A stream of the GPU, null on the CPU.
void* make_stream();
void destroy_stream(void* stream);
// Memory that the device works on, 256-byte aligned; null where there is none left.
void* allocate_memory(std::size_t bytes);
void free_memory(void* memory);

// Trains on the given stream.
using Training = weft::AnyTrainer<Images, Labels>;
Training make_training(void* stream, weft::i64 steps);

// A trained model.
class Classifier {
 public:
  static weft::i64 state_bytes();
  // Reads the parameters into state_bytes() of device memory that the caller owns; works on the caller's
  // stream.
  Classifier(const std::string& path, void* stream, void* state);
  ~Classifier();

  // predict.into(scores)(images) with raw pointers to host memory.
  weft::Function<Scores(Images)> predict;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
