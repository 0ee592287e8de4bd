#pragma once
// PyTorch's spelling of operations whose axes, sizes or words are template arguments here: overloads that
// refuse with the spelling to use.

#include <initializer_list>

#include "weft/ops/core/call_forms.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    AxesAreTemplateArguments,
    "axes and sizes are template arguments, known while compiling: write sum<1>(x), softmax<-1>(x), "
    "reshape<2, 8>(x), gather<1>(x, index) in place of sum(x, 1), softmax(x, -1), reshape(x, {2, 8}), "
    "gather(x, 1, index)");
WEFT_REFUSAL(
    TwoAreCompared,
    "max and min reduce: of two operands write maximum(x, y) and minimum(x, y), along an axis max<1>(x) "
    "and argmax<1>(x)");
WEFT_REFUSAL(
    DtypeAndShapeAreTemplateArguments,
    "dtype and shape are template arguments: write zeros<f32, 2, 3>(), randn<f32, 2, 3>(), arange<i64, "
    "10>(), eye<f32, 3>(), randint<i64, 4>(0, 10), randperm<i64, 10>(), normal<f32, 2, 3>(0, 1), "
    "zeros_like<f16>(x) in place of zeros(2, 3), randn(2, 3), arange(10), randint(0, 10, {4})");
WEFT_REFUSAL(
    WordIsTemplateArgument,
    "words are template arguments: write mse_loss<reduction::sum>(x, y), einsum<\"ij,jk->ik\">(a, b), "
    "gelu_tanh(x), pad<PaddingMode::reflect, 1, 1>(x), or a value, scatter_reduce<0>(x, i, y, reduce::sum), "
    "in place of a string among the arguments");
WEFT_REFUSAL(
    TensorsAreArguments,
    "the tensors are arguments one by one and the axis is a template argument: write cat<1>(a, b) and "
    "stack<0>(a, b) in place of cat({a, b}, 1) and stack({a, b})");

// Functions whose axes and sizes are template arguments, and those of operands alone: refused as well where
// none of their forms takes what is given.
// clang-format off
#define WEFT_AXED_FUNCTIONS(M) \
  M(adaptive_avg_pool1d) M(adaptive_avg_pool2d) M(adaptive_avg_pool3d) M(adaptive_max_pool1d) \
  M(adaptive_max_pool2d) M(adaptive_max_pool3d) M(all) M(amax) M(amin) M(any) M(bincount) \
  M(channel_shuffle) M(cummax) M(cummin) M(cumprod) M(cumsum) M(diff) M(group_norm) M(histc) M(index_add) \
  M(index_copy) M(index_fill) M(index_reduce) M(interpolate) M(kthvalue) M(logcumsumexp) M(median) \
  M(movedim) M(multinomial) M(nanmedian) M(narrow) M(pixel_shuffle) M(pixel_unshuffle) M(prod) M(quantile) \
  M(repeat_interleave) M(scatter) M(scatter_add) M(scatter_reduce) M(slice) M(slice_scatter) \
  M(select_scatter) M(softmin) M(swapaxes) M(tensor_split) M(tril) M(triu) M(unflatten) M(unfold)
#define WEFT_FIXED_FUNCTIONS(M) \
  M(bce_with_logits) M(clamp) M(clamp_max) M(clamp_min) M(cross_entropy) \
  M(gaussian_nll_loss) M(kl_div) M(kron) M(l1_loss) M(lerp) M(log) M(mse_loss) M(nll_loss) M(pow) M(round) \
  M(smooth_l1_loss) M(huber_loss) M(threshold) M(addcmul) M(addcdiv) M(masked_fill) \
  M(scaled_dot_product_attention) M(f1_score)
#define WEFT_COUNTED_FUNCTIONS(M) \
  M(exp) M(log1p) M(sqrt) M(rsqrt) M(sin) M(cos) M(tanh) M(erf) M(fma) M(atan2) M(fmod) \
  M(cosine_embedding_loss) M(hinge_embedding_loss) M(margin_ranking_loss) M(triplet_margin_loss)
// clang-format on

template <class X>
concept Spelled = Operand<X> && !Scalar<X> && !std::is_same_v<X, NameAlone>;
template <class A>
concept SpelledNumber = std::is_arithmetic_v<std::remove_cvref_t<A>>;

