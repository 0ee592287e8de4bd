#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/nn.hpp"
#include "weft/ops.hpp"
#include "weft/ops/loss/margin.hpp"

using namespace weft;

// Operands without elements: x (0), y (0, 5), z (5, 0), w (2, 0, 3), beside u (5).
ROW("exp empty", single, empties, "torch.exp(z)", exp(z));
ROW("add empty", single, empties, "torch.add(y, u)", add(y, u));
ROW("where empty", single, empties, "torch.where(y > 0, y, u)", where(gt(y, 0), y, u));
ROW("softplus empty", single, empties, "F.softplus(w)", softplus(w));
ROW("pow empty", single, empties, "torch.pow(w, 2.5)", pow(w, 2.5));

ROW("sum empty", single, empties,
    "(torch.sum(x), torch.sum(y, 0), torch.sum(z, 1), torch.sum(y, 1), torch.sum(w, (0, 1)))",
    std::tuple{sum(x), sum<0>(y), sum<1>(z), sum<1>(y), sum<0, 1>(w)});
ROW("prod empty", single, empties, "(torch.prod(x), torch.prod(y, 0), torch.prod(z, 1), torch.prod(z, 0))",
    std::tuple{prod(x), prod<0>(y), prod<1>(z), prod<0>(z)});
ROW("mean empty", single, empties, "(torch.mean(x), torch.mean(y, 0), torch.mean(y, 1))",
    std::tuple{mean(x), mean<0>(y), mean<1>(y)});
ROW("max empty", single, empties,
    "(torch.amax(y, 1), torch.amin(z, 0), torch.argmax(y, 1), torch.argmin(z, 0))",
    std::tuple{max<1>(y), min<0>(z), argmax<1>(y), argmin<0>(z)});
ROW("aminmax empty", single, empties, "torch.aminmax(y, dim=1)", aminmax<1>(y));
ROW("var empty", single, empties,
    "(torch.var(x), torch.var(y, 0), torch.var(y, 1), torch.var(y, 0, correction=0))",
    std::tuple{var(x), var<0>(y), var<1>(y), var<0>(y, biased)});
ROW("stddev empty", single, empties, "(torch.std(x), torch.std(y, 0), torch.std(y, 1))",
    std::tuple{stddev(x), stddev<0>(y), stddev<1>(y)});
ROW("any empty", single, empties,
    "(torch.any(x), torch.any(y, 0), torch.all(x), torch.all(z, 1), torch.any(y, 1))",
    std::tuple{any(x), any<0>(y), all(x), all<1>(z), any<1>(y)});
ROW("count_nonzero empty", single, empties, "(torch.count_nonzero(x), torch.count_nonzero(y, 0))",
    std::tuple{count_nonzero(x), count_nonzero<0>(y)});
ROW("logsumexp empty", single, empties,
    "(torch.logsumexp(x, 0), torch.logsumexp(y, 0), torch.logsumexp(y, 1))",
    std::tuple{logsumexp<0>(x), logsumexp<0>(y), logsumexp<1>(y)});
ROW("norm empty", single, empties,
    "(torch.linalg.vector_norm(x), torch.linalg.vector_norm(y, 1, 0), torch.linalg.vector_norm(z, 3, 1), "
    "torch.linalg.vector_norm(y, math.inf, 1))",
    std::tuple{norm(x), norm<0>(y, order<1>), norm<1>(z, order<3>), norm<1>(y, order_infinity)});
ROW("nansum empty", single, empties, "(torch.nansum(x), torch.nanmean(x), torch.nansum(y, 0))",
    std::tuple{nansum(x), nanmean(x), nansum<0>(y)});
ROW("dist empty", single, empties, "torch.dist(x, x)", dist(x, x));
ROW("equal empty", single, empties, "(torch.tensor(torch.equal(x, x)), torch.tensor(torch.allclose(y, y)))",
    std::tuple{equal(x, x), allclose(y, y)});

ROW("cumsum empty", single, empties,
    "(torch.cumsum(y, 0), torch.cumsum(z, 0), torch.cumprod(y, 1), torch.logcumsumexp(y, 0))",
    std::tuple{cumsum<0>(y), cumsum<0>(z), cumprod<1>(y), logcumsumexp<0>(y)});
