#pragma once
// Function<Out(In...)>: any compiled function under a type that can be written down. Law: this header knows
// no device and no kernel, so a plain .cpp can call what a .cu built; results come back in host memory.
//
//   Function<Tensor<f32, Shape<10>>(Tensor<f32, Shape<64>>)> predict = compile(...);

#include <array>
#include <tuple>

#include "weft/exec/argument.hpp"
#include "weft/exec/owned.hpp"
#include "weft/exec/tensor.hpp"

namespace weft {

namespace exec {

// Tensor, TensorView, Input and Expr types say the same thing: a dtype and a shape.
template <class X>
using InputLike = Input<typename std::remove_cvref_t<X>::dtype, typename std::remove_cvref_t<X>::shape>;

template <class X>
struct SignatureResults {
  using types = std::tuple<InputLike<X>>;
  using tensors = Tensor<typename std::remove_cvref_t<X>::dtype, typename std::remove_cvref_t<X>::shape, Cpu>;
};
template <class... X>
struct SignatureResults<std::tuple<X...>> {
  using types = std::tuple<InputLike<X>...>;
  using tensors = std::tuple<
      Tensor<typename std::remove_cvref_t<X>::dtype, typename std::remove_cvref_t<X>::shape, Cpu>...>;
};

template <class Tuple>
struct AsInputs;
template <class... X>
struct AsInputs<std::tuple<X...>> {
  using types = std::tuple<InputLike<X>...>;
};

template <bool Ok, class Compiled, class Signature>
struct SignatureFits {
  static_assert(Ok,
                "Function: the compiled function has other inputs or results (number, dtypes or shapes) than "
                "the signature");
};

}  // namespace exec

template <class Signature>
class Function;

template <class Out, class... In>
class Function<Out(In...)> {
  using Types = typename exec::SignatureResults<Out>::types;
  static constexpr std::size_t results = std::tuple_size_v<Types>;

 public:
  // A tensor in host memory, or a tuple of them.
  using Results = typename exec::SignatureResults<Out>::tensors;

  Function() = default;
  // Takes over what compile() returned. A function of a model still borrows the model.
  template <class F>
  requires requires { typename F::InputTypes; }
  Function(F f) {
    constexpr bool fits = std::is_same_v<typename exec::AsInputs<typename F::InputTypes>::types,
                                         std::tuple<exec::InputLike<In>...>> &&
                          std::is_same_v<typename exec::AsInputs<typename F::ResultTypes>::types, Types>;
    static_assert(sizeof(exec::SignatureFits<fits, F, Out(In...)>) > 0);
    if constexpr (fits) held_ = exec::Owned<Base>(new Holder<F>(std::move(f)));
  }

  explicit operator bool() const { return static_cast<bool>(held_); }

  // Arguments in host memory: tensors, pointers, arrays, containers. Throws "function/empty" where there is
  // nothing to call.
  template <class... A>
  Results operator()(const A&... args) {
    Results out;
    std::apply([&](auto&... tensor) { into(tensor.data()...)(args...); }, as_tuple(out));
    return out;
  }

  // f.into(y, z)(a, b): writes the results to the caller's tensors or pointers.
  template <class... To>
  auto into(To&&... to) {
    static_assert(sizeof...(To) == results, "into() takes one tensor or pointer a result");
    std::array<void*, results> targets = pointers(std::make_index_sequence<results>{}, to...);
    return [this, targets](const auto&... args) {
      static_assert(sizeof...(args) == sizeof...(In), "a function takes one argument an input");
      if (!held_) throw Error("function/empty", "a Function that holds nothing was called");
      int number = 0;
      const std::array<const void*, sizeof...(In)> from{
          exec::argument<exec::InputLike<In>>(args, number++)...};
      held_->call(from.data(), targets.data());
    };
  }

  void set_seed(u64 seed) { held_->set_seed(seed); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void call(const void* const* in, void* const* out) = 0;
    virtual void set_seed(u64 seed) = 0;
  };
  template <class F>
  struct Holder final : Base {
    explicit Holder(F&& f) : function(std::move(f)) {}
    void call(const void* const* in, void* const* out) override {
      call(in, out, std::make_index_sequence<sizeof...(In)>{}, std::make_index_sequence<results>{});
    }
    template <std::size_t... I, std::size_t... R>
    void call(const void* const* in, void* const* out, std::index_sequence<I...>, std::index_sequence<R...>) {
      std::tuple<typename std::tuple_element_t<R, Types>::dtype*...> to{
          static_cast<typename std::tuple_element_t<R, Types>::dtype*>(out[R])...};
      function.into(std::get<R>(to)...)(static_cast<const typename exec::InputLike<In>::dtype*>(in[I])...);
    }
    void set_seed(u64 seed) override { function.set_seed(seed); }
    F function;
  };

  static auto as_tuple(Results& out) {
    if constexpr (requires { std::tuple_size<Results>::value; })
      return std::apply([](auto&... t) { return std::tie(t...); }, out);
    else
      return std::tie(out);
  }
  template <std::size_t... R, class... To>
  static std::array<void*, results> pointers(std::index_sequence<R...>, To&... to) {
    return {pointer<typename std::tuple_element_t<R, Types>>(to)...};
  }
  template <class T, class To>
  static void* pointer(To& to) {
    static_assert(exec::argument_fits<T, To>(),
                  "into() takes tensors or pointers of the results' dtypes and shapes");
    if constexpr (std::is_pointer_v<To>)
      return to;
    else
      return to.data();
  }

  exec::Owned<Base> held_;
};

}  // namespace weft
