import FunnelModel

/// A set of key indices of a query, stored as bits.
struct KeySet: Hashable, Sendable {
  private var bits: UInt64 = 0

  /// Creates an empty set.
  init() {}

  /// Creates the set of the indices below `count` that satisfy a predicate, by default all of them.
  ///
  /// - Parameter count: The number of keys, at most ``Limits/queryKeysMax``.
  init(count: Int, where isIncluded: (Int) -> Bool = { _ in true }) {
    precondition(count <= Limits.queryKeysMax, "the keys of a query are a set of bits")
    for key in 0..<count where isIncluded(key) { insert(key) }
  }

  var isEmpty: Bool { bits == 0 }

  /// The only element, or `nil` if the set does not have exactly one.
  var only: Int? { bits.nonzeroBitCount == 1 ? bits.trailingZeroBitCount : nil }

  /// Returns whether the set contains an index.
  func contains(_ key: Int) -> Bool { bits >> UInt64(key) & 1 == 1 }

  /// Inserts an index, less than ``Limits/queryKeysMax``.
  mutating func insert(_ key: Int) {
    assert(0 <= key && key < Limits.queryKeysMax, "the keys of a query are a set of bits")
    bits |= 1 << UInt64(key)
  }

  /// Removes the elements of another set.
  mutating func subtract(_ other: KeySet) { bits &= ~other.bits }

  /// Returns the elements that are not in another set.
  func subtracting(_ other: KeySet) -> KeySet {
    var difference = self
    difference.subtract(other)
    return difference
  }

  /// Calls `body` with each element, in ascending order.
  func forEach(_ body: (Int) -> Void) {
    var remaining = bits
    while remaining != 0 {
      body(remaining.trailingZeroBitCount)
      remaining &= remaining - 1
    }
  }
}
