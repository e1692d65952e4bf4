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

extension UnsafeRawBufferPointer {
  /// Whether these bytes precede others in lexicographic order.
  package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { order(before: other) ?? false }

  /// Whether these bytes precede others in lexicographic order, or `nil` if both are equal.
  package func order(before other: UnsafeRawBufferPointer) -> Bool? {
    let shared = Swift.min(count, other.count)
    if shared > 0, let mine = baseAddress, let others = other.baseAddress {
      let difference = memcmp(mine, others, shared)
      if difference != 0 { return difference < 0 }
    }
    return count == other.count ? nil : count < other.count
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The index of the first line feed, or `nil` if there is none.
  package var firstLineBreak: Int? {
    guard let start = UnsafeRawBufferPointer(rebasing: self).baseAddress, let found = memchr(start, 10, count) else {
      return nil
    }
    return startIndex + (UnsafeRawPointer(found) - start)
  }

  /// The index of the last line feed, or `nil` if there is none.
  package var lastLineBreak: Int? {
    // The search begins at the end, where a line feed is unless lines are very long. `memchr` searches forward,
    // so it searches windows.
    let windowBytes = 1024
    var end = endIndex
    while end > startIndex {
      let start = Swift.max(startIndex, end - windowBytes)
      if var last = self[start..<end].firstLineBreak {
        while let next = self[(last + 1)..<end].firstLineBreak { last = next }
        return last
      }
      end = start
    }
    return nil
  }
}
