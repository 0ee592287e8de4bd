#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"

using namespace weft;

// products
ROW("matmul", product, matrices, "torch.matmul(x, y)", matmul(x, y));
ROW("mm", product, matrices, "torch.mm(x, y)", mm(x, y));
ROW("mv", product, matrices, "torch.mv(x, y[:, 0])", mv(x, select<1, 0>(y)));
ROW("bmm", product, batches, "torch.bmm(x, y)", bmm(x, y));
ROW("addmm", wide, matrices, "torch.addmm(z, x, y)", addmm(z, x, y));
ROW("addmm scaled", wide, matrices, "torch.addmm(z, x, y, beta=2, alpha=3)", addmm(z, x, y, 2, 3));
ROW("addmm beta 0", wide, matrices_nan, "torch.addmm(z, x, y, beta=0)", addmm(z, x, y, 0, 1));
ROW("addmm alpha 0", wide, matrices_nan, "torch.addmm(w, z, z, alpha=0)", addmm(w, z, z, 1, 0));
ROW("addmv", wide, matrices, "torch.addmv(z[0], y.T, x[0])", addmv(select<0, 0>(z), t(y), select<0, 0>(x)));
ROW("addmv beta 0", wide, matrices_nan, "torch.addmv(z[0], y.T, x[0], beta=0)",
    addmv(select<0, 0>(z), t(y), select<0, 0>(x), 0));
ROW("addmv alpha 0", wide, matrices_nan, "torch.addmv(w[0], z, z[0], alpha=0)",
    addmv(select<0, 0>(w), z, select<0, 0>(z), 1, 0));
ROW("addr", wide, matrices, "torch.addr(z, x[:, 0], y[0])", addr(z, select<1, 0>(x), select<0, 0>(y)));
ROW("addr beta 0", wide, matrices_nan, "torch.addr(z, x[:, 0], y[0], beta=0)",
    addr(z, select<1, 0>(x), select<0, 0>(y), 0));
ROW("addbmm", wide, batches, "torch.addbmm(z, x, y)", addbmm(z, x, y));
ROW("addbmm beta 0", wide, batches_nan, "torch.addbmm(z, x, y, beta=0)", addbmm(z, x, y, 0));
ROW("baddbmm", wide, batches, "torch.baddbmm(z, x, y)", baddbmm(z, x, y));
ROW("baddbmm beta 0", wide, batches_nan, "torch.baddbmm(z, x, y, beta=0)", baddbmm(z, x, y, 0));
ROW("einsum", product, matrices, "torch.einsum('ij,jk->ki', x, y)", einsum<"ij,jk->ki">(x, y));
ROW("einsum elementwise", product, matrices, "torch.einsum('ij,ij->i', x, y.T)", einsum<"ij,ij->i">(x, t(y)));
ROW("outer", product, two_small, "torch.outer(x, y)", outer(x, y));
ROW("kron", moved, two_small, "torch.kron(x, y)", kron(x, y));
ROW("cross", wide, matrices, "torch.linalg.cross(x, y.T)", cross(x, t(y)));
ROW("inner", product, matrices, "torch.inner(x, y.T)", inner(x, t(y)));
ROW("dot", product, two_small, "torch.dot(x, y[:3])", dot(x, slice<0, 0, 3>(y)));
ROW("tensordot", product, matrices, "torch.tensordot(x, y, 1)", tensordot<1>(x, y));
ROW("matrix_power", wide, matrices, "torch.linalg.matrix_power(z, 3) if z.is_floating_point() else z @ z @ z",
    matrix_power<3>(z));
ROW("linear", wide, matrices, "F.linear(x, y.T, z[0]) if x.is_floating_point() else x @ y + z[0]",
    linear(x, t(y), select<0, 0>(z)));

// convolutions, pooling, resampling
ROW("conv1d", loss, signals, "F.conv1d(x, y, z)", conv1d(x, y, z));
ROW("conv2d", loss, images, "F.conv2d(x, y, z, padding=1)", conv2d<ConvOptions{.padding = 1}>(x, y, z));
ROW("conv3d", loss, volumes, "F.conv3d(x, y)", conv3d(x, y));
ROW("conv_transpose1d", float, signals, "F.conv_transpose1d(x, y)", conv_transpose1d(x, y));
ROW("conv_transpose2d", float, images, "F.conv_transpose2d(x, y, stride=2)",
    conv_transpose2d<ConvTransposeOptions{.stride = 2}>(x, y));