namespace spelled {
struct arange;
struct argmin;
struct argsort;
struct avg_pool2d;
struct bce_with_logits;
struct binary_cross_entropy;
struct cat;
struct chunk;
struct concat;
struct cross_entropy;
struct cumprod;
struct cumsum;
struct einsum;
struct empty;
struct empty_like;
struct expand;
struct eye;
struct flip;
struct full;
struct gather;
struct index_select;
struct l1_loss;
struct layer_norm;
struct linspace;
struct log_softmax;
struct logsumexp;
struct max_pool2d;
struct mse_loss;
struct nll_loss;
struct norm;
struct normalize;
struct one_hot;
struct ones;
struct ones_like;
struct pad;
struct rand;
struct randint;
struct rand_like;
struct randn;
struct randn_like;
struct randperm;
struct repeat;
struct roll;
struct select;
struct sort;
struct split;
struct stack;
struct topk;
struct tril;
struct unbind;
struct zeros;
struct zeros_like;
#define WEFT_SPELLED(name) struct name;
WEFT_COUNTED_FUNCTIONS(WEFT_SPELLED)
WEFT_AXED_FUNCTIONS(WEFT_SPELLED)
WEFT_FIXED_FUNCTIONS(WEFT_SPELLED)
#undef WEFT_SPELLED
}  // namespace spelled

namespace detail {
template <class Refusal, class X>
constexpr auto respelled(const X& x) {
  static_assert(sizeof(Refusal) > 0);
  if constexpr (ExprLike<X>)
    return to_expr(x);
  else
    return AfterRefusal{};
}
// What an operation returns: one value, or two.
template <class X>
constexpr X one_of(const X& x) {
  return x;
}
template <class X>
constexpr std::tuple<X, X> pair_of(const X& x) {
  return {x, x};
}
template <class X>
constexpr std::tuple<X, X, X> three_of(const X& x) {
  return {x, x, x};
}
}  // namespace detail

#define WEFT_AXES(name, results)                                                                      \
  template <Spelled X, SpelledNumber A, class... B>                                                   \
  constexpr auto name(const X& x, const A&, const B&...) {                                            \
    return detail::results##_of(                                                                      \
        detail::respelled<                                                                            \
            AxesAreTemplateArguments<false, spelled::name, detail::FormOf<spelled::name, X>, X>>(x)); \
  }                                                                                                   \
  template <Spelled X>                                                                                \
  constexpr auto name(const X& x, const detail::KeywordArguments&) {                                  \
    return detail::results##_of(detail::respelled<KeywordsAreArguments<false, spelled::name, X>>(x)); \
  }
WEFT_AXES(sum, one)
WEFT_AXES(mean, one)
WEFT_AXES(argmax, one)
WEFT_AXES(argmin, one)
WEFT_AXES(logsumexp, one)
WEFT_AXES(sort, pair)
WEFT_AXES(argsort, one)
WEFT_AXES(topk, pair)
WEFT_AXES(cumsum, one)
WEFT_AXES(cumprod, one)
WEFT_AXES(softmax, one)
WEFT_AXES(log_softmax, one)
WEFT_AXES(squeeze, one)
WEFT_AXES(unsqueeze, one)
WEFT_AXES(transpose, one)
WEFT_AXES(permute, one)
WEFT_AXES(flatten, one)
WEFT_AXES(reshape, one)
WEFT_AXES(view, one)
WEFT_AXES(expand, one)
WEFT_AXES(repeat, one)
WEFT_AXES(flip, one)
WEFT_AXES(roll, one)
WEFT_AXES(unbind, three)
WEFT_AXES(select, one)
WEFT_AXES(split, pair)
WEFT_AXES(chunk, pair)
WEFT_AXES(gather, one)
WEFT_AXES(index_select, one)
WEFT_AXES(one_hot, one)
WEFT_AXES(tril, one)
WEFT_AXES(max_pool2d, one)
WEFT_AXES(avg_pool2d, one)
#undef WEFT_AXES

// A refusal of any arguments that no form of the function takes, as this one is the least specialised.
#define WEFT_UNFIT(name, Refusal)                                                                        \
  template <Spelled X, class... B>                                                                       \
  constexpr auto name(const X& x, const B&...) {                                                         \
    return detail::after_method<spelled::name, B...>(                                                    \
        detail::respelled<Refusal<false, spelled::name, detail::FormOf<spelled::name, X>, X, B...>>(x)); \
  }
