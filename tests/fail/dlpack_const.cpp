// wrote: to_dlpack(x) of a const tensor
// write: to_dlpack<dlpack::ManagedTensorVersioned>(x)
// expect: Shape<2>
// first-error: to_dlpack: DLManagedTensor cannot say that elements are read only
#include "weft/dlpack.hpp"
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const Tensor<f32, Shape<2>> x{1, 2};
#ifdef WEFT_FIXED
  auto* p = to_dlpack<dlpack::ManagedTensorVersioned>(x);
#else
  auto* p = to_dlpack(x);
#endif
  p->deleter(p);
}