ROW("conv_transpose3d", float, volumes, "F.conv_transpose3d(x, y)", conv_transpose3d(x, y));
ROW("max_pool1d", float, edge_signals, "F.max_pool1d(x, 2)", max_pool1d<2>(x));
ROW("max_pool2d", float, edge_images, "F.max_pool2d(x, 2)", max_pool2d<2>(x));
ROW("max_pool2d padded", float, edge_images, "F.max_pool2d(x, 3, stride=1, padding=1)",
    max_pool2d<3, PoolOptions{.stride = 1, .padding = 1}>(x));
ROW("max_pool3d", float, volumes, "F.max_pool3d(x, 2)", max_pool3d<2>(x));
ROW("avg_pool1d", loss, edge_signals, "F.avg_pool1d(x, 2)", avg_pool1d<2>(x));
ROW("avg_pool2d", loss, edge_images, "F.avg_pool2d(x, 2)", avg_pool2d<2>(x));
ROW("avg_pool2d padded", loss, images, "F.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False)",
    avg_pool2d<3, PoolOptions{.stride = 1, .padding = 1, .count_include_pad = false}>(x));
ROW("avg_pool3d", loss, volumes, "F.avg_pool3d(x, 2)", avg_pool3d<2>(x));
ROW("adaptive_avg_pool1d", loss, edge_signals, "F.adaptive_avg_pool1d(x, 2)", adaptive_avg_pool1d<2>(x));
ROW("adaptive_avg_pool2d", float, images, "F.adaptive_avg_pool2d(x, 3)", adaptive_avg_pool2d<3>(x));
ROW("adaptive_avg_pool3d", float, volumes, "F.adaptive_avg_pool3d(x, 2)", adaptive_avg_pool3d<2>(x));
ROW("adaptive_max_pool1d", float, edge_signals, "F.adaptive_max_pool1d(x, 2)", adaptive_max_pool1d<2>(x));
ROW("adaptive_max_pool2d", float, edge_images, "F.adaptive_max_pool2d(x, 3)", adaptive_max_pool2d<3>(x));
ROW("adaptive_max_pool3d", float, volumes, "F.adaptive_max_pool3d(x, 2)", adaptive_max_pool3d<2>(x));
ROW("interpolate", float, edge_images, "F.interpolate(x, scale_factor=2)",
    interpolate<InterpolateOptions{.scale_factor = 2}>(x));
ROW("interpolate linear", loss, images, "F.interpolate(x, scale_factor=2, mode='bilinear')",
    interpolate<InterpolateOptions{.scale_factor = 2, .mode = Interpolation::linear}>(x));
ROW("interpolate cubic", loss, images, "F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=True)",
    interpolate<InterpolateOptions{.scale_factor = 2, .mode = Interpolation::cubic, .align_corners = true}>(
        x));

// attention
ROW("scaled_dot_product_attention", loss, heads, "F.scaled_dot_product_attention(x, y, z)",
    scaled_dot_product_attention(x, y, z));
ROW("scaled_dot_product_attention causal", loss, heads,
    "F.scaled_dot_product_attention(x, y, z, is_causal=True)",
    scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x, y, z));
ROW("rotary_embedding", loss, heads, "rotary(x)", rotary_embedding(x));

// metrics
ROW("accuracy", loss, labelled_tame, "(x.argmax(-1) == i).float().mean()", accuracy(x, i));
ROW("topk_accuracy", loss, labelled_tame, "(torch.topk(x, 2).indices == i[:, None]).any(-1).float().mean()",
    topk_accuracy<2>(x, i));
ROW("confusion_matrix", loss, labelled_tame, "confusion(x.argmax(-1), i, 6)", confusion_matrix(x, i));
ROW("precision_score", loss, labelled_tame, "(x.argmax(-1) == i).float().mean()", precision_score(x, i));
ROW("recall_score", loss, labelled_tame, "(x.argmax(-1) == i).float().mean()", recall_score(x, i));
ROW("f1_score", loss, labelled_tame, "(x.argmax(-1) == i).float().mean()", f1_score(x, i));

TEST_CASE("sweep: products, images, attention, metrics") { sweep::check_rows(__FILE__); }
