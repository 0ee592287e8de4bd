#pragma once
// The members of an aggregate, without a macro: how many, their names, their types, and a walk over them.
// Law: field_name<T, I>() is the name written in T's declaration of its I-th member, on every compiler, and
// for_each_field visits each member once, in declaration order; an std::array member is one member.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weft/core/diagnose.hpp"
#include "weft/core/field_bind.hpp"

namespace WEFT_NAMESPACE {

// True for std::array<X, N>, whose elements are named by number ("h.0", "h.1").
template <class T>
inline constexpr bool is_array_like = false;
template <class T, std::size_t N>
inline constexpr bool is_array_like<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_array_like<const T> = is_array_like<T>;

namespace field_detail {

// Stands for an argument of any type. A member of class type is initialised from it whole, so brace elision,
// which would count the elements of a nested aggregate, sets in only for C arrays.
// Never called; it has a body since a tuple of one element, made from it, makes g++ ask for one.
struct Any {
  template <class T>
  constexpr operator T() const noexcept {
    __builtin_unreachable();
  }
};
struct AnyLvalue {
  template <class T>
  constexpr operator T&() const noexcept;
};
template <class Derived>
struct AnyBase {
  template <class T>
  requires(std::is_base_of_v<T, Derived> && !std::is_same_v<T, Derived>) constexpr operator T()
      const noexcept;
};
template <std::size_t>
using AnyAt = Any;

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{AnyAt<I>{}...}; };
}
template <class T, std::size_t... I>
constexpr bool takes_braced(std::index_sequence<I...>) {
  return requires { T{{AnyAt<I>{}}...}; };
}
template <class T, std::size_t... I>
constexpr bool takes_then_lvalue(std::index_sequence<I...>) {
  return requires { T{AnyAt<I>{}..., AnyLvalue{}}; };
}
template <class T, std::size_t... I, std::size_t... J>
constexpr bool takes_with_gap(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires { T{AnyAt<I>{}..., {}, AnyAt<J>{}...}; };
}

// The number of initialisers T takes, an element of a C array being one each; at most max_fields + 1.
template <class T, std::size_t N = 0>
constexpr std::size_t count_initializers() {
  if constexpr (N > max_fields) {
    return N;
  } else if constexpr (takes<T>(std::make_index_sequence<N + 1>{})) {
    return count_initializers<T, N + 1>();
  } else {
    return N;
  }
}

// True if the initialiser at I begins a C array of at least two elements: an empty pair of braces there uses
// up K of the Count initialisers.
template <class T, std::size_t Count, std::size_t I, std::size_t K = 1>
constexpr bool array_at() {
  if constexpr (I + K > Count) {
    return false;
  } else if constexpr (takes_with_gap<T>(std::make_index_sequence<I>{},
                                         std::make_index_sequence<Count - I - K>{})) {
    return K > 1;
  } else {
    return array_at<T, Count, I, K + 1>();
  }
}
template <class T, std::size_t Count, std::size_t... I>
constexpr bool has_array(std::index_sequence<I...>) {
  return (array_at<T, Count, I>() || ...);
}

enum class Fault {
  none,
  not_aggregate,
  base,
  reference_or_no_default,
  c_array,
  pointer,
  too_many,
  not_compiled
};

// Whether T{} is ill-formed although T takes a value for each of its members, and each has a default of its
// own: a default member initialiser is wrong then, of which the compiler has told.
template <class T, std::size_t N = 1>
constexpr bool has_wrong_initializer() {
  if constexpr (N > max_fields) {
    return false;
  } else if constexpr (takes<T>(std::make_index_sequence<N>{}) &&
                       !takes<T>(std::make_index_sequence<N + 1>{})) {
    return decltype(FieldBind<N>::apply(std::declval<T&>(), []<class... F>(FieldTypes<F...>, auto&...) {
      return std::bool_constant<(std::is_default_constructible_v<F> && ...)>{};
    }))::value;
  } else {
    return has_wrong_initializer<T, N + 1>();
  }
}

template <class T>
constexpr Fault fault_of() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T>) {
    return Fault::not_aggregate;
  } else if constexpr (requires { T{AnyBase<T>{}}; }) {
    return Fault::base;
  } else if constexpr (!requires { T{}; }) {
    return has_wrong_initializer<T>() ? Fault::not_compiled : Fault::reference_or_no_default;
  } else {
    constexpr std::size_t count = count_initializers<T>();
    constexpr auto all = std::make_index_sequence<count>{};
    if constexpr (count > max_fields) {
      return has_array<T, count>(all) ? Fault::c_array : Fault::too_many;
    } else if constexpr (takes_then_lvalue<T>(all)) {
      return Fault::reference_or_no_default;
    } else if constexpr (!takes_braced<T>(all)) {
      return has_array<T, count>(all) ? Fault::c_array : Fault::none;
    } else {
      return Fault::none;
    }
  }
}

