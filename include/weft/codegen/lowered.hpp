#pragma once
// What lowering yields: the distinct kernels as words, and the steps that launch them in order. This is what
// is frozen into a program's constant data.

#include "weft/kernels/code.hpp"
#include "weft/passes/plan.hpp"

namespace weft::codegen {

enum class StepKind : u8 {
  loop,
  finish,
  dot,
  gather,
  scatter_add,
  copy,
  scan,
  argsort,
  take,
  scatter,
  search,
  conv
};

// The fold of a reduction.
constexpr kernels::Fold fold_of(ir::Op op) {
  switch (op) {
    case ir::Op::reduce_max:
      return kernels::Fold::max;
    case ir::Op::reduce_min:
      return kernels::Fold::min;
    case ir::Op::reduce_prod:
      return kernels::Fold::prod;
    case ir::Op::argmax:
      return kernels::Fold::argmax;
    case ir::Op::argmin:
      return kernels::Fold::argmin;
    default:
      return kernels::Fold::sum;
  }
}

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
  List<u64> words;  // of all kernels
  List<Step> steps;
  List<u64> addresses;  // passes::Address of every operand
  List<u64> numbers;

  // The number of the kernel with these words; equal kernels are one.
  constexpr int kernel(StepKind kind, const List<u64>& code) {
    return kernel(kind, code.data(), code.size());
  }
  constexpr int kernel(StepKind kind, const u64* code, int size) {
    u64 h = static_cast<u64>(kind) + 1;
    for (int i = 0; i < size; ++i) h = (h ^ (h >> 31) ^ code[i]) * 0x9e3779b97f4a7c15ull;
    const u64* hashes = hashes_.data();
    for (int k = 0; k < kernels.size(); ++k) {
      if (hashes[k] != h || kernels[k].kind != kind || kernels[k].words.size != size) continue;
      const u64* known = words.data() + kernels[k].words.begin;
      bool same = true;
      for (int i = 0; i < size && same; ++i) same = known[i] == code[i];
      if (same) return k;
    }
    kernels.push({kind, {words.size(), size}});
    hashes_.push(h);
    words.append(code, size);
    return kernels.size() - 1;
  }
  constexpr Step& step(StepKind kind, int kernel_number, const List<u64>& at, const List<u64>& more) {
    Step s;
    s.kind = kind;
    s.kernel = kernel_number;
    s.addresses = {addresses.size(), at.size()};
    addresses.append(at.data(), at.size());
    s.numbers = {numbers.size(), more.size()};
    numbers.append(more.data(), more.size());
    steps.push(s);
    return steps.back();
  }

  // Adds the steps of another part of the same program behind these.
  constexpr void append(const Lowered& part) {
    List<int> renumbered(part.kernels.size(), 0);
    for (int k = 0; k < part.kernels.size(); ++k)
      renumbered[k] = kernel(part.kernels[k].kind, part.words.data() + part.kernels[k].words.begin,
                             part.kernels[k].words.size);
    for (Step s : part.steps) {
      s.kernel = renumbered[s.kernel];
      s.addresses.begin += addresses.size();
      s.numbers.begin += numbers.size();
      steps.push(s);
    }
    addresses.append(part.addresses.data(), part.addresses.size());
    numbers.append(part.numbers.data(), part.numbers.size());
  }

 private:
  List<u64> hashes_;
};

}  // namespace weft::codegen
