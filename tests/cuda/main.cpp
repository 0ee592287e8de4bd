// The entry of every CUDA test program. A machine without a GPU ends with 77, which CTest reports as skipped:
// a test that cannot run must not count as passed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device (%s)\n", cudaGetErrorString(status));
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
