// All functions are inline; the package manager wants one file to compile.
#include "CMemory.h"
