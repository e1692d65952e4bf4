internal import CMemory

// Invariants of the memory, on which all accesses rely: it is allocated separately, because an address that several threads use must not
// change; it is initialized until its owner is released, and accessed only with atomic operations.

/// An integer that several threads read and change without a lock.
///
/// The standard library's `Atomic` requires macOS 15.
package struct AtomicInteger: ~Copyable, @unchecked Sendable {
  private let integer: UnsafeMutablePointer<Int64>

  /// Creates an integer with an initial value.
  package init(_ value: Int) {
    integer = .allocate(capacity: 1)
    integer.initialize(to: Int64(value))
  }

  deinit { integer.deallocate() }

  /// The value, loaded with acquire ordering: all writes before the ``store(_:)`` of the value are visible.
  package var value: Int { Int(funnel_atomic_load(integer)) }

  /// Replaces the value, with release ordering.
  package func store(_ value: Int) { funnel_atomic_store(integer, Int64(value)) }

  /// Adds to the value and returns the sum, with relaxed ordering.
  @discardableResult
  package func add(_ difference: Int) -> Int { Int(funnel_atomic_add(integer, Int64(difference))) }
}

/// Flags that several threads read and set without a lock, with relaxed ordering.
package struct AtomicFlags: ~Copyable, @unchecked Sendable {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let count: Int

  /// Creates `count` flags that are not set.
  package init(count: Int) {
    precondition(count >= 0, "a count is not negative")
    self.count = count
    bytes = .allocate(capacity: max(count, 1))
    bytes.initialize(repeating: 0, count: max(count, 1))
  }

  deinit { bytes.deallocate() }

  /// Returns whether a flag is set.
  package func isSet(_ index: Int) -> Bool {
    assert((0..<count).contains(index), "the flag exists")
    return funnel_atomic_load_byte(bytes + index) != 0
  }

  /// Sets a flag.
  package func set(_ index: Int) {
    precondition((0..<count).contains(index), "the flag exists")
    funnel_atomic_store_byte(bytes + index, 1)
  }
}

/// A flag that several threads read and set without a lock, with relaxed ordering.
package struct AtomicFlag: ~Copyable, Sendable {
  private let flags = AtomicFlags(count: 1)

  /// Creates a flag that is not set.
  package init() {}

  /// Whether the flag is set.
  package var isSet: Bool { flags.isSet(0) }

  /// Sets the flag.
  package func set() { flags.set(0) }
}