WEFT_REFUSAL(
    ModelIsPlainStruct,
    "a model is a plain struct: no constructor, no private member, no virtual function; settings are "
    "template arguments or default member initialisers, and operator() is a public member");
WEFT_REFUSAL(
    MemberIsNotConst,
    "a layer, parameter or buffer in a model is not const, as training writes it: write nn::Linear<8, 3> fc "
    "in place of const nn::Linear<8, 3> fc; nn::Frozen<nn::Linear<8, 3>> fc is not trained");
WEFT_REFUSAL(TensorIsParameter,
             "a model's tensors are parameters and buffers: write nn::Param<f32, Shape<4>> scale, which is "
             "trained, or "
             "nn::Buffer<f32, Shape<4>> mean, which is not, in place of a Tensor");
WEFT_REFUSAL(ModelHasNoBase,
             "a model has no base class: leave it out, or make it a member (there is no nn::Module)");
WEFT_REFUSAL(ModelHoldsValues,
             "a model has no member that is a reference or has no default value: hold every member by value");
WEFT_REFUSAL(ModelHasNoCArray, "a model has no C array as a member: use std::array<T, N> instead");
WEFT_REFUSAL(ModelHasFewMembers, "a model has at most 64 members: group some of them in a struct");
WEFT_REFUSAL(
    ModelHasNoContainer,
    "a model holds layers, parameters and numbers that are known while compiling: write std::array<Layer, "
    "N>, nn::Sequential<...> or a template parameter in place of std::vector, std::map, std::tuple, "
    "std::variant, std::optional, std::function or a pointer, and keep text outside");

// A class whose size or type is known at run time only, or that owns what it points to; a tuple or a pair.
template <class T>
concept Container = requires {
  typename T::element_type;
}
|| requires { std::tuple_size<T>::value; }
|| requires {
  typename T::value_type;
  typename T::iterator;
}
|| requires(const T& t) { t.valueless_by_exception(); }
|| requires(const T& t) { t.has_value(); }
|| requires(const T& t) { t.target_type(); };

// Carries the struct's type into the message.
template <class Struct, Fault Cause>
struct Refuse {
  static constexpr bool held =
      Cause != Fault::pointer && (Cause != Fault::not_aggregate || !Container<Struct>);
  static_assert(sizeof(ModelHasNoContainer<held, Struct>) > 0);
  static constexpr bool tensor = requires { typename Struct::weft_tensor; };
  static_assert(sizeof(TensorIsParameter<!tensor, Struct>) > 0);
  static constexpr bool constant = std::is_const_v<Struct>;
  static_assert(sizeof(MemberIsNotConst<!constant, Struct>) > 0);
  static_assert(sizeof(ModelIsPlainStruct < Cause != Fault::not_aggregate || tensor || constant, Struct >) >
                0);
  static_assert(sizeof(ModelHasNoBase<Cause != Fault::base, Struct>) > 0);
  static_assert(sizeof(ModelHoldsValues<Cause != Fault::reference_or_no_default, Struct>) > 0);
  static_assert(sizeof(ModelHasNoCArray<Cause != Fault::c_array, Struct>) > 0);
  static_assert(sizeof(ModelHasFewMembers<Cause != Fault::too_many, Struct>) > 0);
  static_assert(sizeof(SaidByCompiler<Cause == Fault::not_compiled, Struct>) > 0);
};

template <class... T>
constexpr Fault member_fault(FieldTypes<T...>) {
  if constexpr ((std::is_reference_v<T> || ...)) return Fault::reference_or_no_default;
  if constexpr ((std::is_array_v<T> || ...)) return Fault::c_array;
  if constexpr (((std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>) || ...))
    return Fault::pointer;
  return Fault::none;
}

// The declared types of T's members; none for a struct that is refused, so that one mistake gives one
// message.
template <class T>
constexpr auto types_of() {
  constexpr Fault fault = fault_of<T>();
  if constexpr (fault != Fault::none) {
    static_assert(sizeof(Refuse<T, fault>) > 0);
    return FieldTypes<>{};
  } else {
    using Bind = FieldBind<count_initializers<T>()>;
    using Types = decltype(Bind::apply(std::declval<T&>(), [](auto types, auto&...) { return types; }));
    constexpr Fault late = member_fault(Types{});
    if constexpr (late != Fault::none) {
      static_assert(sizeof(Refuse<T, late>) > 0);
      return FieldTypes<>{};
    } else {
      return Types{};
    }
  }
}

template <class T>
using Types = decltype(types_of<T>());

template <class... T>
constexpr std::size_t size_of_list(FieldTypes<T...>) {
  return sizeof...(T);
}

