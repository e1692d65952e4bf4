internal import CMemory

/// An integer that several threads read and change without a lock.
///
/// The standard library's `Atomic` requires macOS 15.
public struct AtomicInteger: ~Copyable, @unchecked Sendable {
  /// Allocated separately, because the address must not change.
  private let number: UnsafeMutablePointer<Int64>

  /// Creates an integer with an initial value.
  public init(_ value: Int) {
    number = .allocate(capacity: 1)
    number.initialize(to: Int64(value))
  }

  deinit { number.deallocate() }

  /// The value, loaded with acquire ordering: all writes before the ``store(_:)`` of the value are visible.
  public var value: Int { Int(funnel_atomic_load(number)) }

  /// Replaces the value, with release ordering.
  public func store(_ value: Int) { funnel_atomic_store(number, Int64(value)) }

  /// Adds to the value and returns the sum, with relaxed ordering.
  @discardableResult
  public func add(_ difference: Int) -> Int { Int(funnel_atomic_add(number, Int64(difference))) }
}

/// Flags that several threads read and set without a lock, with relaxed ordering.
public struct AtomicFlags: ~Copyable, @unchecked Sendable {
  private let bytes: UnsafeMutablePointer<UInt8>

  /// Creates `count` flags that are not set.
  public init(count: Int) {
    bytes = .allocate(capacity: max(count, 1))
    bytes.initialize(repeating: 0, count: max(count, 1))
  }

  deinit { bytes.deallocate() }

  /// Returns whether a flag is set. The index must be less than the count.
  public func isSet(_ index: Int) -> Bool { funnel_atomic_load_byte(bytes + index) != 0 }

  /// Sets a flag. The index must be less than the count.
  public func set(_ index: Int) { funnel_atomic_store_byte(bytes + index, 1) }
}

/// A flag that several threads read and set without a lock, with relaxed ordering.
public struct AtomicFlag: ~Copyable, Sendable {
  private let flags = AtomicFlags(count: 1)

  /// Creates a flag that is not set.
  public init() {}

  /// Whether the flag is set.
  public var isSet: Bool { flags.isSet(0) }

  /// Sets the flag.
  public func set() { flags.set(0) }
}