ROW("cummax empty", single, empties, "torch.cummax(y, 1)", cummax<1>(y));
ROW("diff empty", single, empties, "(torch.diff(y, dim=1), torch.diff(z, dim=0), torch.diff(x))",
    std::tuple{diff<1>(y), diff<0>(z), diff(x)});
ROW("sort empty", single, empties, "(torch.sort(y, dim=1), torch.sort(x), torch.argsort(z, dim=1))",
    std::tuple{sort<1>(y), sort(x), argsort<1>(z)});
ROW("topk empty", single, empties, "(torch.topk(y, 2), torch.topk(x, 0), torch.topk(u, 0))",
    std::tuple{topk<2>(y), topk<0>(x), topk<0>(u)});
ROW("kthvalue empty", single, empties, "torch.kthvalue(y, 2)", kthvalue<2>(y));
ROW("median empty", single, empties, "(torch.median(x), torch.nanmedian(x), torch.median(y, 1).values)",
    std::tuple{median(x), nanmedian(x), std::get<0>(median<1>(y))});
ROW("searchsorted empty", single, empties,
    "(torch.searchsorted(x, u), torch.searchsorted(u, x), torch.bucketize(z, u))",
    std::tuple{searchsorted(x, u), searchsorted(u, x), bucketize(z, u)});
ROW("isin empty", single, empties, "(torch.isin(u, x), torch.isin(x, u))",
    std::tuple{isin(u, x), isin(x, u)});
ROW("unique empty", single, empties, "(filled(torch.unique(x), 3), filled(torch.unique_consecutive(x), 3))",
    std::tuple{std::get<0>(unique<3>(x)), std::get<0>(unique_consecutive<3>(x))});
ROW("nonzero empty", single, empties, "filled(torch.nonzero(y), 2, -1)", std::get<0>(nonzero<2>(y)));
ROW("masked_select empty", single, empties, "filled(torch.masked_select(y, y > 0), 2)",
    std::get<0>(masked_select<2>(y, gt(y, 0))));
ROW("bincount empty", single, empties, "torch.bincount(x.long(), minlength=3)", bincount<3>(cast<i64>(x)));
ROW("histc empty", single, empties, "(torch.histc(x, 3, 0, 1), torch.histc(w, 3, 0, 1))",
    std::tuple{histc<3>(x, 0, 1), histc<3>(w, 0, 1)});

ROW("softmax empty", single, empties,
    "(torch.softmax(y, 1), torch.softmax(z, 1), torch.log_softmax(y, 0), F.softmin(z, 0))",
    std::tuple{softmax<1>(y), softmax<1>(z), log_softmax<0>(y), softmin<0>(z)});
ROW("layer_norm empty", single, empties, "(F.layer_norm(y, (5,)), F.rms_norm(y, (5,)))",
    std::tuple{layer_norm(y), rms_norm(y)});
ROW("normalize empty", single, empties,
    "(F.normalize(y), F.normalize(z), F.cosine_similarity(y, y), F.pairwise_distance(y, y))",
    std::tuple{normalize(y), normalize(z), cosine_similarity(y, y), pairwise_distance(y, y)});
ROW("glu empty", single, empties, "F.glu(z, 1)", glu<1>(z));

ROW("cross_entropy empty", single, empties,
    "(F.cross_entropy(y, x.long()), F.cross_entropy(y, x.long(), reduction='sum'), F.cross_entropy(y, "
    "x.long(), reduction='none'))",
    std::tuple{cross_entropy(y, cast<i64>(x)), cross_entropy<reduction::sum>(y, cast<i64>(x)),
               cross_entropy<reduction::none>(y, cast<i64>(x))});
ROW("nll_loss empty", single, empties, "F.nll_loss(y, x.long())", nll_loss(y, cast<i64>(x)));
ROW("mse_loss empty", single, empties,
    "(F.mse_loss(x, x), F.mse_loss(y, y, reduction='sum'), F.l1_loss(z, z, reduction='none'))",
    std::tuple{mse_loss(x, x), mse_loss<reduction::sum>(y, y), l1_loss<reduction::none>(z, z)});
ROW("bce_with_logits empty", single, empties, "F.binary_cross_entropy_with_logits(y, y.detach())",
    bce_with_logits(y, stop_gradient(y)));