template <std::size_t I, class T>
struct Leaf {
  using type = T;
};
template <class Seq, class... T>
struct Leaves;
template <std::size_t... I, class... T>
struct Leaves<std::index_sequence<I...>, T...> : Leaf<I, T>... {};
template <std::size_t I, class T>
Leaf<I, T> leaf_at(const Leaf<I, T>&);
template <class... T>
Leaves<std::index_sequence_for<T...>, T...> leaves(FieldTypes<T...>);

// An object whose members' addresses, as template arguments, spell the members' names. Where T{} is no
// constant, it is not constructed: an address needs no value. (nvcc spells an address in such an object
// without the name, so there the object is constructed where that is possible.)
template <class T>
struct Constructed {
  T object;
};
template <class T>
union Raw {
  constexpr Raw() : nothing{} {}
  constexpr ~Raw() {}
  char nothing;
  T object;
};
template <class T>
concept HasConstantDefault = requires {
  typename std::bool_constant<(static_cast<void>(T{}), true)>;
};
template <class T>
using Holder = std::conditional_t<HasConstantDefault<T>, Constructed<T>, Raw<T>>;
template <class T>
inline constexpr Holder<T> sample{};

template <class T>
struct Pointer {
  const T* address;
};
template <class T>
Pointer(const T*) -> Pointer<T>;

// With its length, as nvcc's front end writes the last character of a FixedString, a NUL, as it is. (auto, as
// g++ would say behind the name what a string_view is.)
template <auto P>
constexpr auto spelled() {
  return std::string_view(__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1);
}

constexpr bool in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// g++ writes "...{(& sample<M>.Constructed<M>::object.M::fc1)}]", clang "...{&sample.object.fc1}]" and nvcc's
// front end
// "...{(const Linear *)(&sample<M>.object.fc1)}]": the name is the last identifier.
constexpr std::string_view last_identifier(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && !in_identifier(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && in_identifier(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

template <std::size_t>
using Ignored = const void*;
template <std::size_t... Before>
constexpr auto select(std::index_sequence<Before...>) {
  return [](Ignored<Before>..., auto* chosen, auto*...) { return Pointer{chosen}; };
}
template <class T, std::size_t I>
constexpr auto pointer_to_member() {
  return FieldBind<size_of_list(Types<T>{})>::apply(sample<T>.object, [](auto, auto&... members) {
    return select(std::make_index_sequence<I>{})(__builtin_addressof(members)...);
  });
}

// A copy of the name alone, so that programs do not hold the long spellings.
template <class T, std::size_t I>
struct Name {
  static constexpr std::string_view find() { return last_identifier(spelled<pointer_to_member<T, I>()>()); }
  static constexpr std::size_t size = find().size();
  static_assert(find()[0] < '0' || find()[0] > '9',
                "nvcc can name the members of T only if T{} is a constant");
  struct Text {
    char text[size + 1];
  };
  static constexpr Text value = [] {
    Text copy{};
    for (std::size_t i = 0; i < size; ++i) copy.text[i] = find()[i];
    return copy;
  }();
};

// The aggregate whose members T has: T itself; another where T stands in for a model (exec/callable.hpp).
template <class T>
struct Fields {
  using type = T;
};
template <class T>
using FieldsOf = typename Fields<std::remove_cv_t<T>>::type;

}  // namespace field_detail

// The number of members of the aggregate T (at most 64). Here and below T must be value-initialisable; a
// struct with a base, a reference, a C array, a constructor or a private member is refused with a sentence.
template <class T>
constexpr std::size_t field_count() {
  return field_detail::size_of_list(field_detail::Types<field_detail::FieldsOf<T>>{});
}

// The declared type of T's I-th member.
template <class T, std::size_t I>
using field_type = typename decltype(field_detail::leaf_at<I>(
    field_detail::leaves(field_detail::Types<field_detail::FieldsOf<T>>{})))::type;

// The name of T's I-th member; it lives as long as the program and ends with a zero.
template <class T, std::size_t I>
constexpr std::string_view field_name() {
  using Name = field_detail::Name<field_detail::FieldsOf<T>, I>;
  return {Name::value.text, Name::size};
}

// Calls f(std::integral_constant<std::size_t, I>{}, name, member) for each member in order of declaration; a
// member of a const object arrives const.
template <class T, class F>
constexpr void for_each_field(T& object, F&& f) {
  using Struct = field_detail::FieldsOf<T>;
  field_detail::FieldBind<field_count<Struct>()>::apply(object, [&f]<class... M>(auto, M&... members) {
    [&f, &members... ]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::integral_constant<std::size_t, I>{}, field_name<Struct, I>(), members), ...);
    }
    (std::index_sequence_for<M...>{});
    (void)f;
    return 0;
  });
}

}  // namespace WEFT_NAMESPACE
