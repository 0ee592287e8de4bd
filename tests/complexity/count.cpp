// What each basic block of a file that is compiled with -fsanitize-coverage=trace-pc calls. This file is
// compiled without.

unsigned long long blocks_run = 0;
extern "C" void __sanitizer_cov_trace_pc() { ++blocks_run; }
