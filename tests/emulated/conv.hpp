// The blocks of one phase of a convolution, emulated on the host.
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/kernels/conv/block.hpp"
#include "weft/kernels/team/emulated.hpp"

namespace weft::emulated {

template <class X, class W, class Y>
void emulate_conv(const kernels::ConvBlockArgs& args, u64 seed) {
  using S = kernels::DotSum2<X, W>;
  constexpr int threads = kernels::conv_block_threads;
  emulate_grid(args.cut.blocks(), threads, args.cut.tiled ? kernels::conv_shared_bytes<S>() : 0, seed,
               [&](EmulatedTeam& team, i64 block) {
                 if (args.cut.tiled)
                   kernels::conv_tile_block<X, W, Y>(team, args, block);
                 else
                   kernels::conv_direct_block<X, W, Y>(team, args, block);
               });
  if (args.cut.parts > 1)
    emulate_grid((args.cut.results + threads - 1) / threads, threads, 0, seed + 1,
                 [&](EmulatedTeam& team, i64 block) { kernels::conv_finish_block<S, Y>(team, args, block); });
}

}  // namespace weft::emulated
