#if canImport(Glibc)
  import Glibc
#endif

/// Control over the reuse of freed memory.
public enum FreedMemory {
  /// Makes the allocator keep freed memory for later allocations.
  ///
  /// Blocks of a megabyte are allocated and freed by the thousand here. By default glibc returns each of them to the kernel, which has to
  /// clear every page before it provides it again: measured, that took a fifth of the time of an ingest.
  public static func keep() {
    #if canImport(Glibc)
      // Swift's Glibc module does not export malloc.h. If the function is missing (musl has none), only speed is lost.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      let mallopt = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
      let (trimThreshold, mmapThreshold): (Int32, Int32) = (-1, -3)
      // glibc accepts at most 32 MiB; larger blocks are separate mappings and are returned to the kernel at once.
      _ = mallopt(mmapThreshold, 32 << 20)
      _ = mallopt(trimThreshold, 1 << 30)
    #endif
  }
}
