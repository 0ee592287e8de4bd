#pragma once
// How a fused kernel is tiled: which axes are rows and which columns, and how many rows make one unit of
// work. Law: the chunks of a sum follow from its own extents alone, not from what else its kernel does. A sum
// along the rows has the rows and columns of its operand. A total has chunks of chunk_of_total() elements of
// its operand in row-major order, which are whole rows or tiles, or begin and end within them.

#include "weft/kernel_ir/buffer_address.hpp"
#include "weft/kernel_ir/collect.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// `chunks` pieces of rows_per_chunk rows, each one unit of work. Where batches of rows have sums of their
// own, a chunk is several batches, or a part of one.
struct Tiling {
  i64 rows = 1, cols = 1;
  i64 rows_per_chunk = 1, chunks = 1;
  i64 batch_rows = 0;                  // 0: all rows are one batch
  int split = 0;                       // axes of the space from this one on are columns
  bool flat = false;                   // a one-dimensional walk in tiles of `cols`, the last one ragged
  bool by_elements = false;            // rows_per_chunk counts elements: a chunk may begin within a row
  int segments = -1;                   // >= 0: the walk follows that parameter group's ranges
  u64 partials = BufferAddress::none;  // chunks x (elements of every sum along the rows)

  constexpr i64 batches() const { return batch_rows > 0 ? rows / batch_rows : 1; }
  // The chunks that a sum along the rows, or over everything, is cut into.
  constexpr i64 parts() const {
    return batch_rows > 0 ? (batch_rows + rows_per_chunk - 1) / rows_per_chunk : chunks;
  }
};

constexpr i64 bytes_of(const ir::Graph& g, int node) {
  return g.dims(node).size() * size_of(g.nodes[node].dtype);
}

// A sum along the rows is left in parts, one a chunk, until something needs it.
constexpr bool is_split_sum(Level level, const Tiling& tiling) {
  return tiling.parts() > 1 && (level == Level::column_sum || level == Level::total);
}
// Bytes of one part of node x, a sum of a kernel with that tiling, 64-byte aligned.
constexpr i64 part_bytes(const ir::Graph& g, int x, const Tiling& tiling) {
  return (bytes_of(g, x) / tiling.batches() + 63) / 64 * 64;
}
class Tiler {
 public:
  constexpr Tiler(const ir::Graph& graph, const Fusion& fusion) : g(graph), f(fusion) {}

  constexpr Tiling tiling(int k) const {
    const Kernel& kernel = kernels_[k];
    Tiling tiling;
    bool totals = false, columns = false;
    for (int i = 0; i < kernel.stores.size; ++i) {
      const Level level = level_[pool_[kernel.stores.begin + i]];
      totals = totals || level == Level::total;
      columns = columns || level == Level::column_sum;
    }
    const i64 size = kernel.space.size();
    if (kernel.middle_axis) {
      const int reduction = pool_[kernel.stores.begin];
      tiling.rows = shapes_[nodes_[reduction].shape].size();
      tiling.cols = size / (tiling.rows > 0 ? tiling.rows : 1);
    } else if (kernel.split < 0 && is_flat(kernel, k)) {
      tiling.flat = true;
      tiling.cols = size < flat_tile ? size : flat_tile;
      tiling.rows = tiling.cols > 0 ? (size + tiling.cols - 1) / tiling.cols : 0;
      tiling.segments = kernel.walk;
      if (tiling.segments >= 0) {
        const ir::Span span = g.param_groups[tiling.segments];
        tiling.cols = flat_tile;
        tiling.rows = 0;
        for (int r = 0; r < span.size; ++r)
          tiling.rows += (g.ranges[span.begin + r].length + flat_tile - 1) / flat_tile;
      }
    } else {
      tiling.split = kernel.split >= 0 ? kernel.split : split_of_map(kernel, k);
      for (int a = 0; a < kernel.space.rank; ++a)
        (a < tiling.split ? tiling.rows : tiling.cols) *= kernel.space.extent[a];
    }
    if (totals && kernel.split < 0 && tiling.segments < 0 && size > chunk_elements) {
      const i64 chunk = chunk_of_total(kernel.space);
      const bool whole_tiles = tiling.flat && chunk % flat_tile == 0;
      tiling.by_elements = !whole_tiles;
      tiling.rows_per_chunk = whole_tiles ? chunk / flat_tile : chunk;
      tiling.chunks = (size + chunk - 1) / chunk;
      return tiling;
    }
    if (columns && kernel.batch > 0) {
      cut_batches(kernel, tiling);
      return tiling;
    }
    i64 per_chunk = 1;
    if (totals || columns) {
      per_chunk = rows_of_chunk(tiling.rows, tiling.cols, tiling.flat ? total_chunks : column_sum_chunks);
    } else {
      per_chunk = rows_of_map(kernel, tiling);
    }
    tiling.rows_per_chunk = per_chunk;
    tiling.chunks = tiling.rows > 0 ? (tiling.rows + per_chunk - 1) / per_chunk : 0;
    return tiling;
  }

