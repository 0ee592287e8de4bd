#pragma once
// Function<Out(In...)>: any compiled function under a type that can be written down. Law: this header knows
// no device and no kernel, so a plain .cpp can call what a .cu built; results come back in host memory.
//
//   Function<Tensor<f32, Shape<10>>(Tensor<f32, Shape<64>>)> predict = compile(...);

#include <array>
#include <tuple>

#include "weft/core/shared.hpp"
#include "weft/exec/argument.hpp"
#include "weft/exec/tensor.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

WEFT_REFUSAL(SignatureNamesTensors,
             "Function: a signature is of tensors, whose dtypes and shapes are known while compiling: "
             "Function<Tensor<f32, Shape<10>>(Tensor<f32, Shape<64>>)>, of several results a std::tuple");

// Tensor, TensorView, Input and Expr types say the same thing: a dtype and a shape.
template <class X>
struct NamedTensor {
  static_assert(sizeof(SignatureNamesTensors<sizeof(X*) == 0, X>) > 0);
  using type = Input<f32, Shape<>>;
};
template <class X>
requires requires {
  typename X::dtype;
  typename X::shape;
}
struct NamedTensor<X> {
  using type = Input<typename X::dtype, typename X::shape>;
};
template <class X>
using InputLike = typename NamedTensor<std::remove_cvref_t<X>>::type;
template <class X>
using HostTensor = Tensor<typename InputLike<X>::dtype, typename InputLike<X>::shape, Cpu>;

template <class X>
struct SignatureResults {
  using types = std::tuple<InputLike<X>>;
  using tensors = HostTensor<X>;
};
template <class... X>
struct SignatureResults<std::tuple<X...>> {
  using types = std::tuple<InputLike<X>...>;
  using tensors = std::tuple<HostTensor<X>...>;
};

template <class Tuple>
struct AsInputs;
template <class... X>
struct AsInputs<std::tuple<X...>> {
  using types = std::tuple<InputLike<X>...>;
};

WEFT_REFUSAL(
    SignatureFits,
    "Function: the compiled function has other inputs or results (number, dtypes or shapes) than "
    "the signature: of in<f32, 8> the parameter is Tensor<f32, Shape<8>>, and the result has the shape "
    "that the function returns");

}  // namespace exec

template <class Signature>
class Function;

template <class Out, class... In>
class Function<Out(In...)> {
  using Types = typename exec::SignatureResults<Out>::types;
  static constexpr std::size_t results = std::tuple_size_v<Types>;
  using Given = std::array<exec::Given, sizeof...(In)>;

 public:
  // A tensor in host memory, or a tuple of them.
  using Results = typename exec::SignatureResults<Out>::tensors;

  Function() = default;
  // Takes over what compile() returned.
  template <class F>
  requires requires { typename F::InputTypes; }
  Function(F f) {
    constexpr bool fits = std::is_same_v<typename exec::AsInputs<typename F::InputTypes>::types,
                                         std::tuple<exec::InputLike<In>...>> &&
                          std::is_same_v<typename exec::AsInputs<typename F::ResultTypes>::types, Types>;
    static_assert(sizeof(exec::SignatureFits<fits, F, Out(In...)>) > 0);
    if constexpr (fits) held_ = Shared<Base>(new Holder<F>(std::move(f)));
  }

  explicit operator bool() const { return static_cast<bool>(held_); }

  // Arguments in host memory: tensors, pointers, arrays, containers. Throws "function/empty" where there is
  // nothing to call.
  template <class... A>
  Results operator()(const A&... args) {
    Results out;
    std::apply([&](auto&... tensor) { into(tensor...)(args...); }, as_tuple(out));
    return out;
  }

  // f.into(y, z)(a, b): writes the results to the caller's tensors, arrays, containers of the right size or
  // pointers; all but tensors must outlive the calls.
  template <class... To>
  auto into(To&&... to) {
    constexpr bool fits = sizeof...(To) == results;
    static_assert(sizeof(exec::TargetCount<fits, GivenSize<sizeof...(To)>, WantedSize<results>>) > 0);
    return [held = held_, targets = std::tuple<decltype(exec::kept_target<To>(to))...>(
                              exec::kept_target<To>(to)...)]<class... A>(const A&... args) mutable {
      constexpr bool count = sizeof...(A) == sizeof...(In);
      static_assert(sizeof(exec::ArgumentCount<count, GivenSize<sizeof...(A)>, WantedSize<sizeof...(In)>>) >
                    0);
      if constexpr (fits && count) {
        if (!held) throw_empty();
        const Given from = given(std::index_sequence_for<In...>{}, args...);
        held->call(from, pointers(std::make_index_sequence<results>{}, targets).data());
      }
    };
  }

  // The seed of random numbers; every call draws afresh.
  template <class S>  // seed{7}
  requires(S::option == OptionKind::seed) void set_seed(const S& s) { set_seed(s.value); }
  void set_seed(u64 seed) {
    if (!held_) throw_empty();
    held_->set_seed(seed);
  }

 private:
  struct Base : Counted {
    virtual void call(const Given& in, void* const* out) = 0;
    virtual void set_seed(u64 seed) = 0;
  };
  template <class F>
  struct Holder final : Base {
    explicit Holder(F&& f) : function(std::move(f)) {}
    void call(const Given& in, void* const* out) override { function.call_into(in, out); }
    void set_seed(u64 seed) override { function.set_seed(seed); }
    F function;
  };

  static auto as_tuple(Results& out) {
    if constexpr (TupleLike<Results>)
      return std::apply([](auto&... t) { return std::tie(t...); }, out);
    else
      return std::tie(out);
  }
  template <std::size_t... K, class... A>
  static Given given(std::index_sequence<K...>, const A&... args) {
    return {exec::argument<exec::InputLike<In>, static_cast<int>(K), Cpu>(args)...};
  }
  template <std::size_t... R, class Targets>
  static std::array<void*, results> pointers(std::index_sequence<R...>, Targets& to) {
    return {exec::target<std::tuple_element_t<R, Types>, static_cast<int>(R)>(std::get<R>(to))...};
  }
  [[noreturn]] static void throw_empty() {
    throw Error("function/empty", "a Function that holds nothing was called");
  }

  Shared<Base> held_;
};

namespace exec {
// Function<...> and AnyTrainer<...> of what is held, where the type is not written out.
template <class Results, class Inputs>
struct SignatureOf;
template <class... Out, class... In>
struct SignatureOf<std::tuple<Out...>, std::tuple<In...>> {
  using type = std::tuple<HostTensor<Out>...>(HostTensor<In>...);
};
template <class Out, class... In>
struct SignatureOf<std::tuple<Out>, std::tuple<In...>> {
  using type = HostTensor<Out>(HostTensor<In>...);
};
}  // namespace exec

template <class F>
requires requires { typename F::ResultTypes; }
Function(F)->Function<typename exec::SignatureOf<typename F::ResultTypes, typename F::InputTypes>::type>;

}  // namespace WEFT_NAMESPACE
