#pragma once
// How each kind of step runs on the host. Work is cut by size, so results do not depend on the threads.

#include <cstring>

#include "weft/kernels/axis/rows.hpp"
#include "weft/kernels/conv/host.hpp"
#include "weft/kernels/fused/body.hpp"
#include "weft/kernels/fused/combine_partials.hpp"
#include "weft/kernels/gemm/call.hpp"
#include "weft/kernels/gemm/host.hpp"

namespace WEFT_NAMESPACE::kernels {

// One step, ready to run: pointers resolved, numbers as its kind defines them.
struct HostLaunch {
  void (*run)(const HostLaunch&, int threads) = nullptr;
  LaunchArgs args;
  const u64* numbers = nullptr;
  int number_count = 0;
  PartialSum* sums = nullptr;  // of a second stage
  int sum_count = 0;
};

template <class C>
void run_fused(const HostLaunch& launch, int threads) {
  using Body = FusedBody<C, LaneFamily, SerialTeam>;
  parallel_for(launch.args.chunks, threads, [&](i64 chunk) {
    alignas(64) std::byte kept[static_cast<std::size_t>(Body::kept_bytes()) + 64];
    SerialTeam team(kept, Body::kept_bytes() + 64);
    typename Body::Window windows[Body::window_count];
    Body body(team, launch.args, windows);
    body.run(chunk);
  });
}

// `Set`: the types and folds of the program's sums.
template <u64 Set>
void run_combine_partials(const HostLaunch& launch, int) {
  SerialTeam team;
  i64 blocks = 0;
  const CombineArgs args = combine_args(launch.sums, launch.sum_count, team.size(), blocks);
  for (i64 b = 0; b < blocks; ++b) combine_block<Set>(team, args, b);
}

// Words and numbers: gemm/call.hpp.
template <class C>
void run_dot(const HostLaunch& launch, int threads) {
  using A = ctype<static_cast<DType>(C::w[0])>;
  using B = ctype<static_cast<DType>(C::w[1])>;
  using R = ctype<static_cast<DType>(C::w[2])>;
  const DotCall call = dot_call(launch.numbers);
  DotEpilogue<R> epilogue;
  if constexpr ((C::w[3] & dot_adds) != 0) {
    epilogue.add = static_cast<const R*>(launch.args.pointer[3]);
    epilogue.add_row = call.shape.c_row;
  }
  if constexpr ((C::w[3] & dot_has_bias) != 0)
    epilogue.bias = static_cast<const DotSum<R>*>(launch.args.pointer[4]);
  dot<A, B, R>(call.shape, call.batch, static_cast<const A*>(launch.args.pointer[0]),
               static_cast<const B*>(launch.args.pointer[1]), static_cast<R*>(launch.args.pointer[2]),
               threads, epilogue);
}

// Words: dtypes of x, w, y. Numbers: conv_call's.
template <class C>
void run_conv(const HostLaunch& launch, int threads) {
  using X = ctype<static_cast<DType>(C::w[0])>;
  using W = ctype<static_cast<DType>(C::w[1])>;
  using Y = ctype<static_cast<DType>(C::w[2])>;
  conv<X, W, Y>(conv_call(launch.numbers), static_cast<const X*>(launch.args.pointer[0]),
                static_cast<const W*>(launch.args.pointer[1]), static_cast<Y*>(launch.args.pointer[2]),
                threads);
}

template <class C>
void run_gather(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  const IndexArgs args = index_args(launch.args, launch.numbers);
  const i64 together = args.width > 0 && args.width < 16384 ? 16384 / args.width : 1;
  parallel_for((args.count + together - 1) / together, threads, [&](i64 block) {
    SerialTeam team;
    const i64 end = (block + 1) * together < args.count ? (block + 1) * together : args.count;
    gather_rows<T, I, int{sizeof(T)}>(team, args, block * together, end);
  });
}

template <class C>
void run_scatter_add(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  const IndexArgs args = index_args(launch.args, launch.numbers);
  const TableCut cut = table_cut(args.rows, args.width, args.count);
  parallel_for(cut.row_pieces * cut.column_pieces, threads, [&](i64 piece) {
    const i64 row = piece / cut.column_pieces * cut.rows, column = piece % cut.column_pieces * cut.columns;
    const i64 row_end = row + cut.rows < args.rows ? row + cut.rows : args.rows;
    scatter_add_tile<T, I>(args, row, row_end, column,
                           column + cut.columns < args.width ? column + cut.columns : args.width);
  });
}

inline void run_copy(const HostLaunch& launch, int) {
  std::memmove(launch.args.pointer[1], launch.args.pointer[0], static_cast<std::size_t>(launch.numbers[0]));
}

}  // namespace WEFT_NAMESPACE::kernels
