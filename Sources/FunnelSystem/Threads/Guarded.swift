#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Invariants of the memory, on which all accesses rely: the value and the mutex are allocated separately, because a mutex must not move;
// both are initialized until their owner is released, and the value is accessed only while the mutex is locked.

/// A value protected by a mutex.
///
/// It has the interface of the standard library's `Mutex`. On Linux, `Mutex` uses a futex that the thread sanitizer
/// and helgrind don't recognize, so they report races on every value it protects. They do recognize the pthread
/// mutex used here.
package struct Guarded<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let lock: SystemLock
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Creates a mutex that protects a value.
  @inlinable
  package init(_ value: consuming sending Value) {
    lock = SystemLock()
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Acquires the lock, and calls `body` with the value. The lock is not recursive: a nested call deadlocks.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }

  /// Calls `body` with the value, or returns `nil` without waiting if another thread holds the lock.
  @inlinable
  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

/// A pthread mutex.
@usableFromInline
struct SystemLock: ~Copyable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline
  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "could not create a lock: \(result)")
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

  /// Acquires the lock if it is free. Returns `false` if a thread holds it.
  @usableFromInline
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @usableFromInline
  func unlock() {
    let result = pthread_mutex_unlock(mutex)
    precondition(result == 0, "could not unlock: \(result)")
  }
}
