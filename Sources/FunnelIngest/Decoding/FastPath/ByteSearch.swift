#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds short texts in memory.
enum ByteSearch {
  /// Returns the offset of a text's first occurrence at or behind `start`, or nil if there is none. An empty text is never found.
  static func offset(
    of wanted: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int = 0
  ) -> Int? {
    guard let first = wanted.first, let base = text.baseAddress, let wantedBase = wanted.baseAddress else { return nil }
    var offset = start
    while offset + wanted.count <= text.count {
      guard let found = memchr(base + offset, Int32(first), text.count - wanted.count + 1 - offset) else { return nil }
      offset = UnsafeRawPointer(found) - base
      if memcmp(found, wantedBase, wanted.count) == 0 { return offset }
      offset += 1
    }
    return nil
  }

  /// Returns whether two texts are equal.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else { return a.count == b.count }
    return memcmp(first, second, a.count) == 0
  }

  /// Returns the offset of a byte's first occurrence in a range, or nil if there is none.
  @inline(__always)
  static func offset(of byte: UInt8, in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    guard let base = text.baseAddress, let found = memchr(base + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
