#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/nn/bilinear.hpp"
#include "weft/ops.hpp"
#include "weft/ops/nn/fractional_pool.hpp"

using namespace weft;

// norms and distances
ROW("vector_norm", statistic, lines, "torch.linalg.vector_norm(x, 2.5, -1)", vector_norm<-1>(x, 2.5));
ROW("vector_norm least", statistic, lines, "torch.linalg.vector_norm(x, -math.inf, -1)",
    vector_norm<-1>(x, order_minus_infinity));
ROW("vector_norm inverse", statistic, lines, "torch.linalg.vector_norm(x, -1, -1)",
    vector_norm<-1>(x, order<-1>));
ROW("vector_norm half", statistic, lines, "torch.linalg.vector_norm(x, 0.5, -1)", vector_norm<-1>(x, 0.5));
ROW("matrix_norm", statistic, lines, "torch.linalg.matrix_norm(x.reshape(24, 2, 3), 1)",
    matrix_norm(reshape<24, 2, 3>(x), order<1>));
ROW("frobenius", statistic, lines, "torch.linalg.matrix_norm(x.reshape(24, 2, 3), 'fro')",
    matrix_norm(reshape<24, 2, 3>(x), frobenius));
ROW("matrix_norm inverse", statistic, lines, "torch.linalg.matrix_norm(x.reshape(24, 2, 3), -1)",
    matrix_norm(reshape<24, 2, 3>(x), order<-1>));
ROW("matrix_norm infinite", statistic, lines,
    "(torch.linalg.matrix_norm(x.reshape(24, 2, 3), math.inf), torch.linalg.matrix_norm(x.reshape(24, 2, 3), "
    "-math.inf))",
    std::tuple{matrix_norm(reshape<24, 2, 3>(x), order_infinity),
               matrix_norm(reshape<24, 2, 3>(x), order_minus_infinity)});
ROW("renorm", loss, lines, "torch.renorm(x, 2, 0, 1.5)", renorm<0>(x, 1.5));
ROW("renorm 1", loss, lines, "torch.renorm(x, 1, 0, 2.5)", renorm<0>(x, order<1>, 2.5));
ROW("cdist", fraction, two_tame, "torch.cdist(x, y, compute_mode='donot_use_mm_for_euclid_dist')",
    cdist(x, y));
ROW("cdist self", loss, tame, "torch.linalg.vector_norm(x[:, None] - x[None], 2, -1)", cdist(x, x));
ROW("cdist lines", loss, two_lines, "torch.linalg.vector_norm(x[:, None] - y[:, None], 3, -1)[:, None]",
    cdist(unsqueeze<1>(x), unsqueeze<1>(y), order<3>));
ROW("cdist 1", loss, two_tame, "torch.linalg.vector_norm(x[:, None] - y[None], 1, -1)",
    cdist(x, y, order<1>));
ROW("cdist infinite", loss, two_tame, "torch.linalg.vector_norm(x[:, None] - y[None], math.inf, -1)",
    cdist(x, y, order_infinity));
ROW("pdist", fraction, tame, "F.pdist(x)", pdist(x));
ROW("cov", fraction, tame, "torch.cov(x)", cov(x));
ROW("cov correction", loss, tame, "torch.cov(x, correction=0)", cov(x, correction<0>));
ROW("cov huge", loss, huge, "torch.cov(x)", cov(x));
ROW("corrcoef", fraction, tame, "torch.corrcoef(x)", corrcoef(x));
ROW("corrcoef constant", loss, tame, "torch.corrcoef(torch.cat([x, x * 0]))", corrcoef(cat(x, x * 0)));

// products
ROW("vecdot", wide, matrices, "torch.linalg.vecdot(x, y.T) if x.is_floating_point() else (x * y.T).sum(-1)",
    vecdot(x, t(y)));
ROW("multi_dot", wide, matrices,
    "torch.linalg.multi_dot([x, y, z]) if x.is_floating_point() else x @ (y @ z)", multi_dot(x, y, z));
ROW("nn::functional::bilinear", loss, two_tame, "F.bilinear(x, y, (x.T @ y)[None])",
    nn::functional::bilinear(x, y, reshape<1, 6, 6>(matmul(t(x), y))));

// integrals and differences
ROW("trapezoid", fraction, lines, "torch.trapezoid(x)", trapezoid(x));
ROW("trapezoid places", loss, two_lines, "torch.trapezoid(x, y)", trapezoid(x, y));
ROW("cumulative_trapezoid", fraction, lines, "torch.cumulative_trapezoid(x, dx=0.5)",
    cumulative_trapezoid(x, 0.5));
ROW("cumulative_trapezoid places", loss, two_lines, "torch.cumulative_trapezoid(x, y)",
    cumulative_trapezoid(x, y));
