#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"

using namespace weft;

// reductions
ROW("sum", folded, lines, "torch.sum(x, -1)", sum<-1>(x));
ROW("sum all", folded, tame, "torch.sum(x)", sum(x));
ROW("sum keepdim", folded, tame, "torch.sum(x, 0, keepdim=True)", sum<0>(x, keepdim));
ROW("keepdim", folded, tame, "torch.amax(x, (0, 1), keepdim=True)", amax<0, 1>(x, keepdim));
ROW("prod", folded, lines, "torch.prod(x, -1)", prod<-1>(x));
ROW("prod all", folded, tame, "torch.prod(x)", prod(x));
ROW("max", folded, lines, "torch.amax(x, -1)", max<-1>(x));
ROW("min", folded, lines, "torch.amin(x, -1)", min<-1>(x));
ROW("amax", folded, lines, "torch.amax(x, 0)", amax<0>(x));
ROW("amin", folded, lines, "torch.amin(x, 0)", amin<0>(x));
ROW("max all", folded, tame, "torch.amax(x, (0, 1))", max(x));
ROW("mean", statistic, lines, "torch.mean(x, -1)", mean<-1>(x));
ROW("argmax", folded, lines, "torch.argmax(x, -1)", argmax<-1>(x));
ROW("argmin", folded, lines, "torch.argmin(x, -1)", argmin<-1>(x));
ROW("argmax all", folded, tame, "torch.argmax(x)", argmax(x));
ROW("var", statistic, lines, "torch.var(x, -1)", var<-1>(x));
ROW("biased", statistic, lines, "torch.var(x, -1, unbiased=False)", var<-1>(x, biased));
ROW("correction", statistic, lines, "torch.var(x, -1, correction=2)", var<-1>(x, correction<2>));
ROW("stddev", statistic, lines, "torch.std(x, -1)", stddev<-1>(x));
ROW("any", folded, lines, "torch.any(x, -1).bool()", any<-1>(x));
ROW("all", folded, lines, "torch.all(x, -1).bool()", all<-1>(x));
ROW("any all", folded, tame, "torch.any(x).bool()", any(x));
ROW("count_nonzero", folded, lines, "torch.count_nonzero(x, -1)", count_nonzero<-1>(x));
ROW("logsumexp", statistic, lines, "torch.logsumexp(x, -1)", logsumexp<-1>(x));
ROW("norm", statistic, lines, "torch.linalg.vector_norm(x, 2, -1)", norm<-1>(x));
ROW("order", statistic, lines, "torch.linalg.vector_norm(x, 1, -1)", norm<-1>(x, order<1>));
ROW("norm 0", statistic, lines, "torch.linalg.vector_norm(x, 0, -1)", norm<-1>(x, order<0>));
ROW("norm 3", statistic, lines, "torch.linalg.vector_norm(x, 3, -1)", norm<-1>(x, order<3>));
ROW("norm inf", statistic, lines, "torch.linalg.vector_norm(x, math.inf, -1)", norm<-1>(x, order_infinity));
ROW("nansum", folded, lines, "torch.nansum(x, -1)", nansum<-1>(x));
ROW("nanmean", statistic, lines, "torch.nanmean(x, -1)", nanmean<-1>(x));
ROW("aminmax", folded, lines, "torch.aminmax(x, dim=-1)", aminmax<-1>(x));
ROW("var_mean", statistic, lines, "torch.var_mean(x, -1)", var_mean<-1>(x));
ROW("std_mean", statistic, lines, "torch.std_mean(x, -1)", std_mean<-1>(x));
ROW("dist", real, two_tame, "torch.dist(x, y)", dist(x, y));
ROW("dist 1", real, two_tame, "torch.dist(x, y, 1)", dist(x, y, order<1>));
ROW("equal", any, two_lines, "torch.tensor(torch.equal(x, y))", equal(x, y));
ROW("equal self", any, tame, "torch.tensor(torch.equal(x, x))", equal(x, x));
ROW("allclose", any, tame, "torch.tensor(torch.allclose(x, x))", allclose(x, x));

// running folds
ROW("cumsum", folded, lines, "torch.cumsum(x, -1)", cumsum<-1>(x));
ROW("cumprod", folded, lines, "torch.cumprod(x, -1)", cumprod<-1>(x));
ROW("logcumsumexp", statistic, lines, "torch.logcumsumexp(x, -1)", logcumsumexp<-1>(x));
ROW("cummax", folded, lines, "torch.cummax(x, -1)", cummax<-1>(x));
ROW("cummin", folded, lines, "torch.cummin(x, -1)", cummin<-1>(x));
ROW("diff", folded, lines, "torch.diff(x, dim=-1)", diff<-1>(x));
ROW("diff 2", loss, lines, "torch.diff(x, 2, dim=-1)", diff<-1, 2>(x));

