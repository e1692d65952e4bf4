/// A set of the readers of up to 64 sorted runs, by their indices.
struct ReaderSet: Sequence, IteratorProtocol, Equatable, BitwiseCopyable {
  /// The largest number of readers.
  static let readersMax = UInt64.bitWidth

  private var bits: UInt64 = 0

  /// Creates an empty set.
  @inline(__always)
  init() {}

  /// Creates a set of one reader.
  @inline(__always)
  init(_ reader: Int) { insert(reader) }

  /// Whether the set has no readers.
  @inline(__always)
  var isEmpty: Bool { bits == 0 }

  /// Whether the set has at least two readers.
  @inline(__always)
  var hasSeveral: Bool { bits & (bits &- 1) != 0 }

  /// The reader with the smallest index. The set must not be empty.
  @inline(__always)
  var first: Int {
    assert(!isEmpty, "an empty set has no first reader")
    return bits.trailingZeroBitCount
  }

  /// The reader with the largest index. The set must not be empty.
  @inline(__always)
  var last: Int {
    assert(!isEmpty, "an empty set has no last reader")
    return UInt64.bitWidth - 1 - bits.leadingZeroBitCount
  }

  /// Adds a reader.
  @inline(__always)
  mutating func insert(_ reader: Int) {
    assert(reader >= 0 && reader < Self.readersMax, "each reader has a bit")
    bits |= 1 << UInt64(truncatingIfNeeded: reader)
  }

  /// Removes a reader.
  @inline(__always)
  mutating func remove(_ reader: Int) {
    assert(reader >= 0 && reader < Self.readersMax, "each reader has a bit")
    bits &= ~(1 << UInt64(truncatingIfNeeded: reader))
  }

  /// Returns the readers that are in both sets.
  @inline(__always)
  func intersection(_ other: ReaderSet) -> ReaderSet {
    var result = self
    result.bits &= other.bits
    return result
  }

  /// Removes and returns the reader with the smallest index, or returns `nil` if the set is empty.
  @inline(__always)
  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    let reader = bits.trailingZeroBitCount
    bits &= bits &- 1
    return reader
  }
}
