import FunnelModel

// Comparing, searching and copying the bytes of texts, eight at a time.

extension Span<UInt8> {
  /// The number of bytes that are read at once.
  static var wordBytes: Int { 8 }

  /// Returns the eight bytes from an offset on as a little-endian integer.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset <= count &- Self.wordBytes, "the span contains the whole word")
    // The optimizer combines the eight loads into one.
    var word: UInt64 = 0
    for index in 0..<Self.wordBytes { word |= UInt64(self[unchecked: offset &+ index]) << (8 &* UInt64(index)) }
    return word
  }

  /// Returns the last bytes, fewer than eight, as a little-endian integer with zeros after them.
  @inline(__always)
  func lastBytes(_ byteCount: Int) -> UInt64 {
    assert(byteCount > 0 && byteCount < Self.wordBytes && byteCount <= count, "the span has the bytes")
    if count >= Self.wordBytes {
      return word(at: count &- Self.wordBytes) &>> UInt64(truncatingIfNeeded: 8 &* (Self.wordBytes &- byteCount))
    }
    var word: UInt64 = 0
    for index in 0..<byteCount {
      word |= UInt64(self[unchecked: count &- byteCount &+ index]) &<< UInt64(truncatingIfNeeded: 8 &* index)
    }
    return word
  }

  /// Returns whether the bytes from an offset on begin with others.
  @inline(__always)
  func contains(_ other: Span<UInt8>, at start: Int) -> Bool {
    assert(start >= 0, "an offset is not negative")
    guard start <= count &- other.count else { return false }
    guard other.count >= Self.wordBytes else {
      for index in 0..<other.count where self[unchecked: start &+ index] != other[unchecked: index] { return false }
      return true
    }
    // The last word may overlap the one before it.
    let last = other.count &- Self.wordBytes
    var offset = 0
    while offset < last {
      guard word(at: start &+ offset) == other.word(at: offset) else { return false }
      offset &+= Self.wordBytes
    }
    return word(at: start &+ last) == other.word(at: last)
  }

  /// Returns whether the bytes equal others.
  @inline(__always)
  func isEqual(to other: Span<UInt8>) -> Bool { count == other.count && contains(other, at: 0) }

  /// Returns whether the bytes are those of a text.
  func isEqual(to text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

  /// Returns whether the bytes begin with those of a text.
  func starts(with text: StaticString) -> Bool {
    text.utf8CodeUnitCount <= count && (0..<text.utf8CodeUnitCount).allSatisfy { self[$0] == text.utf8Start[$0] }
  }

  /// Returns the index of the first byte that equals another, or `nil` if there is none.
  func firstIndex(of byte: UInt8) -> Int? {
    // The exclusive or of equal bytes is zero, and the subtraction borrows from the lowest zero byte (Hacker's Delight, 6-1).
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = ones &* UInt64(byte)
    var offset = 0
    while offset <= count &- Self.wordBytes {
      let difference = word(at: offset) ^ pattern
      let zeros = (difference &- ones) & ~difference & (ones &* 0x80)
      if zeros != 0 { return offset &+ zeros.trailingZeroBitCount / 8 }
      offset &+= Self.wordBytes
    }
    while offset < count {
      if self[unchecked: offset] == byte { return offset }
      offset &+= 1
    }
    return nil
  }

  /// Returns the first byte that satisfies a predicate, or `nil` if none does.
  func first(where isWanted: (UInt8) -> Bool) -> UInt8? {
    for index in indices where isWanted(self[unchecked: index]) { return self[unchecked: index] }
    return nil
  }
}

extension MutableRawSpan {
  /// Copies bytes to an offset, eight at a time. The bytes after them are overwritten, up to the end of the last word.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func copyWords(of bytes: Span<UInt8>, to start: Int) {
    var offset = 0
    while offset <= bytes.count &- Span<UInt8>.wordBytes {
      storeBytes(of: bytes.word(at: offset).littleEndian, toByteOffset: start &+ offset, as: UInt64.self)
      offset &+= Span<UInt8>.wordBytes
    }
    guard offset < bytes.count else { return }
    let last = bytes.lastBytes(bytes.count &- offset)
    storeBytes(of: last.littleEndian, toByteOffset: start &+ offset, as: UInt64.self)
  }
}

extension [UInt8] {
  /// Creates an array with a copy of bytes.
  init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }

  /// Appends a copy of bytes.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}

extension String {
  /// Creates a string of bytes. Invalid UTF-8 is replaced.
  init(decoding bytes: Span<UInt8>) {
    self.init(decoding: [UInt8](copying: bytes), as: UTF8.self)
  }
}
