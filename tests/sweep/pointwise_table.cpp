#include <doctest/doctest.h>

#include "sweep/sweep.hpp"
#include "weft/ops.hpp"
#include "weft/ops/loss/margin.hpp"

using namespace weft;

// primitives and their like
ROW("neg", number, unary, "torch.neg(x)", neg(x));
ROW("abs", number, unary, "torch.abs(x)", abs(x));
ROW("sign", any, unary, "torch.sign(x)", sign(x));
ROW("floor", number, unary, "torch.floor(x)", floor(x));
ROW("ceil", number, unary, "torch.ceil(x)", ceil(x));
ROW("round", number, unary, "torch.round(x)", round(x));
ROW("trunc", number, unary, "torch.trunc(x)", trunc(x));
ROW("frac", number, unary, "x - torch.trunc(x)", frac(x));
ROW("exp", fraction, unary, "torch.exp(x)", exp(x));
ROW("expm1", fraction, unary, "torch.expm1(x)", expm1(x));
ROW("log", fraction, unary, "torch.log(x)", log(x));
ROW("log1p", fraction, unary, "torch.log1p(x)", log1p(x));
ROW("sqrt", fraction, unary, "torch.sqrt(x)", sqrt(x));
ROW("rsqrt", fraction, unary, "torch.rsqrt(x)", rsqrt(x));
ROW("sin", fraction, unary, "torch.sin(x)", sin(x));
ROW("cos", fraction, unary, "torch.cos(x)", cos(x));
ROW("tan", fraction, unary, "torch.tan(x)", tan(x));
ROW("asin", fraction, unary, "torch.asin(x)", asin(x));
ROW("acos", fraction, unary, "torch.acos(x)", acos(x));
ROW("atan", fraction, unary, "torch.atan(x)", atan(x));
ROW("sinh", fraction, unary, "torch.sinh(x)", sinh(x));
ROW("cosh", fraction, unary, "torch.cosh(x)", cosh(x));
ROW("tanh", fraction, unary, "torch.tanh(x)", tanh(x));
ROW("erf", fraction, unary, "torch.erf(x)", erf(x));
ROW("isfinite", any, unary, "torch.isfinite(x)", isfinite(x));
ROW("isnan", any, unary, "torch.isnan(x)", isnan(x));
ROW("isinf", any, unary, "torch.isinf(x)", isinf(x));
ROW("isposinf", any, unary, "torch.isposinf(x)", isposinf(x));
ROW("isneginf", any, unary, "torch.isneginf(x)", isneginf(x));
ROW("signbit", any, unary, "torch.signbit(x)", signbit(x));
ROW("logical_not", any, unary, "torch.logical_not(x)", logical_not(x));
ROW("bitwise_not", bits, unary, "torch.bitwise_not(x)", bitwise_not(x));
ROW("stop_gradient", any, unary, "x.detach()", stop_gradient(x));
ROW("cast", any, unary, "x.to(torch.float32)", cast<f32>(x));
ROW("cast f64", any, unary, "x.to(torch.float64)", cast<f64>(x));
ROW("cast f16", any, unary, "x.to(torch.float16)", cast<f16>(x));
ROW("cast bf16", any, unary, "x.to(torch.bfloat16)", cast<bf16>(x));
ROW("cast bool", any, unary, "x.to(torch.bool)", cast<bool>(x));
ROW("cast i64", bits, unary, "x.to(torch.int64)", cast<i64>(x));
ROW("cast i32", bits, unary, "x.to(torch.int32)", cast<i32>(x));
ROW("cast i8", bits, unary, "x.to(torch.int8)", cast<i8>(x));
ROW("cast u8", bits, unary, "x.to(torch.uint8)", cast<u8>(x));

