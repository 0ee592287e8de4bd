#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"

using namespace weft;

// tensors made from nothing
ROW("full", made, none, "torch.full((2, 3), 2).to(T)", full<T, 2, 3>(2));
ROW("zeros", made, none, "torch.zeros(2, 3, dtype=T)", zeros<T, 2, 3>());
ROW("ones", made, none, "torch.ones(2, 3, dtype=T)", ones<T, 2, 3>());
ROW("empty", made, none, "torch.zeros(2, 3, dtype=T)", empty<T, 2, 3>());
ROW("arange", number, none, "torch.arange(5).to(T)", arange<T, 5>());
ROW("arange step", number, none, "torch.arange(7, 1, -2).to(T)", arange<T, 7, 1, -2>());
ROW("linspace", float, none, "torch.linspace(-1, 3, 5).to(T)", linspace<T, 5>(-1, 3));
ROW("logspace", float, none, "torch.logspace(0, 2, 3).to(T)", logspace<T, 3>(0, 2));
ROW("eye", made, none, "torch.eye(3, 4).to(T)", eye<T, 3, 4>());
ROW("tril_indices", integer, none, "torch.tril_indices(3, 4)", tril_indices<3, 4>());
ROW("triu_indices", integer, none, "torch.triu_indices(3, 4, 1)", triu_indices<3, 4, 1>());
ROW("zeros_like", moved, cube, "torch.zeros_like(x)", zeros_like(x));
ROW("ones_like", moved, cube, "torch.ones_like(x)", ones_like(x));
ROW("full_like", moved, cube, "torch.full_like(x, 2)", full_like(x, 2));
ROW("empty_like", moved, cube, "torch.zeros_like(x)", empty_like(x));
ROW("meshgrid", moved, two_vectors, "torch.meshgrid(x, y, indexing='ij')", meshgrid(x, y));
ROW("indexing_xy", moved, two_vectors, "torch.meshgrid(x, y, indexing='xy')", meshgrid(indexing_xy, x, y));

