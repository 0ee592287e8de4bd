#pragma once
// Ranks connected by MPI, which weft.hpp leaves out: comm::ddp<comm::Mpi>. Needs an MPI implementation.

#include "weft/comm/mpi.hpp"
