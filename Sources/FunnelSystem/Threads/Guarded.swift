#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value that only one thread at a time gets at.
///
/// The standard library's `Mutex` does the same, but on Linux with a futex of its own, which neither the thread sanitizer nor helgrind sees:
/// they take everything behind it for a race. A lock of the system's threads they know.
public struct Guarded<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let lock: SystemLock
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable
  public init(_ value: consuming sending Value) {
    lock = SystemLock()
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Waits until no other thread is at the value, and runs `body` with it. A `body` that comes here again waits for ever.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }

  /// Runs `body` with the value; where another thread is at it, does nothing and returns nil.
  @inlinable
  public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

/// A lock of the system's threads, at an address of its own, for it may not move.
@usableFromInline
struct SystemLock: ~Copyable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline
  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "no lock to be had: \(result)")
  }

  @usableFromInline
  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @usableFromInline
  func lock() {
    let result = pthread_mutex_lock(mutex)
    precondition(result == 0, "could not lock: \(result)")
  }

  /// False where another thread holds the lock.
  @usableFromInline
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @usableFromInline
  func unlock() {
    let result = pthread_mutex_unlock(mutex)
    precondition(result == 0, "could not unlock: \(result)")
  }
}
