#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Searches and compares byte strings with the C library's functions, which use vector instructions.
enum ByteSearch {
  /// Returns the offset of the first occurrence of a text at or after `start`, or `nil` if there is none. An
  /// empty text is never found.
  static func offset(
    of wanted: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int = 0
  ) -> Int? {
    precondition(start >= 0)
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

  /// Whether two texts are equal.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else { return a.count == b.count }
    return memcmp(first, second, a.count) == 0
  }

  /// Returns the offset of the first occurrence of a byte in a range of the text, or `nil` if there is none.
  @inline(__always)
  static func offset(of byte: UInt8, in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    assert(range.lowerBound >= 0 && range.upperBound <= text.count, "the range is not within the text")
    guard let base = text.baseAddress, let found = memchr(base + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
