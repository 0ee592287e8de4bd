#pragma once
// Tensor<T, Shape<...>, Device>: memory with dtype, shape and device in its type; TensorView: a part of what
// something else owns too. Operations on tensors are written down as a Lazy tree and run as one program when
// assigned to a tensor. Law: a view that weft gives out owns its memory with the others that do; only one
// made from a pointer is no better than that pointer.

#include <array>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/core/checked_extent.hpp"
#include "weft/exec/elements.hpp"
#include "weft/exec/refused_tensors.hpp"
#include "weft/exec/tensor_refusals.hpp"
#include "weft/ops/core/expr.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

// Runs a lazy tree and writes its result; defined in immediate.hpp for every device.
template <class T, class S, class Device, class L>
void evaluate(const L& lazy, T* to, const Device& device);

[[noreturn]] inline void throw_no_elements() {
  throw Error("tensor/moved", "a tensor or view without memory was read: it was moved from, or never made");
}
[[noreturn]] inline void throw_index(i64 index, i64 extent) {
  throw Error("tensor/index", "index " + std::to_string(index) + " lies outside an axis of " +
                                  std::to_string(extent) + " elements");
}
[[noreturn]] inline void throw_element_count(i64 wanted, std::size_t given, const char* what = "tensor") {
  throw Error("tensor/size", "a " + std::string(what) + " of " + std::to_string(wanted) +
                                 " elements was given " + std::to_string(given));
}

// Elements of host memory, for tensors and views of shape S whose data() says where they start. An index that
// lies outside is an Error ("tensor/index"); pointers from data(), begin() and end() check nothing.
template <class Self, class T, class S>
class HostElements : public RefusedMembers<Self, T, S> {
 public:
  template <class X>
  static constexpr bool is_index = std::is_integral_v<X>;

  // The i-th element in row-major order.
  T& operator[](i64 i) const { return start()[checked(i, S::size)]; }
  // One index an axis.
  template <class... I>
  T& operator()(I... index) const {
    constexpr bool fits = sizeof...(I) == static_cast<std::size_t>(S::rank) && (is_index<I> && ... && true);
    static_assert(sizeof(TensorIndexFits<fits, S, I...>) > 0);
    i64 at = 0, axis = 0;
    ((at = at * S::value.extent[axis] + checked(static_cast<i64>(index), S::value.extent[axis]), ++axis),
     ...);
    return start()[at];
  }
  // The only element.
  std::remove_const_t<T> item() const {
    static_assert(sizeof(ItemIsOne<S::size == 1, T, S>) > 0);
    return start()[0];
  }
  template <class U>  // as libtorch's
  U item() const {
    return static_cast<U>(item());
  }
  // As size() and rank, in PyTorch's words.
  static constexpr i64 numel() { return S::size; }
  static constexpr int dim() { return S::rank; }
  T* begin() const { return start(); }
  T* end() const { return start() + S::size; }
  // In row-major order.
  std::vector<std::remove_const_t<T>> to_vector() const {
    return std::vector<std::remove_const_t<T>>(begin(), end());  // in braces two pointers are two bools
  }

 private:
  static i64 checked(i64 i, i64 extent) {
    if (static_cast<u64>(i) >= static_cast<u64>(extent)) [[unlikely]]
      throw_index(i, extent);
    return i;
  }
  T* start() const {
    T* const at = static_cast<const Self*>(this)->address();
    if (at == nullptr && S::size > 0) [[unlikely]]
      throw_no_elements();
    return at;
  }
};

// Operators by which a tensor becomes what is computed with it: t *= 2. By way of new memory, as the
// expression reads the tensor.
template <class Owner>
struct ComputedAnew {
#define WEFT_OPERATOR(sign)                                   \
  template <class B>                                          \
  Owner& operator sign##=(const B& b) {                       \
    return self() = static_cast<const Owner&>(self()) sign b; \
  }
  WEFT_COMPOUND_OPERATORS
#undef WEFT_OPERATOR

 private:
  Owner& self() { return static_cast<Owner&>(*this); }
};
// Operators by which a view writes to its memory, whether it has a name or not: w *= 2.
template <class View>
struct ComputedInPlace {
#define WEFT_OPERATOR(sign)                 \
  template <class B>                        \
  void operator sign##=(const B& b) const { \
    self().span() = self() sign b;          \
  }
  WEFT_COMPOUND_OPERATORS
