#pragma once
// Shared<T>: one of several owners of an object that counts them; the last one destroys it. Law: owners of
// one object may be copied, moved and destroyed in different threads.

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE {

// The base of what is shared. An object is made by `new` and given to a Shared at once.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  virtual ~Counted() = default;

  // Whether it has one owner, who therefore is the caller's own.
  bool has_one_owner() const { return __atomic_load_n(&owners_, __ATOMIC_ACQUIRE) == 1; }

 private:
  template <class>
  friend class Shared;
  mutable int owners_ = 0;
};

template <class T>
class Shared {
 public:
  constexpr Shared() = default;
  // Takes part in owning; null owns nothing.
  constexpr explicit Shared(T* object) : object_(object) {
    if (object_ != nullptr) add();
  }
  constexpr Shared(const Shared& other) : Shared(other.object_) {}
  constexpr Shared(Shared&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  // Of an object of a derived class.
  template <class U>
  constexpr Shared(const Shared<U>& other) requires requires(U* u, T*& t) {
    t = u;
  } : Shared(other.get()) {
  }
  constexpr Shared& operator=(Shared other) noexcept {
    T* const object = object_;
    object_ = other.object_;
    other.object_ = object;
    return *this;
  }
  constexpr ~Shared() {
    if (object_ != nullptr) remove();
  }

  constexpr T* get() const { return object_; }
  constexpr T& operator*() const { return *object_; }
  constexpr T* operator->() const { return object_; }
  constexpr explicit operator bool() const { return object_ != nullptr; }

 private:
  void add() const { __atomic_add_fetch(&counted()->owners_, 1, __ATOMIC_RELAXED); }
  void remove() const {
    if (__atomic_sub_fetch(&counted()->owners_, 1, __ATOMIC_ACQ_REL) == 0) delete object_;
  }
  const Counted* counted() const { return object_; }

  T* object_ = nullptr;
};

}  // namespace WEFT_NAMESPACE
