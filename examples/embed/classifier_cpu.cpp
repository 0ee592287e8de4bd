// Takes the place of classifier.cu where there is no CUDA compiler.
#include "classifier.cu"
