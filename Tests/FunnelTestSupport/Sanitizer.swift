#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether these tests, and the program they start, were built with the address or the thread sanitizer.
///
/// Either needs a multiple of memory and time, so tests that limit these must raise their limits.
package let isSanitized: Bool = {
  let program = dlopen(nil, RTLD_NOW)
  return dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
}()
