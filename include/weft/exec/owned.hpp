#pragma once
// Owned<T>: one object on the heap with one owner, so that what holds it can move although the object, whose
// address others keep, does not. Law: the object is destroyed once, by its last owner.

namespace weft::exec {

template <class T>
class Owned {
 public:
  Owned() = default;
  // Takes over an object made by `new`.
  explicit Owned(T* object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Owned& operator=(Owned&& other) noexcept {
    T* const object = object_;
    object_ = other.object_;
    other.object_ = object;
    return *this;
  }
  ~Owned() { delete object_; }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace weft::exec
