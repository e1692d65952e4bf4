/// An optional index in four bytes, half the size of an `Int32?`.
struct PackedIndex: BitwiseCopyable, Sendable {
  private var packed: Int32

  /// No index.
  static let none = PackedIndex(packed: -1)

  private init(packed: Int32) { self.packed = packed }

  /// Packs an index, which must not be negative.
  @inline(__always)
  init(_ index: Int) {
    assert(index >= 0, "an index is not negative")
    packed = Int32(index)
  }

  /// The index, or `nil` if there is none.
  @inline(__always)
  var value: Int? { packed < 0 ? nil : Int(packed) }
}

/// A range of indices in eight bytes, half the size of a `Range<Int>`.
struct PackedRange: BitwiseCopyable, Sendable {
  private let start: Int32
  private let count: Int32

  /// An empty range.
  static let empty = PackedRange(0..<0)

  /// Packs a range, whose bounds must fit into 32 bits.
  @inline(__always)
  init(_ range: Range<Int>) {
    start = Int32(range.lowerBound)
    count = Int32(range.count)
  }

  /// Whether the range contains no index.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// The range with 64-bit bounds.
  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
