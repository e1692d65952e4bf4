#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// How often memory was asked for so far, by all threads; always 0 where that can't be told (not glibc).
uint64_t allocation_count(void);

#endif
