/// A set of permissions of one flow, by index into its permissions, in one machine word.
struct PermissionSet: Equatable, Sendable, Sequence {
  private var bits: UInt64

  /// Creates an empty set.
  init() { bits = 0 }

  /// Creates the set of one permission.
  init(_ permission: Int) {
    assert(permission >= 0 && permission < UInt64.bitWidth, "a flow has at most 64 permissions")
    bits = 1 << UInt64(permission)
  }

  /// Creates the set of the permissions that satisfy a condition.
  init(_ permissions: Range<Int>, where isIncluded: (Int) -> Bool) {
    precondition(permissions.upperBound <= UInt64.bitWidth, "a flow has at most 64 permissions")
    bits = permissions.reduce(0) { isIncluded($1) ? $0 | 1 << UInt64($1) : $0 }
  }

  var isEmpty: Bool { bits == 0 }
  func contains(_ permission: Int) -> Bool { isSuperset(of: PermissionSet(permission)) }
  func isSuperset(of other: PermissionSet) -> Bool { bits & other.bits == other.bits }
  func isDisjoint(with other: PermissionSet) -> Bool { bits & other.bits == 0 }

  mutating func insert(_ permission: Int) { formUnion(PermissionSet(permission)) }
  mutating func remove(_ permission: Int) { subtract(PermissionSet(permission)) }
  mutating func formUnion(_ other: PermissionSet) { bits |= other.bits }
  mutating func subtract(_ other: PermissionSet) { bits &= ~other.bits }

  /// Returns an iterator over the permissions in ascending order.
  func makeIterator() -> Iterator { Iterator(remaining: bits) }

  struct Iterator: IteratorProtocol {
    fileprivate var remaining: UInt64

    mutating func next() -> Int? {
      guard remaining != 0 else { return nil }
      defer { remaining &= remaining - 1 }
      return remaining.trailingZeroBitCount
    }
  }
}
