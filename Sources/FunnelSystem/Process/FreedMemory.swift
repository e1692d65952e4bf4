/// Tuning of the C allocator for programs that allocate and free large blocks often.
package enum FreedMemory {
  /// Makes the allocator keep freed memory for later allocations. Has an effect on glibc only.
  package static func keep() {
    // An ingest allocates and frees thousands of blocks of a megabyte. By default glibc returns each of them to the
    // kernel, which clears every page before it provides it again. Measured, that took a fifth of the time of an
    // ingest.
    #if canImport(Glibc)
      // If the function is missing (musl has none), only speed is lost.
      guard let mallopt = SystemCalls.mallopt else { return }
      // M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h.
      let trimThreshold: Int32 = -1
      let mmapThreshold: Int32 = -3
      // glibc accepts at most 32 MiB; larger blocks are separate mappings and are returned to the kernel at once.
      let mmapThresholdBytes: Int32 = 32 << 20
      let trimThresholdBytes: Int32 = 1 << 30
      _ = mallopt(mmapThreshold, mmapThresholdBytes)
      _ = mallopt(trimThreshold, trimThresholdBytes)
    #endif
  }
}
