// adds_wide.cu: adds.cu for more than four arcs a vertex, where no warp goes on by itself.
#define TURNS 1
#include "adds.cu"
