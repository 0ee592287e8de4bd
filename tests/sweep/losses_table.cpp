#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"
#include "weft/ops/loss/ctc.hpp"
#include "weft/ops/loss/margin.hpp"

using namespace weft;

ROW("cross_entropy", loss, labelled, "F.cross_entropy(x, i, reduction='none')",
    cross_entropy<reduction::none>(x, i));
ROW("cross_entropy mean", loss, labelled_tame, "F.cross_entropy(x, i)", cross_entropy(x, i));
ROW("cross_entropy smoothed", loss, labelled, "F.cross_entropy(x, i, reduction='none', label_smoothing=0.25)",
    cross_entropy<reduction::none>(x, i, {.label_smoothing = 0.25}));
ROW("cross_entropy weighted", loss, labelled, "F.cross_entropy(x, i, y.detach(), reduction='none')",
    cross_entropy<reduction::none>(x, i, stop_gradient(y)));
ROW("cross_entropy ignored", loss, labelled_tame, "F.cross_entropy(x, i, ignore_index=2)",
    cross_entropy(x, i, {.ignore_index = 2}));
ROW("cross_entropy soft", loss, two_lines, "F.cross_entropy(x, y, reduction='none')",
    cross_entropy<reduction::none>(x, y));
ROW("nll_loss", loss, labelled, "F.nll_loss(x, i, reduction='none')", nll_loss<reduction::none>(x, i));
ROW("nll_loss weighted", loss, labelled, "F.nll_loss(x, i, y.detach(), reduction='none')",
    nll_loss<reduction::none>(x, i, stop_gradient(y)));
ROW("mse_loss mean", loss, two_tame, "F.mse_loss(x, y)", mse_loss(x, y));
ROW("l1_loss sum", loss, two_tame, "F.l1_loss(x, y, reduction='sum')", l1_loss<reduction::sum>(x, y));
ROW("kl_div batchmean", loss, two_tame, "F.kl_div(x, y, reduction='batchmean')",
    kl_div<reduction::batchmean>(x, y));
ROW("cosine_embedding_loss", loss, signed_lines,
    "F.cosine_embedding_loss(x, y, z.detach(), reduction='none')",
    cosine_embedding_loss<reduction::none>(x, y, stop_gradient(z)));
ROW("triplet_margin_loss", loss, three_lines, "F.triplet_margin_loss(x, y, z, reduction='none')",
    triplet_margin_loss<reduction::none>(x, y, z));
ROW("triplet_margin_loss swap", loss, three_lines,
    "F.triplet_margin_loss(x, y, z, reduction='none', swap=True)",
    triplet_margin_loss<reduction::none, 2, true>(x, y, z));
ROW("triplet_margin_with_distance_loss", loss, three_lines,
    "F.triplet_margin_with_distance_loss(x, y, z, reduction='none')",
    triplet_margin_with_distance_loss<reduction::none>(x, y, z));
ROW("multi_margin_loss", loss, labelled, "F.multi_margin_loss(x, i, reduction='none')",
    multi_margin_loss<reduction::none>(x, i));
ROW("multi_margin_loss squared", loss, labelled, "F.multi_margin_loss(x, i, p=2, reduction='none')",
    multi_margin_loss<reduction::none, 2>(x, i));
ROW("multi_margin_loss point", loss, point, "F.multi_margin_loss(x, i)", multi_margin_loss(x, i));
ROW("multilabel_margin_loss point", loss, point, "F.multilabel_margin_loss(x, i)",
    multilabel_margin_loss(x, i));
ROW("margin losses of points", loss, point,
    "(F.hinge_embedding_loss(x, x), F.soft_margin_loss(x, x.detach()), F.margin_ranking_loss(x, x, x), "
    "F.mse_loss(x, x), F.huber_loss(x, x * 3))",
    std::tuple{hinge_embedding_loss(x, x), soft_margin_loss(x, stop_gradient(x)),
               margin_ranking_loss(x, x, x), mse_loss(x, x), huber_loss(x, x * 3)});
ROW("multilabel_margin_loss", loss, multilabelled, "F.multilabel_margin_loss(x, i, reduction='none')",
    multilabel_margin_loss<reduction::none>(x, i));
ROW("multilabel_soft_margin_loss", loss, two_lines,
    "F.multilabel_soft_margin_loss(x, y.detach(), reduction='none')",
    multilabel_soft_margin_loss<reduction::none>(x, stop_gradient(y)));
ROW("ctc_loss", float, alignments, "F.ctc_loss(torch.log_softmax(x, -1), i, j, k, reduction='none')",
    ctc_loss<reduction::none>(log_softmax<-1>(x), i, j, k));
ROW("perplexity", loss, labelled_tame, "torch.exp(F.cross_entropy(x, i))", perplexity(x, i));

TEST_CASE("sweep: losses of rows") { sweep::check_rows(__FILE__); }