ROW("add", any, binary, "torch.add(x, y)", add(x, y));
ROW("sub", number, binary, "torch.sub(x, y)", sub(x, y));
ROW("mul", any, binary, "torch.mul(x, y)", mul(x, y));
ROW("div", fraction, binary, "torch.div(x, y)", div(x, y));
ROW("operators", number, binary, "(x + y, x - y, x * y, -x)", std::tuple{x + y, x - y, x* y, -x});
ROW("pow", number, binary, "torch.pow(x, y)", pow(x, y));
ROW("pow square", number, unary, "torch.pow(x, 2)", pow(x, 2));
ROW("pow cube", number, unary, "torch.pow(x, 3)", pow(x, 3));
ROW("pow zero", number, unary, "torch.pow(x, 0)", pow(x, 0));
ROW("pow root", fraction, unary, "torch.pow(x, 0.5)", pow(x, 0.5));
ROW("pow inverse", float, unary, "torch.pow(x, -1)", pow(x, -1));
ROW("pow base", fraction, unary, "torch.pow(2.0, x)", pow(2.0, x));
ROW("maximum", any, binary, "torch.maximum(x, y)", maximum(x, y));
ROW("minimum", any, binary, "torch.minimum(x, y)", minimum(x, y));
ROW("fmod", number, binary, "torch.fmod(x, y)", fmod(x, y));
ROW("atan2", fraction, binary, "torch.atan2(x, y)", atan2(x, y));
ROW("eq", any, binary, "torch.eq(x, y)", eq(x, y));
ROW("ne", any, binary, "torch.ne(x, y)", ne(x, y));
ROW("lt", any, binary, "torch.lt(x, y)", lt(x, y));
ROW("le", any, binary, "torch.le(x, y)", le(x, y));
ROW("gt", any, binary, "torch.gt(x, y)", gt(x, y));
ROW("ge", any, binary, "torch.ge(x, y)", ge(x, y));
ROW("lt number", number, unary, "x < -1", lt(x, -1));
ROW("add number", wide, unary, "x + 300", x + 300);
ROW("bitwise_and", bits, binary, "torch.bitwise_and(x, y)", bitwise_and(x, y));
ROW("bitwise_or", bits, binary, "torch.bitwise_or(x, y)", bitwise_or(x, y));
ROW("bitwise_xor", bits, binary, "torch.bitwise_xor(x, y)", bitwise_xor(x, y));
ROW("bitwise_left_shift", integer, binary, "torch.bitwise_left_shift(x, y)", bitwise_left_shift(x, y));
ROW("bitwise_left_shift number", integer, unary, "torch.bitwise_left_shift(x, 3)", bitwise_left_shift(x, 3));
ROW("bitwise_right_shift", integer, binary, "torch.bitwise_right_shift(x, y)", bitwise_right_shift(x, y));
ROW("logical_and", any, binary, "torch.logical_and(x, y)", logical_and(x, y));
ROW("logical_or", any, binary, "torch.logical_or(x, y)", logical_or(x, y));
ROW("logical_xor", any, binary, "torch.logical_xor(x, y)", logical_xor(x, y));
ROW("isclose", any, binary, "torch.isclose(x, y)", isclose(x, y));
ROW("where", any, binary, "torch.where(x > y, x, y)", where(gt(x, y), x, y));
ROW("masked_fill", any, binary, "torch.masked_fill(x, y > 0, 2)", masked_fill(x, gt(y, 0), 2));
ROW("fma", float, ternary, "x * y + z", fma(x, y, z));