ROW("margin losses empty", single, empties,
    "(F.multi_margin_loss(y, x.long(), reduction='none'), F.hinge_embedding_loss(x, x), "
    "F.multilabel_soft_margin_loss(y, y.detach()))",
    std::tuple{multi_margin_loss<reduction::none>(y, cast<i64>(x)), hinge_embedding_loss(x, x),
               multilabel_soft_margin_loss(y, stop_gradient(y))});

ROW("matmul empty", single, empties,
    "(torch.matmul(z, y), torch.matmul(y, u), torch.matmul(y, z), torch.matmul(w, torch.ones(3, 4)), "
    "torch.mm(z, y), torch.mv(y, u))",
    std::tuple{matmul(z, y), matmul(y, u), matmul(y, z), matmul(w, ones<f32, 3, 4>()), mm(z, y), mv(y, u)});
ROW("addmm empty", single, empties, "(torch.addmm(u, z, y), torch.addmv(u, z, x), torch.addr(y, x, u))",
    std::tuple{addmm(u, z, y), addmv(u, z, x), addr(y, x, u)});
ROW("dot empty", single, empties,
    "(torch.dot(x, x), torch.inner(x, x), torch.outer(x, u), torch.outer(u, x))",
    std::tuple{dot(x, x), inner(x, x), outer(x, u), outer(u, x)});
ROW("einsum empty", single, empties,
    "(torch.einsum('ij,jk->ik', z, y), torch.einsum('i,i->', x, x), torch.einsum('ij->j', y))",
    std::tuple{einsum<"ij,jk->ik">(z, y), einsum<"i,i->">(x, x), einsum<"ij->j">(y)});
ROW("linear empty", single, empties,
    "(F.linear(y, torch.ones(2, 5), torch.ones(2)), F.linear(z, torch.ones(2, 0), torch.ones(2)))",
    std::tuple{linear(y, ones<f32, 2, 5>(), ones<f32, 2>()), linear(z, ones<f32, 2, 0>(), ones<f32, 2>())});
ROW("bmm empty", single, empties,
    "(torch.bmm(w, w.transpose(1, 2)), torch.bmm(w.transpose(1, 2), w), torch.kron(x, u), torch.tensordot(z, "
    "y, 1))",
    std::tuple{bmm(w, transpose<1, 2>(w)), bmm(transpose<1, 2>(w), w), kron(x, u), tensordot<1>(z, y)});

ROW("cat empty", single, empties,
    "(torch.cat([x, u]), torch.cat([y, y]), torch.stack([y, y]), torch.hstack([z, z]), torch.vstack([y, y]))",
    std::tuple{cat<0>(x, u), cat<0>(y, y), stack<0>(y, y), hstack(z, z), vstack(y, y)});
ROW("column_stack empty", single, empties, "(torch.column_stack([x, x]), torch.dstack([y, y]))",
    std::tuple{column_stack(x, x), dstack(y, y)});
ROW("reshape empty", single, empties,
    "(torch.reshape(y, (5, 0)), torch.reshape(w, (0, 7)), torch.flatten(w), torch.flatten(w, 1), "
    "torch.ravel(w))",
    std::tuple{reshape<5, 0>(y), reshape<0, 7>(w), flatten(w), flatten<1>(w), ravel(w)});
ROW("unflatten empty", single, empties,
    "(torch.unflatten(z, 1, (2, 0)), torch.unflatten(y, 0, (0, 2)), torch.unflatten(y, 0, (3, 0)))",
    std::tuple{unflatten<1, 2, 0>(z), unflatten<0, 0, 2>(y), unflatten<0, 3, 0>(y)});
ROW("permute empty", single, empties,
    "(torch.permute(w, (2, 0, 1)), torch.transpose(w, 0, 1), torch.t(y), torch.movedim(w, 0, 2))",
    std::tuple{permute<2, 0, 1>(w), transpose<0, 1>(w), t(y), movedim<0, 2>(w)});
ROW("expand empty", single, empties,
    "(x.expand(3, 0), torch.unsqueeze(x, 0).expand(4, 0), y.repeat(2, 1), torch.tile(x, (3,)))",
    std::tuple{expand<3, 0>(x), expand<4, 0>(unsqueeze<0>(x)), repeat<2, 1>(y), tile<3>(x)});
ROW("repeat none", single, empties, "(u.repeat(0), torch.repeat_interleave(x, 2, 0))",
    std::tuple{repeat<0>(u), repeat_interleave<2, 0>(x)});