// views and rearrangements
ROW("cat", moved, two_cubes, "torch.cat([x, y], 1)", cat<1>(x, y));
ROW("stack", moved, two_cubes, "torch.stack([x, y], 1)", stack<1>(x, y));
ROW("reshape", moved, cube, "torch.reshape(x, (4, -1))", reshape<4, -1>(x));
ROW("view", moved, cube, "x.view(4, -1)", view<4, -1>(x));
ROW("permute", moved, cube, "torch.permute(x, (2, 0, 1))", permute<2, 0, 1>(x));
ROW("expand", moved, vector, "x.expand(3, 6)", expand<3, 6>(x));
ROW("transpose", moved, cube, "torch.transpose(x, 0, 2)", transpose<0, 2>(x));
ROW("t", moved, tame, "torch.t(x)", t(x));
ROW("flatten", moved, cube, "torch.flatten(x, 1)", flatten<1>(x));
ROW("squeeze", moved, cube, "torch.squeeze(torch.unsqueeze(x, 1))", squeeze(unsqueeze<1>(x)));
ROW("expand_as", moved, two_vectors, "x.expand_as(torch.stack([x, x]))", expand_as(x, stack(x, x)));
ROW("broadcast_to", moved, vector, "torch.broadcast_to(x, (2, 6))", broadcast_to<2, 6>(x));
ROW("repeat", moved, vector, "x.repeat(2, 3)", repeat<2, 3>(x));
ROW("tile", moved, cube, "torch.tile(x, (2,))", tile<2>(x));
ROW("contiguous", moved, cube, "x.contiguous()", contiguous(x));
ROW("flip", moved, cube, "torch.flip(x, (0, 2))", flip<0, 2>(x));
ROW("roll", moved, cube, "torch.roll(x, 1, 2)", roll<1, 2>(x));
ROW("movedim", moved, cube, "torch.movedim(x, 0, 2)", movedim<0, 2>(x));
ROW("swapaxes", moved, cube, "torch.swapaxes(x, 0, 1)", swapaxes<0, 1>(x));
ROW("unflatten", moved, cube, "torch.unflatten(x, 2, (2, -1))", unflatten<2, 2, -1>(x));
ROW("ravel", moved, cube, "torch.ravel(x)", ravel(x));
ROW("repeat_interleave", moved, cube, "torch.repeat_interleave(x, 2, 1)", repeat_interleave<2, 1>(x));
ROW("unfold", moved, vector, "x.unfold(0, 3, 1)", unfold<0, 3, 1>(x));
ROW("unfold apart", moved, vector, "x.unfold(0, 2, 2)", unfold<0, 2, 2>(x));
ROW("rot90", moved, cube, "torch.rot90(x)", rot90(x));
ROW("flipud", moved, cube, "torch.flipud(x)", flipud(x));
ROW("fliplr", moved, cube, "torch.fliplr(x)", fliplr(x));
ROW("unbind", moved, cube, "torch.unbind(x, 1)", unbind<1>(x));
ROW("tensor_split", moved, vector, "torch.tensor_split(x, 4)", tensor_split<4>(x));
ROW("split_at", moved, vector, "torch.tensor_split(x, (2, 5))", split_at<0, 2, 5>(x));
ROW("hsplit", moved, cube, "torch.hsplit(x, 3)", hsplit<3>(x));
ROW("vsplit", moved, cube, "torch.vsplit(x, 2)", vsplit<2>(x));
ROW("dsplit", moved, cube, "torch.dsplit(x, 2)", dsplit<2>(x));
ROW("atleast_1d", moved, vector, "torch.atleast_1d(x)", atleast_1d(x));
ROW("atleast_2d", moved, vector, "torch.atleast_2d(x)", atleast_2d(x));
ROW("atleast_3d", moved, vector, "torch.atleast_3d(x)", atleast_3d(x));
ROW("hstack", moved, two_vectors, "torch.hstack([x, y])", hstack(x, y));
ROW("vstack", moved, two_cubes, "torch.vstack([x, y])", vstack(x, y));
ROW("dstack", moved, two_cubes, "torch.dstack([x, y])", dstack(x, y));
ROW("column_stack", moved, two_vectors, "torch.column_stack([x, y])", column_stack(x, y));
ROW("column_stack cubes", moved, two_cubes, "torch.column_stack([x, y])", column_stack(x, y));
ROW("slice", moved, cube, "x[:, :, 1:-1]", slice<2, 1, -1>(x));
ROW("slice step", moved, cube, "x[:, 0:3:2]", slice<1, 0, 3, 2>(x));
ROW("narrow", moved, cube, "torch.narrow(x, 2, 1, 2)", narrow<2, 1, 2>(x));
ROW("select", moved, cube, "torch.select(x, 1, -1)", select<1, -1>(x));
ROW("unsqueeze", moved, cube, "torch.unsqueeze(x, 1)", unsqueeze<1>(x));
ROW("split", moved, vector, "torch.split(x, 4)", split<4>(x));
ROW("chunk", moved, vector, "torch.chunk(x, 3)", chunk<3>(x));
ROW("pad", moved, cube, "F.pad(x, (1, 2, 0, 1), value=1)", pad<1, 2, 0, 1>(x, 1));
ROW("pad crop", moved, cube, "F.pad(x, (-1, 1))", pad<-1, 1>(x));

// triangles and diagonals
ROW("tril", moved, square, "torch.tril(x)", tril(x));
ROW("triu", moved, square, "torch.triu(x, 1)", triu<1>(x));
ROW("trace", number, square, "torch.trace(x)", trace(x));
ROW("diagonal", moved, square, "torch.diagonal(x, 1)", diagonal<1>(x));
ROW("diag", moved, square, "torch.diag(x)", diag(x));
ROW("diag vector", moved, vector, "torch.diag(x, 1)", diag<1>(x));
ROW("diag_embed", moved, tame, "torch.diag_embed(x)", diag_embed(x));
ROW("diagflat", moved, tame, "torch.diagflat(x)", diagflat(x));