#undef WEFT_OPERATOR

 private:
  const View& self() const { return static_cast<const View&>(*this); }
};

}  // namespace exec

// A part of memory. One that weft gives out (a result, a parameter, a tensor's view()) keeps the memory
// alive; one made from a pointer is valid as long as that. Of a const T it is only read.
template <class T, class S, class Device = Cpu>
class TensorView : public exec::HostElements<TensorView<T, S, Device>, T, S>,
                   public exec::ComputedInPlace<TensorView<T, S, Device>> {
 public:
  using weft_tensor = void;
  using dtype = std::remove_const_t<T>;
  using shape = S;
  using device_type = Device;
  static constexpr int rank = S::rank;
  static constexpr i64 element_count = S::size;

  constexpr TensorView() = default;
  constexpr explicit TensorView(T* data) : data_(data) {}
  template <class U>  // a refusal
  requires(std::is_arithmetic_v<U> && !std::is_convertible_v<U*, T*>) constexpr explicit TensorView(U*) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class U, class R>  // a refusal
  requires(!std::is_same_v<std::remove_const_t<U>, std::remove_const_t<T>> || !std::is_same_v<R, S>)
      TensorView(const TensorView<U, R, Device>&) {
    static_assert(sizeof(exec::TensorKeepsType<sizeof(U) == 0, TensorView<U, R, Device>, TensorView>) > 0);
  }
  template <class X>  // a refusal
  requires(!TensorLike<X> && requires { requires std::is_arithmetic_v<typename X::value_type>; })
      TensorView(const X&) {
    static_assert(sizeof(exec::ViewIsOfMemory<sizeof(X) == 0, X, TensorView>) > 0);
  }
  template <class U, class R>  // a refusal
  TensorView(const Tensor<U, R, Device>&) {
    static_assert(sizeof(exec::ViewIsOfMemory<sizeof(U) == 0, Tensor<U, R, Device>, TensorView>) > 0);
  }
  TensorView(const TensorView&) = default;
  TensorView(TensorView&&) noexcept = default;
  // Another memory from now on, as a name of Python's.
  TensorView& operator=(const TensorView&) & = default;
  TensorView& operator=(TensorView&&) & noexcept = default;
  // model.get<"fc.bias">() = values: into the memory of what has no name, from a tensor, a view, a
  // std::vector or an expression of this dtype and shape, or one number everywhere. Throws "tensor/size".
  template <class A>
  void operator=(const A& values) && {
    constexpr bool written = !std::is_const_v<T>;
    static_assert(sizeof(exec::MemoryIsWritten<written, TensorView>) > 0);
    static_assert(sizeof(exec::ElementsKeepDtype<!exec::is_cut<A, T>, A, T, S>) > 0);
    if constexpr (written && (std::is_arithmetic_v<A> || Element<A>)) {
      for (T& x : *this) x = exec::as_element<T>(values);
    } else if constexpr (written) {
      const Tensor<dtype, S, Device> given(values);
      for (i64 i = 0; i < S::size; ++i) this->begin()[i] = given.data()[i];
    }
  }
  template <class A>
  requires(std::is_arithmetic_v<A> || is_lazy<A>) void operator=(const A&) const& {  // a refusal
    static_assert(sizeof(exec::NamedViewIsWritten<sizeof(A) == 0, A, T, S>) > 0);
  }
  void operator=(std::initializer_list<dtype> values) && { std::move(*this) = std::vector<dtype>(values); }
  template <class U>
  requires exec::are_rounded<dtype, U, U>
  void operator=(std::initializer_list<U> values) && { std::move(*this) = exec::as_elements<dtype>(values); }
  template <class U>
  requires exec::is_cut<U, T>
  void operator=(std::initializer_list<U>) && {  // a refusal
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  TensorView(T* data, Shared<exec::Storage> owner) : data_(data), owner_(std::move(owner)) {}
  // The whole of a storage, wherever that moves.
  explicit TensorView(Shared<exec::Storage> whole) : owner_(std::move(whole)) {}
  // To be read only. (A template, as nvcc warns of a conversion of a type to itself that is never called.)
  template <class View>
  requires(!std::is_const_v<T> && std::is_same_v<View, TensorView<const T, S, Device>>) operator View()
      const {
    return data_ != nullptr ? View(data_, owner_) : View(owner_);
  }

  // The first element; what follows is row-major.
  T* data() const {
    return data_ != nullptr ? data_ : owner_ ? reinterpret_cast<T*>(owner_->data()) : nullptr;
  }
  using exec::HostElements<TensorView, T, S>::size;
  using exec::HostElements<TensorView, T, S>::view;
  // Elements.
  static constexpr i64 size() { return S::size; }
  // Elements along an axis, which counts from the end where it is negative; throws "tensor/axis".
  static constexpr i64 extent(int axis) { return checked_extent(S::value, axis); }
  // The same without owning anything: a result's is overwritten when its function runs again, and costs that
  // run no copy.
  TensorView span() const { return TensorView(data()); }
  // What an expression keeps of it.
  TensorView view() const { return *this; }
  // Whether the elements go elsewhere when the function that made them runs again.
  bool may_move() const { return data_ == nullptr && owner_; }
  operator dtype() const requires(S::size == 1) { return this->item(); }
  template <class N>  // a refusal; that of the base class is hidden, as is every template of a conversion
  requires(std::is_arithmetic_v<N>&& S::size != 1) operator N() const {
    static_assert(sizeof(exec::ItemIsOne<sizeof(N) == 0, TensorView, N>) > 0);
    return N{};
  }

 private:
  friend class exec::HostElements<TensorView, T, S>;
  T* address() const { return data(); }

  T* data_ = nullptr;
  Shared<exec::Storage> owner_;
};

// A host tensor: 256-byte aligned memory of its own.
template <class T, class S>
class Tensor<T, S, Cpu> : public exec::HostElements<Tensor<T, S, Cpu>, const T, S>,
                          public exec::ComputedAnew<Tensor<T, S, Cpu>> {
  using Elements = exec::HostElements<Tensor, const T, S>;

 public:
  using weft_tensor = void;
  using dtype = T;
  using shape = S;
  using device_type = Cpu;
  using View = TensorView<T, S, Cpu>;
  static constexpr int rank = S::rank;

  // Zeros.
  Tensor() : Tensor(Uninitialized{}) { exec::DeviceMemory<Cpu>::zero(Cpu{}, storage_->data(), bytes()); }
  // Copies S::size elements from the caller's memory.
  explicit Tensor(const T* values) : Tensor(Uninitialized{}) { copy(values); }
  Tensor(std::initializer_list<T> values) : Tensor(Uninitialized{}) {
    copy_counted(values.begin(), values.size());
  }
  // With the device as a GPU's tensors are made, for programs of either.
  explicit Tensor(const Cpu&) : Tensor() {}
  Tensor(const T* values, const Cpu&) : Tensor(values) {}
  Tensor(std::initializer_list<T> values, const Cpu&) : Tensor(values) {}
  Tensor(const std::vector<T>& values, const Cpu&) : Tensor(values) {}
  // Row by row, as nested braces: Tensor<f32, Shape<2, 2>> a{{1, 2}, {3, 4}}.
  Tensor(std::initializer_list<std::initializer_list<T>> rows) requires(S::rank == 2 && S::value[1] > 1)
      : Tensor(Uninitialized{}) {
    copy_rows(rows);
  }
  template <class U>
  requires(exec::are_rounded<T, U, U>&& S::rank == 2 && S::value[1] > 1)
      Tensor(std::initializer_list<std::initializer_list<U>> rows)
      : Tensor(Uninitialized{}) {
    copy_rows(rows);
  }
  Tensor(const std::vector<T>& values) : Tensor(Uninitialized{}) {
    if constexpr (std::is_same_v<T, bool>) {  // whose vector has bits
      if (static_cast<i64>(values.size()) != S::size) exec::throw_element_count(S::size, values.size());
      for (i64 i = 0; i < S::size; ++i) data()[i] = values[static_cast<std::size_t>(i)];
    } else {
      copy_counted(values.data(), values.size());
    }
  }
  // Of float a[2][3] or std::array<float, 6>.
  template <class A>
  requires(exec::is_elements<A>&& std::is_same_v<exec::element_of<A>, T>) explicit Tensor(const A& array)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ArrayHasShape<sizeof(A) == sizeof(T) * S::size, A, T, S>) > 0);
    if constexpr (sizeof(A) == sizeof(T) * S::size) copy(reinterpret_cast<const T*>(&array));
  }
  // Numbers for f16, bf16 or f8, rounded: {1, 0.5f}.
  template <class Number, class... More>
  requires exec::are_rounded<T, Number, More...> Tensor(Number number, More... more)
      : Tensor(std::initializer_list<T>{exec::as_element<T>(number), exec::as_element<T>(more)...}) {}
  template <class Number, class... More>
  requires((std::is_arithmetic_v<Number> ||
            std::is_null_pointer_v<Number>)&&(std::is_arithmetic_v<More>&&...) &&
           !exec::are_rounded<T, Number, More...>) explicit Tensor(Number, More...)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::TensorTakesElements<sizeof(Number) == 0, Number, T, S>) > 0);
  }
  Tensor(const TensorView<T, S, Cpu>& view) : Tensor(static_cast<const T*>(view.data())) {}
  Tensor(const TensorView<const T, S, Cpu>& view) : Tensor(view.data()) {}
  Tensor(const Tensor& other) : Tensor(other.data()) {}
  Tensor(Tensor&&) noexcept = default;
  // Tensor<...> y{x}: of a tensor, view or expression in braces, which would else be a list of elements.
  template <class One>
  requires(is_lazy<One> || TensorLike<One>) Tensor(std::initializer_list<One> one) : Tensor(*one.begin()) {
    if (one.size() != 1) exec::throw_element_count(1, one.size(), "list of tensors");
  }
  // Refusals.
  template <class U>
  requires(!std::is_same_v<U, T>) Tensor(const std::vector<U>&) : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class U>
  requires exec::is_cut<U, T> Tensor(std::initializer_list<U>) : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class U>
  requires exec::is_cut<U, T> Tensor(std::initializer_list<std::initializer_list<U>>)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class R = S>
  requires(R::rank > 2) Tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>>)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::RowsAreOfTwoAxes<sizeof(R) == 0, T, R>) > 0);
  }
  template <class U>
  requires(std::is_arithmetic_v<U> && !std::is_same_v<U, T>) explicit Tensor(const U*)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class U>
  requires(exec::is_elements<U> && !std::is_same_v<exec::element_of<U>, T>) explicit Tensor(const U&)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ArrayHasShape<sizeof(U) == 0, U, T, S>) > 0);
  }
  template <class U, class R>
  requires(!std::is_same_v<U, T> || !std::is_same_v<R, S>) Tensor(const Tensor<U, R, Cpu>&)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::TensorKeepsType<sizeof(U) == 0, Tensor<U, R, Cpu>, Tensor>) > 0);
  }
  template <class U, class R>
  requires(!std::is_same_v<std::remove_const_t<U>, T> || !std::is_same_v<R, S>)
      Tensor(const TensorView<U, R, Cpu>&)
      : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::TensorKeepsType<sizeof(U) == 0, TensorView<U, R, Cpu>, Tensor>) > 0);
  }
  template <class... R>
  Tensor(const std::tuple<R...>&) : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::ResultsAreSeveral<sizeof...(R) == 0, Tensor, R...>) > 0);
  }
  explicit Tensor(const char*) : Tensor(Uninitialized{}) {
    detail::misspelt<exec::TensorTakesElements<false, const char*, T, S>>();
  }
  template <class U, class R>
  Tensor(const Expr<U, R>&) : Tensor(Uninitialized{}) {
    static_assert(sizeof(exec::TensorIsTraced<sizeof(U) == 0, Expr<U, R>, Tensor>) > 0);
  }
  // Runs the expression.
  template <class Op, class... Args>
  Tensor(const Lazy<Op, Args...>& lazy) : Tensor(Uninitialized{}) {
    exec::evaluate<T, S>(lazy, data(), Cpu{});
  }
  // Into the memory that it has, which views of it show, and into() writes to.
  Tensor& operator=(const Tensor& other) {
    if (!storage_) return *this = Tensor(other);
    if (this != &other) copy(other.data());
    return *this;
  }
  // The same where somebody else holds that memory; else the memory of `other`.
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other && storage_ && other.storage_ && !storage_->has_one_owner())
      copy(other.data());
    else
      storage_ = std::move(other.storage_);
    return *this;
  }
  template <class Op, class... Args>
  Tensor& operator=(const Lazy<Op, Args...>& lazy) {
    // by way of new memory: the expression may read this tensor
    *this = Tensor(lazy);
    return *this;
  }

  // Refused.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  auto& operator=(Number) {
    static_assert(sizeof(exec::TensorTakesElements<sizeof(Number) == 0, Number, T, S>) > 0);
    return *this;
  }

  // The same number everywhere.
  static Tensor full(T value) {
    Tensor t{Uninitialized{}};
    for (T& x : t) x = value;
    return t;
  }
  template <class U>
  requires exec::is_cut<U, T>
  static Tensor full(U) {  // a refusal
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
    return {};
  }
  template <class... Given>
  requires(sizeof...(Given) != 1) static Tensor full(const Given&...) {  // a refusal
    static_assert(sizeof(exec::FullTakesNumber<(sizeof...(Given) == 1), T, S>) > 0);
    return {};
  }

  // The first element; what follows is row-major.
  T* data() { return storage_ ? reinterpret_cast<T*>(storage_->data()) : nullptr; }
  const T* data() const { return address(); }
  using Elements::size;
  using Elements::view;
  // Elements.
  static constexpr i64 size() { return S::size; }
  // Elements along an axis, which counts from the end where it is negative; throws "tensor/axis".
  static constexpr i64 extent(int axis) { return checked_extent(S::value, axis); }
  // The tensor's memory, which lives as long as the view does.
  View view() { return View(data(), storage_); }
  TensorView<const T, S, Cpu> view() const { return {data(), storage_}; }
  using Elements::begin;
  using Elements::end;
  using Elements::operator[];
  using Elements::operator();
  T& operator[](i64 i) { return const_cast<T&>(Elements::operator[](i)); }
  template <class... I>
  T& operator()(I... index) {
    return const_cast<T&>(Elements::operator()(index...));
  }
  T* begin() { return const_cast<T*>(Elements::begin()); }
  T* end() { return const_cast<T*>(Elements::end()); }

 private:
  friend Elements;
  struct Uninitialized {};
  // A literal type: of a layer whose operator() takes a Tensor no compiler says that, but the sentence alone.
  struct Literal {};
  constexpr explicit Tensor(Literal) {}
  explicit Tensor(Uninitialized) : storage_(exec::allocate(Cpu{}, bytes())) {}
  static constexpr i64 bytes() { return S::size * static_cast<i64>(sizeof(T)); }
  const T* address() const { return storage_ ? reinterpret_cast<const T*>(storage_->data()) : nullptr; }
  void copy(const T* values) {
    if (values == nullptr && S::size > 0) exec::throw_no_elements();
    exec::DeviceMemory<Cpu>::from_host(Cpu{}, storage_->data(), values, bytes());
  }
  template <class U>
  void copy_rows(std::initializer_list<std::initializer_list<U>> rows) {
    i64 count = 0;
    for (const auto& row : rows) {
      if (static_cast<i64>(row.size()) != S::value[1])
        exec::throw_element_count(S::value[1], row.size(), "row");
      for (const U& x : row) {
        if (count == S::size) break;
        data()[count++] = exec::as_element<T>(x);
      }
    }
    if (static_cast<i64>(rows.size()) != S::value[0])
      exec::throw_element_count(S::size, rows.size() * static_cast<std::size_t>(S::value[1]));
  }
  void copy_counted(const T* values, std::size_t count) {
    if (count != static_cast<std::size_t>(S::size)) exec::throw_element_count(S::size, count);
    copy(values);
  }

  Shared<exec::DeviceStorage<Cpu>> storage_;
};

}  // namespace WEFT_NAMESPACE