ROW("flip empty", single, empties,
    "(torch.flip(x, (0,)), torch.flip(y, (0, 1)), torch.flipud(z), torch.fliplr(z), torch.roll(y, 1, 0), "
    "torch.rot90(y))",
    std::tuple{flip<0>(x), flip<0, 1>(y), flipud(z), fliplr(z), roll<1, 0>(y), rot90(y)});
ROW("slice empty", single, empties,
    "(u[3:3], y[:, 1:3], z[2:4], torch.narrow(z, 0, 1, 2), torch.select(z, 0, 1), u[4:2])",
    std::tuple{slice<0, 3, 3>(u), slice<1, 1, 3>(y), slice<0, 2, 4>(z), narrow<0, 1, 2>(z), select<0, 1>(z),
               slice<0, 4, 2>(u)});
ROW("split empty", single, empties,
    "(torch.split(z, 2), torch.chunk(z, 2), torch.unbind(y, 1), torch.tensor_split(x, 3))",
    std::tuple{split<2>(z), chunk<2>(z), unbind<1>(y), tensor_split<3>(x)});
ROW("pad empty", single, empties, "(F.pad(x, (1, 2), value=3), F.pad(y, (0, 0, 1, 0)), F.pad(u, (-2, -3)))",
    std::tuple{pad<1, 2>(x, 3), pad<0, 0, 1, 0>(y), pad<-2, -3>(u)});
ROW("tril empty", single, empties,
    "(torch.tril(y), torch.triu(z), torch.diag(x), torch.diag(y), torch.diag_embed(x), torch.diagonal(z), "
    "torch.trace(y))",
    std::tuple{tril(y), triu(z), diag(x), diag(y), diag_embed(x), diagonal(z), trace(y)});
ROW("made empty", integer, none,
    "(torch.zeros(0, 2, dtype=T), torch.arange(0).to(T), torch.eye(0, 3).to(T), torch.tril_indices(0, 3), "
    "torch.triu_indices(3, 0), torch.tril_indices(3, 3, -3), torch.triu_indices(2, 2, 2))",
    std::tuple{zeros<T, 0, 2>(), arange<T, 0>(), eye<T, 0, 3>(), tril_indices<0, 3>(), triu_indices<3, 0>(),
               tril_indices<3, 3, -3>(), triu_indices<2, 2, 2>()});
ROW("linspace empty", single, empties, "torch.linspace(0, 1, 0).to(T)", linspace<T, 0>(0, 1));
ROW("unfold empty", single, empties, "(y.unfold(1, 2, 1), u.unfold(0, 5, 1))",
    std::tuple{unfold<1, 2, 1>(y), unfold<0, 5, 1>(u)});

ROW("gather empty", single, empties,
    "(torch.gather(y, 1, y.long()), torch.take(u, x.long()), torch.index_select(u, 0, x.long()), "
    "torch.take_along_dim(u, x.long(), 0))",
    std::tuple{gather<1>(y, cast<i64>(y)), take(u, cast<i64>(x)), index_select<0>(u, cast<i64>(x)),
               take_along_dim<0>(u, cast<i64>(x))});
ROW("index empty", single, empties, "(u[x.long()], y[:, 1], z[..., None])",
    std::tuple{index(u, cast<i64>(x)), index(y, every, at<1>), index(z, ellipsis, newaxis)});
ROW("scatter empty", single, empties,
    "(torch.scatter(u, 0, x.long(), x), torch.scatter_add(u, 0, x.long(), x), torch.index_add(u, 0, "
    "x.long(), x), torch.index_fill(u, 0, x.long(), 2))",
    std::tuple{scatter<0>(u, cast<i64>(x), x), scatter_add<0>(u, cast<i64>(x), x),
               index_add<0>(u, cast<i64>(x), x), index_fill<0>(u, cast<i64>(x), 2)});
ROW("scatter_reduce empty", single, empties,
    "(torch.scatter_reduce(u, 0, x.long(), x, 'amax'), torch.scatter_reduce(u, 0, x.long(), x, 'prod', "
    "include_self=False), torch.index_put(u, (x.long(),), x))",
    std::tuple{scatter_reduce<0>(u, cast<i64>(x), x, reduce::amax),
               scatter_reduce<0>(u, cast<i64>(x), x, reduce::prod, exclude_self),
               index_put(u, x, cast<i64>(x))});
