#pragma once
// A block of a tensor whose place is read from memory, copied out of it (dynamic_slice) or into it
// (dynamic_update_slice). Law: offsets are clamped so that the block lies inside; nothing else of the tensor
// is touched. Elements are bytes that move, of any dtype.

#include <cstring>

#include "weft/kernels/axis/rows.hpp"

namespace WEFT_NAMESPACE::kernels {

struct BlockOffset {
  const void* value = nullptr;  // one number for each sample
  i64 last = 0;                 // the greatest at which the block lies inside
  i64 stride = 0;               // bytes in the tensor
};

// The block in row-major order, axes that walk both memories as one joined; strides in bytes.
struct BlockCopyArgs {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  i64 samples = 0, size = 0;  // of the batch axes, which come first; units of one sample's block
  int unit = 0;               // bytes that are moved at once
  int axes = 0, offsets = 0;
  i64 extent[8]{}, to_stride[8]{}, from_stride[8]{};
  BlockOffset offset[8];
  WEFT_HD constexpr i64 total() const { return samples * size; }
};

// Numbers: bytes of an element, samples, elements of one sample's block, bytes from the tensor's start to
// the block's where its offsets are 0, number of axes; each axis's extent and strides in the result's memory
// and in the source's; each offset's last value and stride. Addresses: result, source, offsets.
inline BlockCopyArgs block_copy_args(const LaunchArgs& args, const u64* numbers, int count, bool update) {
  BlockCopyArgs r;
  const auto n = [&](int k) { return static_cast<i64>(numbers[k]); };
  r.to = static_cast<std::byte*>(args.pointer[0]);
  r.from = static_cast<const std::byte*>(args.pointer[1]);
  r.unit = static_cast<int>(n(0)), r.samples = n(1), r.size = n(2);
  if (update)
    r.to += n(3);
  else
    r.from += n(3);
  r.axes = static_cast<int>(n(4));
  for (int a = 0; a < r.axes; ++a)
    r.extent[a] = n(5 + 3 * a), r.to_stride[a] = n(6 + 3 * a), r.from_stride[a] = n(7 + 3 * a);
  for (int at = 5 + 3 * r.axes; at < count; at += 2, ++r.offsets)
    r.offset[r.offsets] = {args.pointer[2 + r.offsets], n(at), n(at + 1)};
  return r;
}

// The same in the largest units, up to 16 bytes, that every run consists of.
inline BlockCopyArgs widened(BlockCopyArgs args) {
  const int last = args.axes - 1;
  if (last < 0 || args.to_stride[last] != args.unit || args.from_stride[last] != args.unit) return args;
  u64 all = static_cast<u64>((args.extent[last] | args.size) * args.unit) |
            reinterpret_cast<std::uintptr_t>(args.to) | reinterpret_cast<std::uintptr_t>(args.from);
  for (int a = 0; a < last; ++a) all |= static_cast<u64>(args.to_stride[a] | args.from_stride[a]);
  for (int k = 0; k < args.offsets; ++k)
    if (args.offset[k].last > 0) all |= static_cast<u64>(args.offset[k].stride);
  int unit = 16;
  while (unit > args.unit && all % static_cast<u64>(unit) != 0) unit /= 2;
  args.extent[last] = args.extent[last] * args.unit / unit;
  args.size = args.size * args.unit / unit;
  args.to_stride[last] = args.from_stride[last] = args.unit = unit;
  return args;
}

// How far a sample's offsets move its block, in bytes. `I`: what an offset is.
template <class I>
WEFT_HD_INLINE i64 block_start(const BlockCopyArgs& args, i64 sample) {
  i64 start = 0;
  for (int k = 0; k < args.offsets; ++k) {
    const i64 given = static_cast<i64>(static_cast<const I*>(args.offset[k].value)[sample]),
              last = args.offset[k].last;
    start += (given < 0 ? 0 : given > last ? last : given) * args.offset[k].stride;
  }
  return start;
}

namespace detail {

struct alignas(16) SixteenBytes {
  u64 low, high;
};

// Units [begin, end) of all samples' blocks, one a thread at a time.
template <class U, class I, bool Update, class Team>
WEFT_HD_INLINE void copy_units(Team& team, const BlockCopyArgs& args, i64 begin, i64 end) {
  const i64 shared = args.samples == 1 ? block_start<I>(args, 0) : 0;
  const bool small = args.total() < i64{1} << 31;  // 32-bit division is several times faster
  for (i64 i = begin + team.rank(); i < end; i += team.size()) {
    i64 to = 0, from = 0, rest = i;
    for (int a = args.axes - 1; a >= 0; --a) {
      const i64 extent = args.extent[a];
      const i64 before = a == 0  ? 0
                         : small ? static_cast<i64>(static_cast<u32>(rest) / static_cast<u32>(extent))
                                 : rest / extent;
      const i64 place = rest - before * extent;
      to += place * args.to_stride[a];
      from += place * args.from_stride[a];
      rest = before;
    }
    const i64 start = args.samples == 1 ? shared : block_start<I>(args, i / args.size);
    (Update ? to : from) += start;
    *reinterpret_cast<U*>(args.to + to) = *reinterpret_cast<const U*>(args.from + from);
  }
}

}  // namespace detail

// Units [begin, end) by a team.
template <class I, bool Update, class Team>
WEFT_HD_INLINE void copy_block(Team& team, const BlockCopyArgs& args, i64 begin, i64 end) {
  switch (args.unit) {
    case 16:
      return detail::copy_units<detail::SixteenBytes, I, Update>(team, args, begin, end);
    case 8:
      return detail::copy_units<u64, I, Update>(team, args, begin, end);
    case 4:
      return detail::copy_units<u32, I, Update>(team, args, begin, end);
    case 2:
      return detail::copy_units<u16, I, Update>(team, args, begin, end);
    default:
      return detail::copy_units<u8, I, Update>(team, args, begin, end);
  }
}

// The same by one thread, run by run; [begin, end) lies in one sample.
template <class I, bool Update>
void copy_block_serially(const BlockCopyArgs& args, i64 begin, i64 end) {
  const i64 start = block_start<I>(args, begin / args.size);
  std::byte* const to = args.to + (Update ? start : 0);
  const std::byte* const from = args.from + (Update ? 0 : start);
  const int last = args.axes - 1;
  const i64 row = last < 0 ? 1 : args.extent[last];
  const bool run = last < 0 || (args.to_stride[last] == args.unit && args.from_stride[last] == args.unit);
  for (i64 i = begin; i < end;) {
    const i64 first = i % row, count = row - first < end - i ? row - first : end - i;
    i64 rest = i / row, at = 0, source = 0;
    for (int a = last - 1; a >= 0; --a) {
      at += rest % args.extent[a] * args.to_stride[a];
      source += rest % args.extent[a] * args.from_stride[a];
      rest /= args.extent[a];
    }
    if (run) {
      std::memcpy(to + at + first * args.unit, from + source + first * args.unit,
                  static_cast<std::size_t>(count * args.unit));
    } else {
      const auto each = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
        for (i64 k = first; k < first + count; ++k)
          std::memcpy(to + at + k * args.to_stride[last], from + source + k * args.from_stride[last], Bytes);
      };
      if (args.unit == 1) each(std::integral_constant<int, 1>{});
      if (args.unit == 2) each(std::integral_constant<int, 2>{});
      if (args.unit == 4) each(std::integral_constant<int, 4>{});
      if (args.unit == 8) each(std::integral_constant<int, 8>{});
    }
    i += count;
  }
}

}  // namespace WEFT_NAMESPACE::kernels
