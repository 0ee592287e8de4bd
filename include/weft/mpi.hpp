#pragma once
// Ranks connected by MPI, which weft.hpp leaves out: comm::ddp<comm::Mpi>, and the layers that a group of
// them shares out. Needs an MPI implementation.

#include "weft/comm/mpi.hpp"
#include "weft/nn/tensor_parallel.hpp"