ROW("gradient", fraction, lines, "torch.gradient(x, dim=1)", gradient<1>(x));
ROW("edge_order", loss, lines, "torch.gradient(x, spacing=0.5, dim=1, edge_order=2)",
    gradient<1>(x, 0.5, edge_order<2>));
ROW("gradient axes", loss, two_tame, "torch.gradient(x, spacing=[2.0, 0.25])", gradient(x, 2, 0.25));
ROW("histogram", wide, tame, "torch.histogram(x, 4)", histogram<4>(x));
ROW("histogram density", loss, tame, "torch.histogram(x, 4, range=(-2.0, 3.0), density=True)",
    histogram<4, true>(x, -2, 3));
ROW("one_hot", integer, tame, "one_hot(x, 6)", one_hot<6>(x));
ROW("unravel_index", integer, tame, "torch.unravel_index(torch.remainder(x, 24).long(), (4, 6))",
    unravel_index<4, 6>(remainder(x, 24)));

// frames, windows and rearrangements
ROW("pad reflect", number, cube, "F.pad(x, (2, 1), mode='reflect')", pad<PaddingMode::reflect, 2, 1>(x));
ROW("pad replicate", number, cube, "F.pad(x, (2, 1), mode='replicate')",
    pad<PaddingMode::replicate, 2, 1>(x));
ROW("pad circular", moved, cube, "F.pad(x, (2, 1), mode='circular')", pad<PaddingMode::circular, 2, 1>(x));
ROW("unfold images", loss, edge_images, "F.unfold(x, (2, 3), padding=1)",
    unfold<PerAxis{2, 3}, UnfoldOptions{.padding = 1}>(x));
ROW("fold", float, tame, "F.fold(x, (3, 4), 2)", fold<PerAxis{3, 4}, 2>(x));
ROW("pixel_shuffle", moved, square, "F.pixel_shuffle(x.reshape(4, 2, 2), 2)",
    pixel_shuffle<2>(reshape<4, 2, 2>(x)));
ROW("pixel_unshuffle", moved, square, "F.pixel_unshuffle(x[None], 2)", pixel_unshuffle<2>(unsqueeze<0>(x)));
ROW("channel_shuffle", moved, square, "F.channel_shuffle(x.reshape(1, 4, 4), 2)",
    channel_shuffle<2>(reshape<1, 4, 4>(x)));
ROW("split_with_sizes", moved, vector, "torch.split(x, [2, 1, 3])", split_with_sizes<0, 2, 1, 3>(x));
ROW("broadcast_tensors", moved, two_vectors, "torch.broadcast_tensors(x, y[:, None])",
    broadcast_tensors(x, unsqueeze<1>(y)));
ROW("block_diag", moved, two_vectors, "torch.block_diag(x, y.reshape(2, 3))",
    block_diag(x, reshape<2, 3>(y)));
ROW("cartesian_prod", moved, two_vectors, "torch.cartesian_prod(x, y)", cartesian_prod(x, y));
ROW("vander", loss, vector, "torch.vander(x, 3)", vander<3>(x));

// written into a view
ROW("slice_scatter", moved, two_cubes, "torch.slice_scatter(x, y[:, 0:3:2], 1, 0, 3, 2)",
    slice_scatter<1, 0, 3, 2>(x, slice<1, 0, 3, 2>(y)));
ROW("select_scatter", moved, two_cubes, "torch.select_scatter(x, y[:, 0], 1, -1)",
    select_scatter<1, -1>(x, select<1, 0>(y)));
ROW("diagonal_scatter", moved, two_cubes, "torch.diagonal_scatter(x, torch.diagonal(y, 1), 1)",
    diagonal_scatter<1>(x, diagonal<1, 0, 1>(y)));
ROW("masked_scatter", moved, two_cubes, "torch.masked_scatter(x, y > 1, y)", masked_scatter(x, gt(y, 1), y));
ROW("put", indexed, indices, "torch.put(x, j, z[:, 0])", put(x, j, select<1, 0>(z)));
ROW("put accumulate", number, indices, "torch.put(x, i, y, accumulate=True)", put<true>(x, i, y));

// normalisation
ROW("layer_norm axes", loss, lines, "F.layer_norm(x.reshape(24, 2, 3), (2, 3))",
    layer_norm<2, 3>(reshape<24, 2, 3>(x)));
ROW("rms_norm axes", loss, lines, "F.rms_norm(x.reshape(24, 2, 3), (2, 3))",
    rms_norm<2, 3>(reshape<24, 2, 3>(x)));
ROW("layer_norm huge", loss, huge, "F.layer_norm(x, (6,))", layer_norm(x));
ROW("rms_norm huge", loss, huge, "F.rms_norm(x, (6,))", rms_norm(x));
ROW("group_norm", statistic, lines, "F.group_norm(x.reshape(24, 2, 3), 1)",
    group_norm<1>(reshape<24, 2, 3>(x)));
