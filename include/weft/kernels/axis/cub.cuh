#pragma once
// Long lines on a GPU sorted by CUB's radix sort, all lines of a call at once: by their keys, and then by the
// numbers of the lines. Law: keys keep the order of their places, so the places are those of every other
// sort, bit for bit. (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
// Adinets and Merrill, "Onesweep", 2022.)

#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "weft/kernels/axis/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// Element i of line l as a key and l << place_bits | i: in one word where a key has 32 bits, else as two.
template <u64 Tag, u64 T>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    cub_items_kernel(const __grid_constant__ AxisArgs args, u64* keys, u64* places, int place_bits) {
  using Element = ctype<static_cast<DType>(T)>;
  const i64 at = static_cast<i64>(blockIdx.x) * axis_threads + static_cast<i64>(threadIdx.x);
  if (at >= args.outer * args.inner * args.extent) return;
  // threads that are neighbours read neighbours in memory
  const i64 k = at % args.inner, i = at / args.inner % args.extent, o = at / args.inner / args.extent;
  const i64 line = o * args.inner + k, to = line * args.extent + i, place = line << place_bits | i;
  const Element x =
      static_cast<const Element*>(args.a)[o * args.a_stride[0] + i * args.a_stride[1] + k * args.a_stride[2]];
  const auto item = make_sort_item(x, place, args.flag);
  if constexpr (sizeof(Element) == 8) {
    keys[to] = item.key;
    places[to] = item.at;
  } else {
    keys[to] = item.word;
  }
}

// The places of the first `count` elements of each line, of sorted items.
template <u64 Tag>
__global__ void __launch_bounds__(axis_threads) WEFT_KERNEL
    cub_places_kernel(const __grid_constant__ AxisArgs args, const u64* items, int place_bits) {
  const i64 at = static_cast<i64>(blockIdx.x) * axis_threads + static_cast<i64>(threadIdx.x);
  if (at >= args.outer * args.count * args.inner) return;
  const i64 k = at % args.inner, i = at / args.inner % args.count, o = at / args.inner / args.count;
  const u64 item = items[(o * args.inner + k) * args.extent + i];
  static_cast<i64*>(args.out)[at] = static_cast<i64>(item & ((u64{1} << place_bits) - 1));
}

// False, and nothing is begun, where CUB does not sort so many or needs more memory than `args` has for it.
template <u64 T>
bool sort_by_cub(const AxisArgs& args, cudaStream_t stream) {
  constexpr bool two = size_of(static_cast<DType>(T)) == 8;
  const i64 lines = args.outer * args.inner, total = lines * args.extent;
  const auto bits_below = [](i64 n) { return static_cast<int>(std::bit_width(static_cast<u64>(n - 1))); };
  const int place_bits = bits_below(args.extent), bits = place_bits + bits_below(lines);
  if (total > 2147483647 || (!two && bits > 32)) return false;

  u64* const memory = static_cast<u64*>(args.scratch);
  cub::DoubleBuffer<u64> keys(memory, memory + total);
  cub::DoubleBuffer<u64> places(memory + 2 * total, memory + 3 * total);
  void* temporary = memory + (two ? 4 : 2) * total;
  // Stable; of keys alone, or of keys with places. Null for `at`: what it needs, in `bytes`.
  const auto sort = [&](void* at, std::size_t& bytes, cub::DoubleBuffer<u64>& by,
                        cub::DoubleBuffer<u64>& with, int begin, int end) {
    const int n = static_cast<int>(total);
    if constexpr (two)
      return cub::DeviceRadixSort::SortPairs(at, bytes, by, with, n, begin, end, stream);
    else
      return cub::DeviceRadixSort::SortKeys(at, bytes, by, n, begin, end, stream);
  };
  std::size_t bytes = 0;
  cuda_check(sort(nullptr, bytes, keys, places, 0, 64), "cub::DeviceRadixSort");
  if (static_cast<i64>(bytes) > radix_sort_bytes(total)) return false;

  cub_items_kernel<kernel_tag, T>
      <<<cuda_blocks((total + axis_threads - 1) / axis_threads), axis_threads, 0, stream>>>(
          args, keys.Current(), places.Current(), place_bits);
  cuda_check(sort(temporary, bytes, keys, places, two ? 0 : 32, 64), "cub::DeviceRadixSort");
  auto& items = two ? places : keys;
  if (lines > 1)
    cuda_check(sort(temporary, bytes, items, two ? keys : places, place_bits, bits), "cub::DeviceRadixSort");
  const i64 results = lines * args.count;
  if (results > 0)
    cub_places_kernel<kernel_tag>
        <<<cuda_blocks((results + axis_threads - 1) / axis_threads), axis_threads, 0, stream>>>(
            args, items.Current(), place_bits);
  return true;
}

// Where this header is included in one file of a program, all of its files sort so.
inline const bool sorts_by_cub = [] {
  const auto serve = [](auto type) {
    constexpr u64 T = static_cast<u64>(dtype_of<decltype(type)>);
    sort_long_lines<T> = &sort_by_cub<T>;
  };
  serve(f32{}), serve(f64{}), serve(i32{}), serve(i64{});
  return true;
}();

}  // namespace WEFT_NAMESPACE::kernels
