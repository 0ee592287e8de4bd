#pragma once
// What is said of datasets that are written as elsewhere: by their names, printed, with shapes out of braces.

#include <initializer_list>

#include "weft/core/diagnose.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::data {

WEFT_REFUSAL(ColumnsAreBraced,
             "each field of Arrays<f32, i32> is a std::vector of its dtype and the shape of a row, in "
             "braces: Arrays<f32, i32>({pixels, {64}}, {labels, {}}); t.to_vector() gives a tensor's "
             "elements");

namespace detail {
// What a Column may have been meant to be: values of any kind.
struct AnyValues {
  template <class V>
  AnyValues(const V&) {}
};
// And its shape: 8 in place of {8}, too.
struct AnyShape {
  AnyShape() = default;
  template <class V>
  AnyShape(const V&) {}
  AnyShape(std::initializer_list<i64>) {}
};
template <class T>
struct MeantColumn {
  AnyValues values;
  AnyShape row_shape;
};
}  // namespace detail

WEFT_REFUSAL(ElementsAreRead,
             "a field of a sample or batch is many elements, with a shape: read them one by one, y[0] to "
             "y[y.size() - 1]; a sample's only one is y[0]");
#define WEFT_REFUSED_PRINT(Self)                                        \
  template <class Out>                                                  \
  requires requires(Out & out) { out << 1; }                            \
  friend Out& operator<<(Out& out, const Self&) {                       \
    static_assert(sizeof(ElementsAreRead<sizeof(Out) == 0, Self>) > 0); \
    return out;                                                         \
  }

WEFT_REFUSAL(
    DataIsRead,
    "the program reads its own data, and of data sets with names weft has data::load_digits alone: fill "
    "vectors and write data::Arrays<f32, i32> dataset({pixels, {1, 28, 28}}, {labels, {}}), or read "
    "io::read_csv(path)");
#define WEFT_MEANT(name)                                                \
  template <class... A>                                                 \
  auto name(const A&...) {                                              \
    static_assert(sizeof(DataIsRead<(sizeof...(A) > 1024), A...>) > 0); \
    return AfterRefusal{};                                              \
  }
WEFT_MEANT(load_mnist)
WEFT_MEANT(load_fashion_mnist)
WEFT_MEANT(load_cifar10)
WEFT_MEANT(load_cifar100)
WEFT_MEANT(load_iris)
WEFT_MEANT(load_csv)
WEFT_MEANT(MNIST)
WEFT_MEANT(FashionMNIST)
WEFT_MEANT(CIFAR10)
WEFT_MEANT(ImageFolder)
#undef WEFT_MEANT
namespace datasets {
using data::CIFAR10, data::FashionMNIST, data::MNIST;
}  // namespace datasets

}  // namespace WEFT_NAMESPACE::data
