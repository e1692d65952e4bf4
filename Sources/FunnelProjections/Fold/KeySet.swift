import FunnelModel

/// A set of the keys of a query, by index.
struct KeySet: Hashable, Sendable {
  private var bits: UInt64 = 0

  init() {}

  /// Creates the set of the indices that satisfy a predicate.
  ///
  /// - Parameter count: The number of keys, at most ``Limits/queryKeysMax``.
  init(count: Int, where isIncluded: (Int) -> Bool = { _ in true }) {
    precondition(count <= Limits.queryKeysMax, "the keys of a query are a set of bits")
    for key in 0..<count where isIncluded(key) { insert(key) }
  }

  var isEmpty: Bool { bits == 0 }

  /// The key, if it is the only one.
  var only: Int? { bits.nonzeroBitCount == 1 ? bits.trailingZeroBitCount : nil }

  func contains(_ key: Int) -> Bool { bits >> UInt64(key) & 1 == 1 }

  mutating func insert(_ key: Int) { bits |= 1 << UInt64(key) }

  mutating func subtract(_ other: KeySet) { bits &= ~other.bits }

  func subtracting(_ other: KeySet) -> KeySet {
    var rest = self
    rest.subtract(other)
    return rest
  }

  /// Calls `body` with each key, in ascending order.
  func forEach(_ body: (Int) -> Void) {
    var rest = bits
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }
}