#define WEFT_AXED(name) WEFT_UNFIT(name, AxesAreTemplateArguments)
#define WEFT_PLAIN(name)                                                           \
  WEFT_UNFIT(name, OperandsFit)                                                    \
  template <Spelled X>                                                             \
  constexpr auto name(const X& x, const detail::KeywordArguments&) {               \
    return detail::respelled<KeywordsAreArguments<false, spelled::name, X>>(x);    \
  }                                                                                \
  template <Spelled X, class Y>                                                    \
  constexpr auto name(const X& x, const Y&, const detail::KeywordArguments&) {     \
    return detail::respelled<KeywordsAreArguments<false, spelled::name, X, Y>>(x); \
  }
WEFT_AXED_FUNCTIONS(WEFT_AXED)
WEFT_FIXED_FUNCTIONS(WEFT_PLAIN)
WEFT_AXED(gather)
WEFT_AXED(index_select)
WEFT_AXED(one_hot)
WEFT_AXED(select)
WEFT_AXED(unsqueeze)
#define WEFT_COUNTED(name) WEFT_UNFIT(name, OperandsFit)
WEFT_COUNTED_FUNCTIONS(WEFT_COUNTED)
#undef WEFT_COUNTED
#undef WEFT_PLAIN
#undef WEFT_AXED
#undef WEFT_UNFIT

// sum<f64>(x), norm<1>(x, 2), norm<1>(x, "fro").
WEFT_REFUSAL(AxesAreNumbers,
             "the template arguments are axes, and the dtype is the operand's: write sum<1>(cast<f64>(x))");
#define WEFT_TYPED(name)                                                                                    \
  template <class T, Spelled X, class... B>                                                                 \
  requires Element<T>                                                                                       \
  constexpr auto name(const X& x, const B&...) {                                                            \
    return detail::respelled<AxesAreNumbers<false, spelled::name, detail::FormOf<spelled::name, X>, T, X>>( \
        x);                                                                                                 \
  }
WEFT_TYPED(sum)
WEFT_TYPED(mean)
WEFT_TYPED(prod)
WEFT_TYPED(cumsum)
WEFT_TYPED(softmax)
WEFT_TYPED(log_softmax)
#undef WEFT_TYPED
template <int... A, Spelled X, class P, class D, class... B>
constexpr auto normalize(const X& x, const P&, const D&, const B&...) {
  return detail::respelled<
      AxesAreTemplateArguments<false, spelled::normalize, detail::FormOf<spelled::normalize, X>, X, P, D>>(x);
}
template <int A, int... More, Spelled X>
constexpr auto quantile(const X& x) {
  return detail::respelled<OperandsFit<false, spelled::quantile, detail::FormOf<spelled::quantile, X>, X>>(x);
}
template <int A, Spelled X, class I, class U>
constexpr auto scatter_reduce(const X& x, const I&, const U&, const char*) {
  return detail::respelled<WordIsTemplateArgument<false, spelled::scatter_reduce, X>>(x);
}
template <Spelled X, SpelledNumber A, SpelledNumber B>
constexpr auto quantile(const X& x, const A&, const B&) {
  return detail::respelled<
      AxesAreTemplateArguments<false, spelled::quantile, detail::FormOf<spelled::quantile, X>, X>>(x);
}

WEFT_REFUSAL(
    CapacityIsTemplateArgument,
    "what is found has a size that is known at run time only, and so a place for it has one that is "
    "known while compiling: auto [values, count] = masked_select<16>(x, mask), auto [places, count] = "
    "nonzero<16>(x), auto [values, count, inverse, counts] = unique<16>(x); where(mask, x, 0) keeps "
    "the shape");
template <Spelled X, Spelled M>
constexpr auto masked_select(const X& x, const M&) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::masked_select, X>>(x);
}
template <Spelled X>
constexpr auto nonzero(const X& x) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::nonzero, X>>(x);
}
template <Spelled X>
constexpr auto unique(const X& x) {
  return detail::respelled<CapacityIsTemplateArgument<false, spelled::unique, X>>(x);
}

WEFT_REFUSAL(PlaceIsTemplateArgument,
             "select: the place is a template argument too: write select<0, 2>(x); in a for over slices, "
             "loop<n>(body, carry, x) or std::apply over unbind<0>(x); one that is known at run time only is "
             "an input, "
             "of index_select<0>(x, i)");
template <int Axis, Spelled X, SpelledNumber A>
constexpr auto select(const X& x, const A&) {
  return detail::respelled<PlaceIsTemplateArgument<false, GivenAxis<Axis>, X>>(x);
}

