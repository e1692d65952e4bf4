#if canImport(Glibc)
  import Glibc
#endif

/// What becomes of memory that was freed.
public enum FreedMemory {
  /// Lets the process keep what it frees for what it allocates next.
  ///
  /// Blocks of a megabyte come and go by the thousand here. Left to itself glibc hands each of them back to the kernel, which has to
  /// clear every page anew when it gives it out again: measured, a fifth of the time of an ingest.
  public static func keep() {
    #if canImport(Glibc)
      // Swift's Glibc module leaves malloc.h out; where the function is missing (musl has none), nothing is lost but speed.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
      let (trimThreshold, mmapThreshold): (Int32, Int32) = (-1, -3)
      // 32 MiB is the most glibc takes; larger blocks are its own mappings and go back at once.
      _ = mallopt(mmapThreshold, 32 << 20)
      _ = mallopt(trimThreshold, 1 << 30)
    #endif
  }
}
