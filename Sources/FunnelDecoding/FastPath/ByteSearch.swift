#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Searching and comparing bytes with the C library's functions, which use vector instructions.
//
// Invariant of this file: each address that is passed to C is that of a buffer or a span, with its count or less.

/// Searches and compares byte strings.
enum ByteSearch {
  /// Returns the offset of the first occurrence of a text at or after `start`, or `nil` if there is none. An
  /// empty text is never found.
  static func offset(of wanted: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    precondition(start >= 0, "an offset is not negative")
    guard let first = wanted.first else { return nil }
    var remaining = start
    while remaining + wanted.count <= text.count {
      // A longer part of the text would contain only the beginning of an occurrence.
      guard let found = offset(of: first, in: text, remaining..<(text.count - wanted.count + 1)) else { return nil }
      if areEqual(UnsafeRawBufferPointer(rebasing: text[found..<(found + wanted.count)]), wanted) { return found }
      remaining = found + 1
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
    assert(range.lowerBound >= 0 && range.upperBound <= text.count, "the range is within the text")
    guard let base = text.baseAddress, let found = memchr(base + range.lowerBound, Int32(byte), range.count) else { return nil }
    return base.distance(to: found)
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

extension Span<UInt8> {
  /// Returns the index of the first line feed in a range, or `nil` if there is none.
  package func firstLineFeed(in range: Range<Int>) -> Int? {
    withUnsafeBytes { ByteSearch.offset(of: Byte.lineFeed, in: $0, range) }
  }

  /// Returns the index of the last line feed in a range, or `nil` if there is none.
  package func lastLineFeed(in range: Range<Int>) -> Int? {
    // The search begins at the end, where a line feed is unless lines are very long. `memchr` searches forward,
    // so it searches windows.
    let windowBytes = 1024
    var end = range.upperBound
    while end > range.lowerBound {
      let start = Swift.max(range.lowerBound, end - windowBytes)
      if var last = firstLineFeed(in: start..<end) {
        while let next = firstLineFeed(in: (last + 1)..<end) { last = next }
        return last
      }
      end = start
    }
    return nil
  }
}
