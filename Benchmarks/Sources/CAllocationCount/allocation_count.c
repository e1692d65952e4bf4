// Stands in front of glibc's allocator, in the one program it is linked into, and counts.
#include "allocation_count.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t count;

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

#ifdef __GLIBC__
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void add(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  add();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  add();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  add();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  add();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  add();
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}
#endif
