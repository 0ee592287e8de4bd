#pragma once
// Rows of four chunks of 16 bytes in a block's shared memory, without gaps. Law: chunk c of row r lies at
// place c ^ (r / 2 % 4) of its row, so that a chunk of eight neighbouring rows, and all of two neighbouring
// rows, are in every bank once.

#include "weft/kernels/mma/atom.cuh"

namespace WEFT_NAMESPACE::kernels {

struct SwizzledTile {
  static constexpr int chunks = 4, row_bytes = 16 * chunks;
  static constexpr int bytes(int rows) { return rows * row_bytes; }

  __device__ __forceinline__ static int at(int row, int chunk) {
    return row * row_bytes + (chunk ^ (row / 2 % chunks)) * 16;
  }
  // a from rows [row, row + 16) and two chunks from `chunk` on.
  template <class Atom>
  __device__ __forceinline__ static typename Atom::A load_a(const unsigned char* tile, int row, int chunk) {
    const int lane = MmaPlace{}.lane;
    typename Atom::A a;
    detail::load_matrices<false>(a.r, tile + at(row + lane % 16, chunk + lane / 16));
    return a;
  }
  // Two neighbouring b, from rows [row, row + 16) that are their columns.
  template <class Atom>
  __device__ __forceinline__ static void load_b(typename Atom::B (&b)[2], const unsigned char* tile, int row,
                                                int chunk) {
    const int lane = MmaPlace{}.lane;
    u32 r[4];
    detail::load_matrices<false>(r, tile + at(row + lane % 8 + lane / 16 * 8, chunk + lane / 8 % 2));
    b[0] = {{r[0], r[1]}}, b[1] = {{r[2], r[3]}};
  }
};

}  // namespace WEFT_NAMESPACE::kernels