// composed ones
ROW("square", any, unary, "torch.square(x)", square(x));
ROW("reciprocal", fraction, unary, "torch.reciprocal(x)", reciprocal(x));
ROW("exp2", fraction, unary, "torch.exp2(x)", exp2(x));
ROW("log2", fraction, unary, "torch.log2(x)", log2(x));
ROW("log10", fraction, unary, "torch.log10(x)", log10(x));
ROW("asinh", fraction, unary, "torch.asinh(x)", asinh(x));
ROW("acosh", fraction, unary, "torch.acosh(x)", acosh(x));
ROW("atanh", fraction, unary, "torch.atanh(x)", atanh(x));
ROW("erfc", fraction, unary, "torch.erfc(x)", erfc(x));
ROW("logit", fraction, unary, "torch.logit(x)", logit(x));
ROW("logit eps", fraction, unary, "torch.logit(x, 0.1)", logit(x, 0.1));
ROW("lgamma", fraction, unary, "torch.lgamma(x)", lgamma(x));
ROW("digamma", fraction, unary, "torch.digamma(x)", digamma(x));
ROW("erfinv", fraction, unary, "torch.erfinv(x)", erfinv(x));
ROW("sinc", fraction, unary, "torch.sinc(x)", sinc(x));
ROW("deg2rad", fraction, unary, "torch.deg2rad(x)", deg2rad(x));
ROW("rad2deg", fraction, unary, "torch.rad2deg(x)", rad2deg(x));
ROW("nan_to_num", any, unary, "torch.nan_to_num(x)", nan_to_num(x));
ROW("nan_to_num given", number, unary, "torch.nan_to_num(x, 1, 2, 3)", nan_to_num(x, 1, 2, 3));
ROW("hypot", real, binary, "torch.hypot(x, y)", hypot(x, y));
ROW("remainder", number, binary, "torch.remainder(x, y)", remainder(x, y));
ROW("floor_divide", number, binary, "torch.floor_divide(x, y)", floor_divide(x, y));
ROW("logaddexp", fraction, binary, "torch.logaddexp(x, y)", logaddexp(x, y));
ROW("logaddexp2", fraction, binary, "torch.logaddexp2(x, y)", logaddexp2(x, y));
ROW("copysign", fraction, binary, "torch.copysign(x, y)", copysign(x, y));
ROW("copysign number", fraction, unary, "torch.copysign(x, -0.0)", copysign(x, -0.0));
ROW("xlogy", fraction, binary, "torch.xlogy(x, y)", xlogy(x, y));
ROW("xlog1py", fraction, binary, "torch.special.xlog1py(x, y)", xlog1py(x, y));
ROW("heaviside", any, binary, "torch.heaviside(x, y)", heaviside(x, y));
ROW("fmax", any, binary, "torch.fmax(x, y)", fmax(x, y));
ROW("fmin", any, binary, "torch.fmin(x, y)", fmin(x, y));
ROW("ldexp", fraction, binary, "torch.ldexp(x, y)", ldexp(x, y));
ROW("ldexp number", fraction, unary, "torch.ldexp(x, torch.tensor(3))", ldexp(x, 3));
ROW("float_power", fraction, binary, "torch.float_power(x, y)", float_power(x, y));
ROW("clamp", number, unary, "torch.clamp(x, 1, 3)", clamp(x, 1, 3));
ROW("clamp negative", number, unary, "torch.clamp(x, -2, 300)", clamp(x, -2, 300));
ROW("clamp tensors", number, ternary, "torch.clamp(x, y, z)", clamp(x, y, z));
ROW("clamp_min", number, unary, "torch.clamp_min(x, 2)", clamp_min(x, 2));
ROW("clamp_min tensor", number, binary, "torch.clamp(x, min=y)", clamp_min(x, y));
ROW("clamp_max", number, unary, "torch.clamp_max(x, 2)", clamp_max(x, 2));
ROW("clamp_max tensor", number, binary, "torch.clamp(x, max=y)", clamp_max(x, y));
ROW("lerp", real, ternary, "torch.lerp(x, y, z)", lerp(x, y, z));
ROW("lerp number", real, binary, "torch.lerp(x, y, 0.25)", lerp(x, y, 0.25));
ROW("addcmul", number, ternary, "torch.addcmul(x, y, z)", addcmul(x, y, z));
ROW("addcdiv", fraction, ternary, "torch.addcdiv(x, y, z)", addcdiv(x, y, z));

// activations
ROW("relu", number, unary, "torch.relu(x)", relu(x));
ROW("relu6", number, unary, "F.relu6(x)", relu6(x));
ROW("sigmoid", statistic, unary, "torch.sigmoid(x)", sigmoid(x));
ROW("gelu", statistic, unary, "F.gelu(x)", gelu(x));
ROW("gelu_tanh", statistic, unary, "F.gelu(x, approximate='tanh')", gelu_tanh(x));
ROW("silu", statistic, unary, "F.silu(x)", silu(x));
ROW("softplus", statistic, unary, "F.softplus(x)", softplus(x));
ROW("softplus beta", statistic, unary, "F.softplus(x, 2)", softplus(x, 2));
ROW("logsigmoid", statistic, unary, "F.logsigmoid(x)", logsigmoid(x));
ROW("mish", statistic, unary, "F.mish(x)", mish(x));
ROW("elu", statistic, unary, "F.elu(x)", elu(x));
ROW("elu alpha", statistic, unary, "F.elu(x, 0.5)", elu(x, 0.5));
ROW("selu", statistic, unary, "F.selu(x)", selu(x));
ROW("celu", statistic, unary, "F.celu(x)", celu(x));
ROW("celu alpha", statistic, unary, "F.celu(x, 2)", celu(x, 2));
ROW("leaky_relu", statistic, unary, "F.leaky_relu(x)", leaky_relu(x));
ROW("prelu", float, binary, "torch.where(x > 0, x, y * x)",
    reshape<256>(prelu(reshape<256, 1>(x), reshape<256, 1>(y))));
