internal import CMemory

/// A number that several threads read and change without a lock.
///
/// The standard library's `Atomic` does the same from macOS 15 on only. The number is allocated separately, because its address must not
/// change.
public struct AtomicInteger: ~Copyable, @unchecked Sendable {
  private let number: UnsafeMutablePointer<Int64>

  public init(_ value: Int) {
    number = .allocate(capacity: 1)
    number.initialize(to: Int64(value))
  }

  deinit { number.deallocate() }

  /// The number. What the thread that stored it had written before is visible as well.
  public var value: Int { Int(funnel_atomic_load(number)) }

  /// Replaces the number.
  public func store(_ value: Int) { funnel_atomic_store(number, Int64(value)) }

  /// Adds to the number, and returns the sum. This orders no other memory.
  @discardableResult
  public func add(_ difference: Int) -> Int { Int(funnel_atomic_add(number, Int64(difference))) }
}

/// Flags that several threads read and set without a lock. They order no other memory.
public struct AtomicFlags: ~Copyable, @unchecked Sendable {
  private let bytes: UnsafeMutablePointer<UInt8>

  /// Creates as many flags, none of them set.
  public init(count: Int) {
    bytes = .allocate(capacity: max(count, 1))
    bytes.initialize(repeating: 0, count: max(count, 1))
  }

  deinit { bytes.deallocate() }

  /// Returns whether a flag is set.
  public func isSet(_ index: Int) -> Bool { funnel_atomic_load_byte(bytes + index) != 0 }

  /// Sets a flag.
  public func set(_ index: Int) { funnel_atomic_store_byte(bytes + index, 1) }
}

/// A flag that several threads read and set without a lock. It orders no other memory.
public struct AtomicFlag: ~Copyable, Sendable {
  private let flags = AtomicFlags(count: 1)

  public init() {}

  /// Whether the flag is set.
  public var isSet: Bool { flags.isSet(0) }

  /// Sets the flag.
  public func set() { flags.set(0) }
}