  // Bytes of one chunk's partial results, all sums of the kernel one after another, each 64-byte aligned.
  constexpr i64 sums(const Kernel& kernel, const Tiling& tiling) const {
    i64 bytes = 0;
    for (int i = 0; i < kernel.stores.size; ++i) {
      const int x = pool_[kernel.stores.begin + i];
      if (level_[x] == Level::column_sum || level_[x] == Level::total) bytes += part_bytes(g, x, tiling);
    }
    return bytes;
  }

 private:
  // Chunks of a walk whose batches have sums of their own: parts of a batch, or whole ones.
  constexpr void cut_batches(const Kernel& kernel, Tiling& tiling) const {
    i64 batches = 1;
    for (int a = 0; a < kernel.batch; ++a) batches *= kernel.space.extent[a];
    tiling.batch_rows = tiling.rows / batches;
    tiling.rows_per_chunk = rows_of_batch_chunk(tiling.batch_rows, tiling.cols, batches);
    if (tiling.rows_per_chunk < tiling.batch_rows) {
      tiling.chunks = batches * tiling.parts();
      return;
    }
    const i64 elements = tiling.batch_rows * tiling.cols;
    const i64 together = elements < chunk_elements ? chunk_elements / elements : 1;
    tiling.rows_per_chunk = tiling.batch_rows * (together < batches ? together : batches);
    tiling.chunks = (tiling.rows + tiling.rows_per_chunk - 1) / tiling.rows_per_chunk;
  }
  // Rows of a chunk of a walk without sums along them.
  constexpr i64 rows_of_map(const Kernel& kernel, const Tiling& tiling) const {
    constexpr i64 most = 1024;
    const bool small = !tiling.flat && kernel.space.size() < 8 * chunk_elements;
    // what is small but costly is still worth several threads
    const i64 elements = small ? costly_elements(kernel) : chunk_elements;
    i64 per_chunk = tiling.cols > 0 ? elements / tiling.cols : 1;
    if (per_chunk < 1) per_chunk = 1;
    if (tiling.rows > per_chunk * most) per_chunk = (tiling.rows + most - 1) / most;
    // few pieces of work: as many as any usual number of threads shares evenly
    if (small && tiling.rows > per_chunk) {
      i64 pieces = 2;
      while (pieces < 32 && pieces * per_chunk < tiling.rows) pieces *= 2;
      if (pieces * per_chunk >= tiling.rows) per_chunk = (tiling.rows + pieces - 1) / pieces;
    }
    return per_chunk;
  }
  // How many elements make a unit of work that is worth a thread (about 5 microseconds).
  constexpr i64 costly_elements(const Kernel& kernel) const {
    i64 cost = 1;
    for (int i = 0; i < kernel.body.size; ++i) {
      const ir::Op op = nodes_[pool_[kernel.body.begin + i]].op;
      cost += op == ir::Op::pad ? 3 : ir::info(op).cost;  // a window asks what is inside
    }
    const i64 elements = 131072 / cost;
    return elements < 1024 ? 1024 : elements < chunk_elements ? elements : chunk_elements;
  }
  constexpr bool is_flat(const Kernel& kernel, int k) const {
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = pool_[kernel.loads.begin + i];
      if (shapes_[nodes_[x].shape].size() == 1) continue;
      if (shapes_[nodes_[x].shape].size() != kernel.space.size() || stored_[x] == stored_padded) return false;
      if (f.is_view_in(x, k) && view_of_[x] >= 0 &&
          !is_contiguous(views_[view_of_[x]], shapes_[nodes_[x].shape]))
        return false;
    }
    for (int i = 0; i < kernel.body.size; ++i) {
      const int x = pool_[kernel.body.begin + i];
      const ir::Op op = nodes_[x].op;
      if (stored_[x] == stored_padded || op == ir::Op::pad ||
          (materialization_[x] == Materialization::fused && view_of_[x] >= 0))
        return false;
      if (shapes_[nodes_[x].shape].size() != 1 && shapes_[nodes_[x].shape].size() != kernel.space.size())
        return false;
      if (op == ir::Op::iota) {
        // the walk counts all elements: right only where the index runs along the one axis there is
        const Dims& d = shapes_[nodes_[x].shape];
        if (d.size() != d.extent[static_cast<int>(nodes_[x].imm)]) return false;
      }
    }
    return true;
  }
  // Where the columns begin of a walk that no sum divides: at the first of the axes that everything walks as
  // one with the last, as far as a row stays a unit of work.
  constexpr int split_of_map(const Kernel& kernel, int k) const {
    const Dims& space = kernel.space;
    int split = space.rank - 1;
    while (split > 0 && space.extent[split] == 1) --split;
    if (split <= 0) return 0;
    i64 columns = space.extent[split];
    for (int inner = split, a = split - 1; a >= 0; --a) {
      if (space.extent[a] == 1) continue;
      columns *= space.extent[a];
      if (columns > flat_tile || !walks_as_one(kernel, k, a, inner)) break;
      split = inner = a;
    }
    return split;
  }
  // Whether axis `a` of the space continues axis `b`, for all that the kernel touches.
  constexpr bool walks_as_one(const Kernel& kernel, int k, int a, int b) const {
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = pool_[kernel.loads.begin + i];
      if (!continues(kernel, x, f.view_in(g, x, k), a, b)) return false;
    }
    for (int i = 0; i < kernel.body.size; ++i) {
      const int x = pool_[kernel.body.begin + i];
      const ir::Op op = nodes_[x].op;
      if (op == ir::Op::pad || op == ir::Op::iota) return false;
      const bool copies = materialization_[x] == Materialization::fused && view_of_[x] >= 0;
      if (copies && !continues(kernel, x, views_[view_of_[x]], a, b)) return false;
      if (op == ir::Op::random && !continues(kernel, x, whole(x), a, b)) return false;
    }
    for (int i = 0; i < kernel.stores.size; ++i) {
      const int x = pool_[kernel.stores.begin + i];
      if (level_[x] == Level::element && !continues(kernel, x, f.stored_view(g, x), a, b)) return false;
    }
    return true;
  }
  constexpr View whole(int x) const { return contiguous_view(x, shapes_[nodes_[x].shape]); }
  // The same for x, walked as v.
  constexpr bool continues(const Kernel& kernel, int x, const View& v, int a, int b) const {
    const Dims& d = shapes_[nodes_[x].shape];
    const int lead = kernel.space.rank - d.rank;
    const auto stride = [&](int axis) {
      return axis < lead || d.extent[axis - lead] == 1 ? i64{0} : v.stride[axis - lead];
    };
    return stride(a) == stride(b) * kernel.space.extent[b];
  }

  const ir::Graph& g;
  const Fusion& f;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const Dims* shapes_ = g.shapes.data();
  const Materialization* materialization_ = f.materialization.data();
  const Level* level_ = f.level.data();
  const u8* stored_ = f.stored.data();
  const int* view_of_ = f.view_of.data();
  const View* views_ = f.views.data();
  const Kernel* kernels_ = f.kernels.data();
  const int* pool_ = f.pool.data();
};

}  // namespace WEFT_NAMESPACE::kernel_ir
