#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value that only one thread at a time can access.
///
/// The standard library's `Mutex` does the same, but on Linux it uses its own futex, which neither the thread sanitizer nor helgrind
/// recognizes: they report races on everything it protects. They do recognize a pthread mutex.
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

  /// Waits until no other thread has the lock, and calls `body` with the value. The lock is not recursive: a nested call deadlocks.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }

  /// Calls `body` with the value, or returns nil at once if another thread has the lock.
  @inlinable
  public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

/// A pthread mutex, allocated separately because it must not move in memory.
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

  /// Takes the lock if it is free. Returns false if another thread holds it.
  @usableFromInline
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @usableFromInline
  func unlock() {
    let result = pthread_mutex_unlock(mutex)
    precondition(result == 0, "could not unlock: \(result)")
  }
}