#define WEFT_BRACED(name)                                                                        \
  template <Spelled X, class... B>                                                               \
  constexpr auto name(const X& x, std::initializer_list<int>, const B&...) {                     \
    return detail::respelled<                                                                    \
        AxesAreTemplateArguments<false, spelled::name, detail::FormOf<spelled::name, X>, X>>(x); \
  }
WEFT_BRACED(pad)
WEFT_BRACED(sum)
WEFT_BRACED(mean)
WEFT_BRACED(flip)
WEFT_BRACED(permute)
WEFT_BRACED(reshape)
WEFT_BRACED(view)
WEFT_BRACED(expand)
WEFT_BRACED(repeat)
WEFT_BRACED(layer_norm)
#undef WEFT_BRACED

#define WEFT_COMPARED(name)                                                 \
  template <Spelled X, Operand Y>                                           \
  constexpr auto name(const X& x, const Y&) {                               \
    constexpr bool axis = std::is_integral_v<Y>;                            \
    if constexpr (axis) {                                                   \
      static_assert(sizeof(TwoAreCompared<!axis, spelled::name, X>) > 0);   \
      return AfterRefusal{};                                                \
    } else {                                                                \
      return detail::respelled<TwoAreCompared<false, spelled::name, X>>(x); \
    }                                                                       \
  }
WEFT_COMPARED(max)
WEFT_COMPARED(min)
#undef WEFT_COMPARED

#define WEFT_CREATED(name)                                                                              \
  template <SpelledNumber A, SpelledNumber... B>                                                        \
  constexpr auto name(const A&, const B&...) {                                                          \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, A>>();              \
  }                                                                                                     \
  template <class T, i64... D>                                                                          \
  constexpr auto name(Shape<D...>) {                                                                    \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, T, Shape<D...>>>(); \
  }                                                                                                     \
  template <class T, class S>                                                                           \
  constexpr auto name() {                                                                               \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, T, S>>();           \
  }                                                                                                     \
  template <i64 D, i64... E>                                                                            \
  constexpr auto name() {                                                                               \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, Shape<D, E...>>>(); \
  }                                                                                                     \
  template <class... B>                                                                                 \
  constexpr auto name(std::initializer_list<int>, const B&...) {                                        \
    return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::name, B...>>();           \
  }
WEFT_CREATED(zeros)
WEFT_CREATED(ones)
WEFT_CREATED(empty)
WEFT_CREATED(rand)
WEFT_CREATED(randn)
WEFT_CREATED(eye)
WEFT_CREATED(arange)
WEFT_CREATED(linspace)
WEFT_CREATED(randperm)
#undef WEFT_CREATED
template <SpelledNumber A, SpelledNumber B, SpelledNumber... C>
constexpr auto full(const A&, const B&, const C&...) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::full, A>>();
}
template <SpelledNumber A>
constexpr auto full(std::initializer_list<int>, const A&) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::full, A>>();
}
template <SpelledNumber A, SpelledNumber B, class C, class... D>
constexpr auto randint(const A&, const B&, const C&, const D&...) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::randint, A>>();
}
template <SpelledNumber A, SpelledNumber B>
constexpr auto randint(const A&, const B&, std::initializer_list<int>) {
  return detail::misspelt<DtypeAndShapeAreTemplateArguments<false, spelled::randint, A>>();
}

#define WEFT_LIKE(name)                                                                         \
  template <Spelled X, class A>                                                                 \
  constexpr auto name(const X& x, const A&) {                                                   \
    return detail::respelled<DtypeAndShapeAreTemplateArguments<false, spelled::name, X, A>>(x); \
  }
WEFT_LIKE(zeros_like)
WEFT_LIKE(ones_like)
WEFT_LIKE(empty_like)
WEFT_LIKE(rand_like)
WEFT_LIKE(randn_like)
#undef WEFT_LIKE

#define WEFT_WORDED(name)                                                         \
  template <Spelled X, class Y>                                                   \
  constexpr auto name(const X& x, const Y&, const char*) {                        \
    return detail::respelled<WordIsTemplateArgument<false, spelled::name, X>>(x); \
  }
WEFT_WORDED(mse_loss)
WEFT_WORDED(l1_loss)
WEFT_WORDED(cross_entropy)
WEFT_WORDED(nll_loss)
WEFT_WORDED(binary_cross_entropy)
WEFT_WORDED(bce_with_logits)
WEFT_WORDED(pad)
#undef WEFT_WORDED