ROW("embedding empty", single, empties,
    "(F.embedding(x.long(), torch.ones(4, 2)), F.embedding(y.long(), torch.ones(4, 2)))",
    std::tuple{nn::functional::embedding(cast<i64>(x), ones<f32, 4, 2>()),
               nn::functional::embedding(cast<i64>(y), ones<f32, 4, 2>())});

ROW("conv empty", single, images_empty,
    "(F.conv2d(x, y, z), F.conv2d(x, y, z, padding=1), F.conv_transpose2d(x, y))",
    std::tuple{conv2d(x, y, z), conv2d<ConvOptions{.padding = 1}>(x, y, z), conv_transpose2d(x, y)});
ROW("pool empty", single, images_empty,
    "(F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 2), F.adaptive_max_pool2d(x, 2), "
    "F.interpolate(x, scale_factor=2))",
    std::tuple{max_pool2d<2>(x), avg_pool2d<2>(x), adaptive_avg_pool2d<2>(x), adaptive_max_pool2d<2>(x),
               interpolate<InterpolateOptions{.scale_factor = 2}>(x)});
ROW("avg_pool3d empty", single, volumes_empty,
    "(F.avg_pool3d(x, 2), F.max_pool3d(x, 2), F.adaptive_avg_pool3d(x, 2))",
    std::tuple{avg_pool3d<2>(x), max_pool3d<2>(x), adaptive_avg_pool3d<2>(x)});
ROW("norm layers empty", single, images_empty, "(F.group_norm(x, 2), F.group_norm(x, 1))",
    std::tuple{nn::GroupNorm<2, 2, false>{}(x), nn::GroupNorm<1, 2, false>{}(x)});
ROW("attention empty", single, heads_empty,
    "(F.scaled_dot_product_attention(x, y, y), F.scaled_dot_product_attention(z, z, z))",
    std::tuple{scaled_dot_product_attention(x, y, y), scaled_dot_product_attention(z, z, z)});

// of the operations in composite_table.cpp
ROW("vector_norm empty", single, empties,
    "(torch.linalg.vector_norm(z, 2.5, 1), torch.linalg.vector_norm(y, 2.5), torch.linalg.matrix_norm(w[:, "
    ":0], 'fro'))",
    std::tuple{vector_norm<1>(z, 2.5), vector_norm(y, 2.5), matrix_norm(w)});
ROW("cdist empty", single, empties,
    "(torch.cdist(y, y), torch.cdist(z, z), torch.cdist(y, u[None]), F.pdist(z))",
    std::tuple{cdist(y, y), cdist(z, z), cdist(y, unsqueeze<0>(u)), pdist(z)});
ROW("trapezoid empty", single, empties,
    "(torch.trapezoid(y), torch.cumulative_trapezoid(y), torch.trapezoid(w))",
    std::tuple{trapezoid(y), cumulative_trapezoid(y), trapezoid(w)});
ROW("vecdot empty", single, empties, "(torch.linalg.vecdot(y, y), torch.linalg.vecdot(z, z))",
    std::tuple{vecdot(y, y), vecdot(z, z)});
ROW("multi_dot empty", single, empties,
    "(torch.linalg.multi_dot([z, y, z]), torch.linalg.multi_dot([y, z, y]))",
    std::tuple{multi_dot(z, y, z), multi_dot(y, z, y)});
ROW("slice_scatter empty", single, empties,
    "(torch.slice_scatter(y, y, 0, 0), torch.slice_scatter(u, x, 0, 2, 2), torch.masked_scatter(y, y > 0, "
    "u), "
    "torch.put(u, torch.zeros(0, dtype=torch.int64), x))",
    std::tuple{slice_scatter<0, 0>(y, y), slice_scatter<0, 2, 2>(u, x), masked_scatter(y, gt(y, 0), u),
               put(u, zeros<i64, 0>(), x)});
ROW("renorm empty", single, empties, "(torch.renorm(y, 2, 0, 1.0), torch.renorm(z, 2, 0, 1.0))",
    std::tuple{renorm<0>(y, 1.0), renorm<0>(z, 1.0)});

TEST_CASE("sweep: operands without elements") { sweep::check_rows(__FILE__); }