// indexing
ROW("gather", indexed, indices, "torch.gather(x, 1, i)", gather<1>(x, i));
ROW("take_along_dim", indexed, indices, "torch.take_along_dim(x, i, 1)", take_along_dim<1>(x, i));
ROW("take_along_dim flat", indexed, indices, "torch.take_along_dim(x, i)", take_along_dim(x, i));
ROW("index_select", indexed, indices, "torch.index_select(x, 1, j)", index_select<1>(x, j));
ROW("dynamic_slice", indexed, indices, "x[2:4, 0:4]", dynamic_slice<2, 4>(x, select<0, 0>(j), -1));
ROW("dynamic_slice axis", indexed, indices, "torch.narrow(x, 1, 3, 2)",
    dynamic_slice<1, 2>(x, select<0, 0>(j)));
ROW("dynamic_update_slice", indexed, indices, "torch.slice_scatter(x, z, 0, 1, 4)",
    dynamic_update_slice(x, z, select<0, 0>(j), select<0, 1>(j)));
ROW("dynamic_update_slice axis", indexed, indices, "torch.slice_scatter(x, y, 1, 2, 5)",
    dynamic_update_slice<1>(x, y, select<0, 2>(j)));
ROW("take", indexed, indices, "torch.take(x, i)", take(x, i));
ROW("index", indexed, indices, "x[j]", index(x, j));
ROW("every", indexed, indices, "x[:, j]", index(x, every, j));
ROW("ellipsis", indexed, indices, "x[..., 1]", index(x, ellipsis, at<1>));
ROW("newaxis", indexed, indices, "x[:, None]", index(x, every, newaxis));
ROW("range", indexed, indices, "x[:, 1:6:2]", index(x, every, range<1, 6, 2>));
ROW("at", indexed, indices, "x[-1]", index(x, at<-1>));
ROW("index_put", indexed, indices, "x.index_put((j,), z)", index_put(x, z, j));
ROW("scatter", indexed, indices, "torch.scatter(x, 1, i, y)", scatter<1>(x, i, y));
ROW("scatter_add", number, indices, "torch.scatter_add(x, 1, i, y)", scatter_add<1>(x, i, y));
ROW("scatter_reduce", number, indices, "torch.scatter_reduce(x, 1, i, y, 'amax')",
    scatter_reduce<1>(x, i, y, reduce::amax));
ROW("scatter_reduce prod", number, indices, "torch.scatter_reduce(x, 1, i, y, 'prod')",
    scatter_reduce<1>(x, i, y, reduce::prod));
ROW("scatter_reduce mean", loss, indices, "torch.scatter_reduce(x, 1, i, y, 'mean')",
    scatter_reduce<1>(x, i, y, reduce::mean));
ROW("exclude_self", number, indices, "torch.scatter_reduce(x, 1, i, y, 'amin', include_self=False)",
    scatter_reduce<1>(x, i, y, reduce::amin, exclude_self));
ROW("index_add", number, indices, "torch.index_add(x, 0, j, z)", index_add<0>(x, j, z));
ROW("index_copy", indexed, indices, "torch.index_copy(x, 0, j, z)", index_copy<0>(x, j, z));
ROW("index_fill", indexed, indices, "torch.index_fill(x, 1, j, 1)", index_fill<1>(x, j, 1));
ROW("index_reduce", number, indices, "torch.index_reduce(x, 0, j, z, 'amax')",
    index_reduce<0>(x, j, z, reduce::amax));

// results whose size depends on data
ROW("masked_select", indexed, tame, "filled(x[x > 1], 24)", std::get<0>(masked_select<24>(x, gt(x, 1))));
ROW("nonzero", indexed, tame, "filled(torch.nonzero(x), 24, -1)", std::get<0>(nonzero<24>(x)));
ROW("unique", number, tame, "filled(torch.unique(x), 24)", std::get<0>(unique<24>(x)));
ROW("unique_consecutive", number, tame, "filled(torch.unique_consecutive(x), 24)",
    std::get<0>(unique_consecutive<24>(x)));
ROW("bincount", integer, tame, "counts(x, 8)", bincount<8>(x));
ROW("histc", real, tame, "torch.histc(x, 5, -2, 3)", histc<5>(x, -2, 3));

TEST_CASE("sweep: rearrangements, indexing and tensors made from nothing") { sweep::check_rows(__FILE__); }