template <Spelled X>
constexpr auto softmax(const X& x) {
  return detail::respelled<
      AxesAreTemplateArguments<false, spelled::softmax, detail::FormOf<spelled::softmax, X>, X>>(x);
}
template <Spelled X>
constexpr auto log_softmax(const X& x) {
  return detail::respelled<
      AxesAreTemplateArguments<false, spelled::log_softmax, detail::FormOf<spelled::log_softmax, X>, X>>(x);
}
template <Spelled X, class... Y>
constexpr auto einsum(const char*, const X& x, const Y&...) {
  return detail::respelled<WordIsTemplateArgument<false, spelled::einsum, X>>(x);
}
// A value of any shape.
struct AnySpelled {
  template <Spelled X>
  constexpr AnySpelled(const X&) {}
};
#define WEFT_JOINED(name)                                                               \
  template <class... A>                                                                 \
  constexpr auto name(std::initializer_list<AnySpelled>, const A&...) {                 \
    static_assert(sizeof(TensorsAreArguments<sizeof...(A) == 9, spelled::name>) > 0);   \
    return AfterRefusal{};                                                              \
  }                                                                                     \
  template <Spelled X, SpelledNumber... A>                                              \
  constexpr auto name(std::initializer_list<X> x, const A&...) {                        \
    return detail::respelled<TensorsAreArguments<false, spelled::name, X>>(*x.begin()); \
  }                                                                                     \
  template <int Axis, class... A>                                                       \
  constexpr auto name(std::initializer_list<AnySpelled>, const A&...) {                 \
    static_assert(sizeof(TensorsAreArguments<sizeof...(A) == 9, spelled::name>) > 0);   \
    return AfterRefusal{};                                                              \
  }                                                                                     \
  template <int Axis, Spelled X>                                                        \
  constexpr auto name(std::initializer_list<X> x) {                                     \
    return detail::respelled<TensorsAreArguments<false, spelled::name, X>>(*x.begin()); \
  }
WEFT_JOINED(cat)
WEFT_JOINED(stack)
WEFT_JOINED(concat)
#undef WEFT_JOINED

WEFT_REFUSAL(TwoAxesAreNamed, "transpose exchanges two axes: transpose<0, 1>(x), or transpose<-2, -1>(x)");
// mse_loss<"sum">(x, y).
#define WEFT_QUOTED(name)                                                         \
  template <FixedString Word, Spelled X, class... B>                              \
  constexpr auto name(const X& x, const B&...) {                                  \
    return detail::respelled<WordIsTemplateArgument<false, spelled::name, X>>(x); \
  }
WEFT_QUOTED(mse_loss)
WEFT_QUOTED(l1_loss)
WEFT_QUOTED(cross_entropy)
WEFT_QUOTED(nll_loss)
WEFT_QUOTED(bce_with_logits)
#undef WEFT_QUOTED
// transpose<1>(x): the other axis is missing.
template <int Axis, Spelled X>
constexpr auto transpose(const X& x) {
  return detail::respelled<TwoAxesAreNamed<false, GivenAxis<Axis>, X>>(x);
}
template <Spelled X>
constexpr auto transpose(const X& x) {
  return detail::respelled<
      AxesAreTemplateArguments<false, spelled::transpose, detail::FormOf<spelled::transpose, X>, X>>(x);
}

// pow<2>(x), clamp<0, 1>(x)
WEFT_REFUSAL(NumbersAreArguments,
             "numbers that decide no shape are arguments and no template arguments: pow(x, 2), clamp(x, 0, "
             "1), dropout(x, 0.5f)");
#define WEFT_NUMBERED(name)                                                    \
  template <auto First, auto... More, Spelled X>                               \
  requires std::is_arithmetic_v<decltype(First)>                               \
  constexpr auto name(const X& x) {                                            \
    return detail::respelled<NumbersAreArguments<false, spelled::name, X>>(x); \
  }
WEFT_NUMBERED(pow)
WEFT_NUMBERED(clamp)
WEFT_NUMBERED(clamp_min)
WEFT_NUMBERED(clamp_max)
WEFT_NUMBERED(lerp)
WEFT_NUMBERED(threshold)
#undef WEFT_NUMBERED

// to_text(x) of a traced value
template <class T, class S>
constexpr auto to_text(const Expr<T, S>&) {
  detail::misspelt<ValueIsTraced<false, Expr<T, S>>>();
  return to_text(S::value);
}

}  // namespace WEFT_NAMESPACE
