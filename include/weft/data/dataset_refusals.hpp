#pragma once
// What is said of datasets that are written as elsewhere: by their names, printed, with shapes out of braces.

#include <initializer_list>

#include "weft/core/refused_option.hpp"
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
WEFT_REFUSED_FUNCTION(load_mnist, DataIsRead)
WEFT_REFUSED_FUNCTION(load_fashion_mnist, DataIsRead)
WEFT_REFUSED_FUNCTION(load_cifar10, DataIsRead)
WEFT_REFUSED_FUNCTION(load_cifar100, DataIsRead)
WEFT_REFUSED_FUNCTION(load_iris, DataIsRead)
WEFT_REFUSED_FUNCTION(load_csv, DataIsRead)
WEFT_REFUSED_FUNCTION(MNIST, DataIsRead)
WEFT_REFUSED_FUNCTION(FashionMNIST, DataIsRead)
WEFT_REFUSED_FUNCTION(CIFAR10, DataIsRead)
WEFT_REFUSED_FUNCTION(ImageFolder, DataIsRead)
namespace datasets {
using data::CIFAR10, data::FashionMNIST, data::MNIST;
}  // namespace datasets

}  // namespace WEFT_NAMESPACE::data
