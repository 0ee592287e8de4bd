#pragma once
// How the primitives along one axis run on the host. Work is cut by size, so results do not depend on the
// threads.

#include "weft/kernels/axis/dynamic_slice.hpp"
#include "weft/kernels/axis/index.hpp"
#include "weft/kernels/axis/sort.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {
inline constexpr i64 line_block = 16384;   // elements a unit of work
inline constexpr i64 block_bytes = 65536;  // that a unit of work copies
}  // namespace detail

// Words of all: the dtypes of a and b, and the fold.
template <class C>
void run_scan(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  constexpr Fold f = static_cast<Fold>(C::w[2]);
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 blocks = (args.outer * args.inner + scan_block_lines - 1) / scan_block_lines;
  const i64 elements = scan_block_lines * args.extent;
  const i64 together = elements > 0 && elements < detail::line_block ? detail::line_block / elements : 1;
  parallel_for((blocks + together - 1) / together, threads, [&](i64 part) {
    const i64 end = (part + 1) * together < blocks ? (part + 1) * together : blocks;
    for (i64 block = part * together; block < end; ++block) scan_block<T, f>(args, block);
  });
}

template <class C>
void run_argsort(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using Item = sort_item<T>;
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 lines = args.outer * args.inner, n = args.extent;
  if (n > sort_tile_size)
    return parallel_for(lines, threads, [&](i64 line) {
      argsort_line<T>(args, line, static_cast<Item*>(args.scratch) + line * 2 * n);
    });
  const i64 together = n > 0 && n < 512 ? 512 / n : 1;
  parallel_for(n > 0 ? (lines + together - 1) / together : 0, threads, [&](i64 part) {
    Item items[2 * sort_tile_size];
    const i64 end = (part + 1) * together < lines ? (part + 1) * together : lines;
    for (i64 line = part * together; line < end; ++line) argsort_line<T>(args, line, items);
  });
}

template <class C>
void run_take(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 size = args.outer * args.count * args.inner;
  parallel_for((size + detail::line_block - 1) / detail::line_block, threads, [&](i64 part) {
    SerialTeam team;
    const i64 begin = part * detail::line_block, end = begin + detail::line_block;
    take_elements<T, I>(team, args, begin, end < size ? end : size);
  });
}

template <class C>
void run_scatter(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  constexpr Fold f = static_cast<Fold>(C::w[2]);
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  TableCut cut = table_cut(args.extent, args.inner, args.count);
  if (args.b_stride[2] != 0) {  // every column has its own indices
    cut.rows = args.extent;
    cut.row_pieces = 1;
    cut.columns = (args.extent + args.count) * args.inner < 65536 ? args.inner : 64;
    cut.column_pieces = args.inner > 0 ? (args.inner + cut.columns - 1) / cut.columns : 0;
  }
  const i64 pieces = cut.row_pieces * cut.column_pieces;
  parallel_for(args.outer * pieces, threads, [&](i64 part) {
    SerialTeam team;
    const i64 piece = part % pieces;
    const i64 row = piece / cut.column_pieces * cut.rows, column = piece % cut.column_pieces * cut.columns;
    const i64 row_end = row + cut.rows < args.extent ? row + cut.rows : args.extent;
    scatter_tile<T, I, f>(team, args, part / pieces, row, row_end, column,
                          column + cut.columns < args.inner ? column + cut.columns : args.inner);
  });
}

template <class C>
void run_search(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  const AxisArgs args = axis_args(launch.args, launch.numbers);
  const i64 size = args.outer * args.count, block = 1024;
  parallel_for((size + block - 1) / block, threads, [&](i64 part) {
    SerialTeam team;
    const i64 end = (part + 1) * block;
    search_elements<T>(team, args, part * block, end < size ? end : size);
  });
}

// Word: the dtype of the offsets. No unit of work goes across samples.
template <class C, bool Update>
void run_block_copy(const HostLaunch& launch, int threads) {
  using I = ctype<static_cast<DType>(C::w[0])>;
  const BlockCopyArgs args = block_copy_args(launch.args, launch.numbers, launch.number_count, Update);
  const i64 each = detail::block_bytes / args.unit, pieces = (args.size + each - 1) / each;
  const i64 together = pieces == 1 ? (each + args.size - 1) / args.size : 1;  // samples
  parallel_for((args.samples * pieces + together - 1) / together, threads, [&](i64 part) {
    const i64 end =
        (part + 1) * together < args.samples * pieces ? (part + 1) * together : args.samples * pieces;
    for (i64 piece = part * together; piece < end; ++piece) {
      const i64 first = piece / pieces * args.size, begin = piece % pieces * each;
      copy_block_serially<I, Update>(args, first + begin,
                                     first + (begin + each < args.size ? begin + each : args.size));
    }
  });
}

}  // namespace WEFT_NAMESPACE::kernels