ROW("group_norm affine", loss, affine, "F.group_norm(x, 2, y, z)", group_norm<2>(x, y, z));
ROW("instance_norm", statistic, lines, "F.instance_norm(x[:, None])", instance_norm(unsqueeze<1>(x)));
ROW("batch_norm", statistic, lines, "F.batch_norm(x.T, None, None, training=True)", batch_norm(t(x)));
ROW("batch_norm given", loss, affine, "F.batch_norm(x, z.detach(), (y * y).detach(), y, z)",
    batch_norm(x, stop_gradient(z), stop_gradient(y* y), y, z));
ROW("local_response_norm", loss, lines, "F.local_response_norm(x[:, :, None], 3, 0.5, 0.75, 2.0)",
    local_response_norm<3>(unsqueeze<2>(x), 0.5, 0.75, 2.0));
ROW("linear_cross_entropy", loss, two_tame, "F.cross_entropy(F.linear(x, y), torch.arange(4))",
    linear_cross_entropy(x, y, arange<i64, 4>()));

// pooling
ROW("lp_pool1d", float, edge_signals, "F.lp_pool1d(x, 2, 2)", lp_pool1d<2>(x, 2));
ROW("lp_pool1d cube", float, edge_signals, "F.lp_pool1d(x, 3, 2)", lp_pool1d<2>(x, 3));
ROW("lp_pool2d", float, edge_images, "F.lp_pool2d(x, 2, 2)", lp_pool2d<2>(x, 2));
ROW("lp_pool3d", float, volumes, "F.lp_pool3d(x, 2, 2)", lp_pool3d<2>(x, 2));
ROW("return_indices", float, edge_signals, "F.max_pool1d(x, 2, return_indices=True)",
    max_pool1d<2>(x, return_indices));
ROW("max_unpool1d", float, edge_signals, "F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2)",
    std::apply([](auto... p) { return max_unpool1d<2>(p...); }, max_pool1d<2>(x, return_indices)));
ROW("max_unpool2d", float, edge_images,
    "F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2, output_size=(4, 5))",
    std::apply(
        [](auto... p) {
          return max_unpool2d<2, UnpoolOptions{.output_size = {4, 5}}>(p...);
        },
        max_pool2d<2>(x, return_indices)));
ROW("max_unpool3d", float, volumes,
    "F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2, output_size=(3, 4, 3))",
    std::apply(
        [](auto... p) {
          return max_unpool3d<2, UnpoolOptions{.output_size = {3, 4, 3}}>(p...);
        },
        max_pool3d<2>(x, return_indices)));
ROW("fractional_max_pool2d", float, edge_images,
    "F.fractional_max_pool2d(x, 2, output_size=3, _random_samples=torch.full((1, 2, 2), 0.25).to(x.dtype))",
    fractional_max_pool2d<2, FractionalPoolOptions{.output_size = 3}>(x, full<T, 1, 2, 2>(0.25)));
ROW("fractional_max_pool3d", float, volumes,
    "F.fractional_max_pool3d(x, 2, output_size=(1, 2, 1), _random_samples=torch.full((1, 1, 3), "
    "0.75).to(x.dtype))",
    fractional_max_pool3d<2, FractionalPoolOptions{.output_size = {1, 2, 1}}>(x, full<T, 1, 1, 3>(0.75)));

// an image read at places
ROW("grid_sample", loss, places, "F.grid_sample(x, y, align_corners=False)", grid_sample(x, y));
ROW("grid_sample border", loss, places, "F.grid_sample(x, y, padding_mode='border', align_corners=True)",
    grid_sample<GridSampleOptions{.padding_mode = GridPadding::border, .align_corners = true}>(x, y));
ROW("grid_sample reflection", loss, places,
    "F.grid_sample(x, y, padding_mode='reflection', align_corners=False)",
    grid_sample<GridSampleOptions{.padding_mode = GridPadding::reflection}>(x, y));
ROW("grid_sample nearest", loss, places, "F.grid_sample(x, y, 'nearest', 'border', False)",
    grid_sample<GridSampleOptions{.mode = Interpolation::nearest, .padding_mode = GridPadding::border}>(x,
                                                                                                        y));
ROW("grid_sample cubic", loss, places, "F.grid_sample(x, y, 'bicubic', 'zeros', False)",
    grid_sample<GridSampleOptions{.mode = Interpolation::cubic}>(x, y));
ROW("affine_grid", loss, vector, "F.affine_grid(x.reshape(1, 2, 3), (1, 1, 2, 3), align_corners=False)",
    affine_grid<1, 1, 2, 3>(reshape<1, 2, 3>(x)));
ROW("align_corners", loss, vector, "F.affine_grid(x.reshape(1, 2, 3), (1, 1, 2, 3), align_corners=True)",
    affine_grid<1, 1, 2, 3>(reshape<1, 2, 3>(x), align_corners));

TEST_CASE("sweep: distances, integrals, frames, normalisation, pooling") { sweep::check_rows(__FILE__); }
