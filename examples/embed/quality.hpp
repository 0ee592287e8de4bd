#pragma once

#include "classifier.hpp"

// The fraction of `count` images, 64 floats each, that the classifier gives their label.
double accuracy(Classifier& classifier, const float* images, const int* labels, weft::i64 count);