// order
ROW("argsort", folded, lines, "torch.sort(x, dim=-1, stable=True).indices", argsort<-1>(x));
ROW("sort", folded, lines, "torch.sort(x, dim=-1, stable=True)", sort<-1>(x));
ROW("descending", folded, lines, "torch.sort(x, dim=-1, stable=True, descending=True)",
    sort<-1>(x, descending));
ROW("msort", folded, tame, "torch.msort(x)", msort(x));
ROW("topk", number, distinct, "torch.topk(x, 3).values", std::get<0>(topk<3>(x)));
ROW("smallest", number, distinct, "torch.topk(x, 3, largest=False).values",
    std::get<0>(topk<3>(x, smallest)));
ROW("kthvalue", number, distinct, "torch.kthvalue(x, 2).values", std::get<0>(kthvalue<2>(x)));
ROW("median", number, distinct, "torch.median(x, -1).values", std::get<0>(median<-1>(x)));
ROW("nanmedian", number, distinct, "torch.nanmedian(x, -1).values", std::get<0>(nanmedian<-1>(x)));
ROW("quantile", real, distinct, "torch.quantile(x, 0.3, dim=-1)", quantile<-1>(x, 0.3));
ROW("nanquantile", real, distinct, "torch.nanquantile(x, 0.3, dim=-1)", nanquantile<-1>(x, 0.3));
ROW("searchsorted", folded, sorted, "torch.searchsorted(x, y)", searchsorted(x, y));
ROW("right_side", folded, sorted, "torch.searchsorted(x, y, right=True)", searchsorted(x, y, right_side));
ROW("bucketize", folded, sorted, "torch.bucketize(y, x)", bucketize(y, x));
ROW("isin", any, two_tame, "torch.isin(x, y)", isin(x, y));

// softmax and its like
ROW("softmax", statistic, lines, "torch.softmax(x, -1)", softmax<-1>(x));
ROW("log_softmax", statistic, lines, "torch.log_softmax(x, -1)", log_softmax<-1>(x));
ROW("softmax huge", loss, huge, "torch.softmax(x, -1)", softmax<-1>(x));
ROW("log_softmax huge", loss, huge, "torch.log_softmax(x, -1)", log_softmax<-1>(x));
ROW("logsumexp huge", loss, huge, "torch.logsumexp(x, -1)", logsumexp<-1>(x));
ROW("max huge", loss, huge, "torch.amax(x, -1)", max<-1>(x));
ROW("mean huge", loss, huge, "torch.mean(x, -1)", mean<-1>(x));
ROW("normalize huge", loss, huge, "F.normalize(x, dim=-1)", normalize<-1>(x));
ROW("softmin", statistic, lines, "F.softmin(x, dim=-1)", softmin<-1>(x));
ROW("glu", loss, lines, "F.glu(x)", glu(x));
ROW("swiglu", loss, lines, "F.silu(x[:, :3]) * x[:, 3:]", swiglu(x));
ROW("geglu", loss, lines, "F.gelu(x[:, :3]) * x[:, 3:]", geglu(x));
ROW("reglu", loss, lines, "F.relu(x[:, :3]) * x[:, 3:]", reglu(x));

// normalisation
ROW("layer_norm", statistic, lines, "F.layer_norm(x, (6,))", layer_norm(x));
ROW("layer_norm affine", loss, affine, "F.layer_norm(x, (6,), y, z)", layer_norm(x, y, z));
ROW("rms_norm", statistic, lines, "F.rms_norm(x, (6,))", rms_norm(x));
ROW("rms_norm affine", loss, affine, "F.rms_norm(x, (6,), y)", rms_norm(x, y));
ROW("normalize", statistic, lines, "F.normalize(x, dim=-1)", normalize<-1>(x));
ROW("cosine_similarity", statistic, two_lines, "F.cosine_similarity(x, y, dim=-1)",
    cosine_similarity<-1>(x, y));
ROW("pairwise_distance", loss, two_lines, "F.pairwise_distance(x, y)", pairwise_distance(x, y));

TEST_CASE("sweep: operations along rows") { sweep::check_rows(__FILE__); }
