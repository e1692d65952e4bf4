/// A growable array of bits, which are stored in 64-bit words from the lowest bit on.
struct BitArray: ~Copyable {
  /// The words, as many as are needed for the bits up to the last one that was set.
  private var words = UniqueArray<UInt64>()

  init() {}

  /// The words for reading.
  var elements: BorrowedColumn<UInt64> { words.elements }

  /// Returns the number of words that `count` bits take.
  static func wordCount(ofBits count: Int) -> Int { (count + UInt64.bitWidth - 1) / UInt64.bitWidth }

  /// Sets a bit.
  @inline(__always)
  mutating func insert(_ index: Int) {
    extend(to: index &+ 1)
    words[index >> 6] |= 1 << UInt64(truncatingIfNeeded: index & 63)
  }

  /// Adds zero bits up to a count, if there are fewer.
  @inline(__always)
  mutating func extend(to count: Int) {
    while words.count &* UInt64.bitWidth < count { words.append(0) }
  }
}

/// A view of the bits of a ``BitArray`` in a sorted run.
struct BorrowedBits: BitwiseCopyable {
  private let words: BorrowedColumn<UInt64>

  /// Creates a view of words.
  @inline(__always)
  init(_ words: BorrowedColumn<UInt64>) { self.words = words }

  /// Returns whether a bit is set.
  @inline(__always)
  subscript(index: Int) -> Bool { words[index >> 6] >> UInt64(truncatingIfNeeded: index & 63) & 1 != 0 }
}
