#if FUNNEL_ISAL
  import CIsal
#else
  import CZlib
#endif

/// The CRC-32 of gzip (RFC 1952 section 8). It detects damage, not tampering.
public enum Checksum {
  /// Returns the CRC-32 of bytes.
  public static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    #if FUNNEL_ISAL
      return crc32_gzip_refl(0, start.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    #else
      return UInt32(truncatingIfNeeded: crc32_z(0, start.assumingMemoryBound(to: UInt8.self), bytes.count))
    #endif
  }
}