ROW("prelu channels", loss, images, "F.prelu(x, z)", prelu(x, z));
ROW("hardsigmoid", statistic, unary, "F.hardsigmoid(x)", hardsigmoid(x));
ROW("hardswish", statistic, unary, "F.hardswish(x)", hardswish(x));
ROW("hardtanh", number, unary, "F.hardtanh(x)", hardtanh(x));
ROW("softsign", real, unary, "F.softsign(x)", softsign(x));
ROW("softshrink", statistic, unary, "F.softshrink(x)", softshrink(x));
ROW("hardshrink", statistic, unary, "F.hardshrink(x)", hardshrink(x));
ROW("tanhshrink", statistic, unary, "F.tanhshrink(x)", tanhshrink(x));
ROW("threshold", number, unary, "F.threshold(x, 1, 2)", threshold(x, 1, 2));
ROW("rrelu", statistic, unary, "F.rrelu(x)", rrelu(x));

// losses of single elements
ROW("mse_loss", loss, binary, "F.mse_loss(x, y, reduction='none')", mse_loss<reduction::none>(x, y));
ROW("l1_loss", loss, binary, "F.l1_loss(x, y, reduction='none')", l1_loss<reduction::none>(x, y));
ROW("huber_loss", loss, binary, "F.huber_loss(x, y, reduction='none')", huber_loss<reduction::none>(x, y));
ROW("huber_loss delta", loss, binary, "F.huber_loss(x, y, reduction='none', delta=2.5)",
    huber_loss<reduction::none>(x, y, 2.5));
ROW("smooth_l1_loss", loss, binary, "F.smooth_l1_loss(x, y, reduction='none')",
    smooth_l1_loss<reduction::none>(x, y));
ROW("bce_with_logits", loss, binary, "F.binary_cross_entropy_with_logits(x, y, reduction='none')",
    bce_with_logits<reduction::none>(x, y));
ROW("bce_with_logits pos_weight", loss, ternary,
    "F.binary_cross_entropy_with_logits(x, y, reduction='none', pos_weight=z.detach())",
    bce_with_logits<reduction::none>(x, y, pos_weight(stop_gradient(z))));
ROW("bce", loss, probabilities, "F.binary_cross_entropy(x, y, reduction='none')", bce<reduction::none>(x, y));
ROW("kl_div", loss, binary, "F.kl_div(x, y, reduction='none')", kl_div<reduction::none>(x, y));
ROW("kl_div log_target", loss, binary, "F.kl_div(x, y, reduction='none', log_target=True)",
    kl_div<reduction::none>(x, y, log_target));
ROW("poisson_nll_loss", loss, binary, "F.poisson_nll_loss(x, y, reduction='none')",
    poisson_nll_loss<reduction::none>(x, y));
ROW("poisson_nll_loss plain", loss, binary, "F.poisson_nll_loss(x, y, reduction='none', log_input=False)",
    poisson_nll_loss<reduction::none, false>(x, y));
ROW("poisson_nll_loss full", loss, binary, "F.poisson_nll_loss(x, y, reduction='none', full=True)",
    poisson_nll_loss<reduction::none, true, true>(x, y));
ROW("gaussian_nll_loss", loss, variances, "F.gaussian_nll_loss(x, y, z, reduction='none')",
    gaussian_nll_loss<reduction::none>(x, y, z));
ROW("soft_margin_loss", loss, binary, "F.soft_margin_loss(x, y.detach(), reduction='none')",
    soft_margin_loss<reduction::none>(x, stop_gradient(y)));
ROW("margin_ranking_loss", loss, ternary, "F.margin_ranking_loss(x, y, z, reduction='none')",
    margin_ranking_loss<reduction::none>(x, y, z));
ROW("hinge_embedding_loss", loss, signs, "F.hinge_embedding_loss(x, y, reduction='none')",
    hinge_embedding_loss<reduction::none>(x, y));

TEST_CASE("sweep: pointwise operations") { sweep::check_rows(__FILE__); }
