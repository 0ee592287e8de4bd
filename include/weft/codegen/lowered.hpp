#pragma once
// What lowering yields: the distinct kernels as words, and the steps that launch them in order. This is what is
// frozen into a program's constant data.

#include "weft/kernels/code.hpp"
#include "weft/passes/plan.hpp"

namespace weft::codegen {

enum class StepKind : u8 { loop, finish, dot, gather, scatter_add, copy };

// One launch. `numbers` are the arguments that are not addresses, in the order its kind defines.
struct Step {
  StepKind kind{};
  int kernel = 0;
  ir::Span addresses, numbers;
  i64 bytes = 0;  // read and written, each operand once
  i64 flops = 0;
};

struct Kernel {
  StepKind kind{};
  ir::Span words;
};

struct Lowered {
  List<Kernel> kernels;
  List<u64> words;      // of all kernels
  List<Step> steps;
  List<u64> addresses;  // passes::Address of every operand
  List<u64> numbers;

  // The number of the kernel with these words; equal kernels are one.
  constexpr int kernel(StepKind kind, const List<u64>& code) {
    u64 h = static_cast<u64>(kind) + 1;
    for (u64 w : code) h = (h ^ (h >> 31) ^ w) * 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < kernels.size(); ++k) {
      if (hashes_[k] != h || kernels[k].kind != kind || kernels[k].words.size != code.size()) continue;
      bool same = true;
      for (int i = 0; i < code.size() && same; ++i) same = words[kernels[k].words.begin + i] == code[i];
      if (same) return k;
    }
    kernels.push({kind, {words.size(), code.size()}});
    hashes_.push(h);
    for (u64 w : code) words.push(w);
    return kernels.size() - 1;
  }
  constexpr Step& step(StepKind kind, int kernel_number, const List<u64>& at, const List<u64>& more) {
    Step s;
    s.kind = kind;
    s.kernel = kernel_number;
    s.addresses = {addresses.size(), at.size()};
    for (u64 a : at) addresses.push(a);
    s.numbers = {numbers.size(), more.size()};
    for (u64 n : more) numbers.push(n);
    steps.push(s);
    return steps.back();
  }

 private:
  List<u64> hashes_;
};

}  // namespace weft::codegen
