#pragma once
// The convolution on tensor cores, as conv/packed.hpp cuts it: kernels that pack the operands, and an
// implicit product whose rows are outputs and whose columns are places. Chunks of both operands that lie next
// go by in a ring of stages in shared memory.

#include "weft/kernels/conv/packed.hpp"
#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/mma/shared_tile.cuh"
#include "weft/kernels/mma/swizzled_tile.cuh"

namespace WEFT_NAMESPACE::kernels {

// A tile of elements x channels through shared memory, so that both sides are read and written along what
// lies next to each other. Type: bf16, f16, or f32, which is rounded to tf32.
template <u64 Tag, u64 Type>
__global__ void __launch_bounds__(conv_pack_threads) WEFT_KERNEL
    conv_pack_kernel(const __grid_constant__ ConvPack p, const void* from_, void* to_) {
  using T = ctype<static_cast<DType>(Type)>;
  constexpr int of_a_word = 4 / static_cast<int>(sizeof(T));
  __shared__ u32 tile[conv_pack_tile / of_a_word * 5 / 4];  // a few gaps a row
  const int rank = static_cast<int>(threadIdx.x);
  constexpr int word_bits = of_a_word / 2;
  const int element_bits = p.element_bits, row_bits = p.channel_bits - word_bits;
  const int elements = 1 << element_bits, channels = 1 << p.channel_bits, row_words = 1 << row_bits;
  const int pitch = conv_pack_pitch(p, sizeof(T));
  // a grid has fewer than 2^31 blocks
  const u32 channel_tiles = static_cast<u32>(p.channel_tiles()),
            element_tiles = static_cast<u32>(p.element_tiles());
  const u32 first_channel = blockIdx.x % channel_tiles * static_cast<u32>(channels);
  const i64 first_element = i64{blockIdx.x / channel_tiles % element_tiles} * elements;
  const u32 lead = blockIdx.x / channel_tiles / element_tiles, lead_1 = static_cast<u32>(p.lead[1]);

  // a thread keeps its element
  const int element = rank & (elements - 1);
  const T* from =
      static_cast<const T*>(from_) + lead / lead_1 * p.lead_step[0] + lead % lead_1 * p.lead_step[1];
  const i64 at = first_element + element, count = p.elements();
  if (count >> 32 == 0) {  // nearly always, and a division of 32 bits takes a fifth of the instructions
    u32 rest = static_cast<u32>(at);
#pragma unroll
    for (int k = 2; k > 0; --k) {
      const u32 extent = static_cast<u32>(p.extent[k]);
      from += i64{rest % extent} * p.step[k];
      rest /= extent;
    }
    from += i64{rest} * p.step[0];
  } else {
    i64 rest = at;
#pragma unroll
    for (int k = 2; k >= 0; --k) {
      from += rest % p.extent[k] * p.step[k];
      rest /= p.extent[k];
    }
  }
  const i64 channels_left = p.channels - first_channel;
  const int there = at >= count ? 0 : static_cast<int>(channels_left < channels ? channels_left : channels);
  const int first = rank >> element_bits, apart = conv_pack_threads >> element_bits;
  from += (first_channel + first) * p.channel_step;
  const i64 step = apart * p.channel_step;
#pragma unroll 4
  for (int c = first; c < channels; c += apart, from += step) {
    u32* const word = tile + c / of_a_word * pitch + element;
    if constexpr (of_a_word == 1)
      *word = c < there ? detail::to_tf32(*from) : 0;
    else
      reinterpret_cast<T*>(word)[c % of_a_word] = c < there ? *from : T{};
  }
  __syncthreads();
  const int c = rank & (row_words - 1), e = rank >> row_bits, rows = conv_pack_threads >> row_bits;
  if (first_channel + c * of_a_word >= p.padded) return;
  const i64 row_pitch = p.padded / of_a_word;
  u32* to =
      static_cast<u32*>(to_) + (lead * count + first_element + e) * row_pitch + first_channel / of_a_word + c;
  const u32* word = tile + c * pitch + e;
  const int tall = static_cast<int>(count - first_element < elements ? count - first_element : elements);
#pragma unroll 4
  for (int k = e; k < tall; k += rows, to += rows * row_pitch, word += rows) *to = *word;
}

template <class T>
struct ConvMma {
  using Atom = MmaAtom<std::conditional_t<std::is_same_v<T, f32>, Tf32, T>>;
  static constexpr int chunk = static_cast<int>(conv_chunk(sizeof(T)));
  static constexpr int stage_bytes = SwizzledTile::bytes(conv_mma_outputs + conv_mma_places);
  static constexpr int threads_a_row = conv_mma_chunks;
  static constexpr int rows_at_once = conv_mma_threads / threads_a_row;
  static constexpr int output_rows = conv_mma_outputs / rows_at_once,
                       place_rows = conv_mma_places / rows_at_once;  // of a thread
  // A warp's part of the block's tile: 32 outputs x 64 places.
  static constexpr int row_atoms = 2, column_atoms = 8;
  // Of the sums on their way out: two rows of a quarter of a warp's are in all banks once.
  static constexpr int sums_pitch = conv_mma_places + 8;
  static constexpr int shared_bytes = stage_bytes * conv_mma_stages;
  static_assert(sums_pitch * conv_mma_outputs * 4 <= shared_bytes && shared_bytes <= 48 * 1024);
};

// Y: the dtype of the result. args.x and args.w are packed, args.shape is a phase over them.
template <u64 Tag, u64 Type, u64 Y>
__global__ void __launch_bounds__(conv_mma_threads, 3) WEFT_KERNEL
    conv_mma_kernel(const __grid_constant__ ConvBlockArgs args, const __grid_constant__ ConvMmaWalk walk) {
  using T = ctype<static_cast<DType>(Type)>;
  using TY = ctype<static_cast<DType>(Y)>;
  using Kernel = ConvMma<T>;
  using Atom = typename Kernel::Atom;
  __shared__ __align__(128) unsigned char memory[Kernel::shared_bytes];
  const ConvShape& s = args.shape;
  const int rank = static_cast<int>(threadIdx.x);
  // a grid has fewer than 2^31 blocks
  u32 block = blockIdx.x;
  const u32 output_tiles = static_cast<u32>(args.cut.output_tiles),
            place_tiles = static_cast<u32>(args.cut.place_tiles), groups = static_cast<u32>(s.groups);
  const i64 first_output =
      i64{block % output_tiles} * conv_mma_outputs;  // neighbours share what they read of x
  block /= output_tiles;
  const i64 first_place = i64{block % place_tiles} * conv_mma_places;
  block /= place_tiles;
  const u32 group = block % groups, part = block / groups;
  const int first_step = static_cast<int>(part) * static_cast<int>(args.cut.steps);
  const int steps_left = (walk.all_chunks + conv_mma_chunks - 1) / conv_mma_chunks - first_step;
  const int steps =
      steps_left < static_cast<int>(args.cut.steps) ? steps_left : static_cast<int>(args.cut.steps);

  // What this thread copies: one column of chunks of some rows of each operand. It walks along the chunks of
  // a tap's channels, then along the taps.
  const int column = rank % conv_mma_chunks, row = rank / conv_mma_chunks;
  const int first_chunk = first_step * conv_mma_chunks + column;
  // chunks of the sum from this thread's on, of this part
  int left = (walk.all_chunks - first_chunk) < conv_mma_chunks * steps ? walk.all_chunks - first_chunk
                                                                       : conv_mma_chunks * steps;
  i32 channel_chunk = 0, by[3]{};  // by: how far the tap is from the window's corner
  const T* x = static_cast<const T*>(args.x) + group * s.x_g;
  const T* w = static_cast<const T*>(args.w) + group * s.w_g + (first_output + row) * s.w_o;
  if (steps > 0) {
    int rest = first_chunk / walk.chunks;
    channel_chunk = first_chunk - rest * walk.chunks;
    x += channel_chunk * Kernel::chunk;
    w += channel_chunk * Kernel::chunk;
#pragma unroll
    for (int k = 2; k >= 0; --k) {
      const int window = static_cast<int>(s.axis[k].window), next = k > 0 ? rest / window : 0;
      const int tap = rest - next * window;
      rest = next;
      by[k] = tap * walk.apart[k];
      x += by[k] * s.axis[k].x;
      w += tap * s.axis[k].w;
    }
  }
  // the corners of the windows of its places: along each axis, and in chunks of x from the first one's image
  i32 corner[Kernel::place_rows][3], corner_at[Kernel::place_rows];
  {
    const i64 first_image = first_place / walk.places;
    const u32 first = static_cast<u32>(first_place - first_image * walk.places);
    x += first_image * s.x_n;
#pragma unroll
    for (int i = 0; i < Kernel::place_rows; ++i) {
      u32 rest = first + static_cast<u32>(row + i * Kernel::rows_at_once);
      const u32 image = rest / walk.places;
      rest -= image * walk.places;
      corner_at[i] = static_cast<i32>(image) * walk.images;
#pragma unroll
      for (int k = 2; k >= 0; --k) {
        const u32 next = k > 0 ? rest / walk.out[k] : 0;
        corner[i][k] = static_cast<i32>(rest - next * walk.out[k]) * walk.stride[k] - walk.low[k];
        corner_at[i] += corner[i][k] * walk.x[k];
        rest = next;
      }
      if (first_image + image >= s.batch) corner[i][0] = conv_nowhere;
    }
  }
  const int output_rows_there = static_cast<int>(
      s.outputs - first_output < conv_mma_outputs ? s.outputs - first_output : conv_mma_outputs);

  const auto copy = [&](int stage) __attribute__((always_inline)) {
    unsigned char* const tile = memory + stage * Kernel::stage_bytes;
    // where nothing is there nothing is read, wherever the address leads
#pragma unroll
    for (int i = 0; i < Kernel::output_rows; ++i) {
      const int r = row + i * Kernel::rows_at_once;
      detail::copy_16_bytes(tile + SwizzledTile::at(r, column), w + i * walk.w_rows,
                            (left > 0) & (r < output_rows_there) ? 16 : 0);
    }
#pragma unroll
    for (int i = 0; i < Kernel::place_rows; ++i) {
      bool there = left > 0;
#pragma unroll
      for (int k = 0; k < 3; ++k) there &= static_cast<u32>(corner[i][k] + by[k]) < walk.in[k];
      detail::copy_16_bytes(
          tile + SwizzledTile::at(conv_mma_outputs + row + i * Kernel::rows_at_once, column),
          x + i64{corner_at[i]} * Kernel::chunk, there ? 16 : 0);
    }
    left -= conv_mma_chunks;
    channel_chunk += conv_mma_chunks;
    x += conv_mma_chunks * Kernel::chunk;
    w += conv_mma_chunks * Kernel::chunk;
    while (channel_chunk >= walk.chunks) {
      channel_chunk -= walk.chunks;
      x += walk.x_next[2];
      w += walk.w_next[2];
      by[2] += walk.apart[2];
      if (by[2] < walk.end[2]) continue;
      by[2] = 0;
      x += walk.x_next[1];
      w += walk.w_next[1];
      by[1] += walk.apart[1];
      if (by[1] < walk.end[1]) continue;
      by[1] = 0;
      x += walk.x_next[0];
      w += walk.w_next[0];
      by[0] += walk.apart[0];
    }
  };

  float sums[Kernel::row_atoms][Kernel::column_atoms][4];
#pragma unroll
  for (int i = 0; i < Kernel::row_atoms; ++i)
#pragma unroll
    for (int j = 0; j < Kernel::column_atoms; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0;
  const int warp = rank / 32, warp_row = warp / 2 * 16 * Kernel::row_atoms,
            warp_column = warp % 2 * 8 * Kernel::column_atoms;
#pragma unroll 1
  for (int stage = 0; stage < conv_mma_stages - 1; ++stage) {
    if (stage < steps) copy(stage);
    end_group_of_copies();
  }
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<conv_mma_stages - 2>();
    __syncthreads();  // and everybody has done with the stage that is copied to next
    if (step + conv_mma_stages - 1 < steps) copy((step + conv_mma_stages - 1) % conv_mma_stages);
    end_group_of_copies();
    const unsigned char* const tile = memory + step % conv_mma_stages * Kernel::stage_bytes;
#pragma unroll
    for (int c = 0; c < conv_mma_chunks; c += 2) {
      typename Atom::A a[Kernel::row_atoms];
#pragma unroll
      for (int i = 0; i < Kernel::row_atoms; ++i)
        a[i] = SwizzledTile::load_a<Atom>(tile, warp_row + 16 * i, c);
#pragma unroll
      for (int j = 0; j < Kernel::column_atoms; j += 2) {
        typename Atom::B b[2];
        SwizzledTile::load_b<Atom>(b, tile, conv_mma_outputs + warp_column + 8 * j, c);
#pragma unroll
        for (int i = 0; i < Kernel::row_atoms; ++i) {
          Atom::multiply_add(sums[i][j], a[i], b[0]);
          Atom::multiply_add(sums[i][j + 1], a[i], b[1]);
        }
      }
    }
  }
  wait_for_copies<0>();
  __syncthreads();

  // through shared memory, so that neighbouring threads have neighbouring places
  float* const out = reinterpret_cast<float*>(memory);
  const MmaPlace at;
#pragma unroll
  for (int i = 0; i < Kernel::row_atoms; ++i)
#pragma unroll
    for (int j = 0; j < Kernel::column_atoms; ++j) {
      float* const p =
          out + (warp_row + 16 * i + at.row) * Kernel::sums_pitch + warp_column + 8 * j + at.column;
      *reinterpret_cast<float2*>(p) = make_float2(sums[i][j][0], sums[i][j][1]);
      *reinterpret_cast<float2*>(p + 8 * Kernel::sums_pitch) = make_float2(sums[i][j][2], sums[i][j][3]);
    }
  __syncthreads();
  const i64 places = s.batch * s.places(), place = first_place + rank;
  if (place >= places) return;
  if (args.cut.parts > 1) {
    float* to = static_cast<float*>(args.partial) + part * args.cut.results +
                (group * s.outputs + first_output) * places + place;
    for (int r = 0; r < output_rows_there; ++r, to += places) *to = out[r * Kernel::sums_pitch + rank];
  } else {
    TY* to = static_cast<TY*>(args.y) + conv_result_at(s, group, first_output, place);
    for (int r = 0; r < output_rows_there; ++r, to += s.y_o)
      *to = static_cast<TY>(out[r * Kernel::sums_pitch + rank]);
  }
}

}  // namespace WEFT_NAMESPACE::kernels
