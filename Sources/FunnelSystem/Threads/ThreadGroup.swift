import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A group of threads that each run one closure and can be waited for together.
///
/// The threads are not those of Dispatch's pool. Closures that wait for one another must all run at once, and on
/// Linux the pool starts with one thread per core and checks only once a second whether some of them are blocked.
package final class ThreadGroup: Sendable {
  private let running = DispatchGroup()

  /// Creates a group without threads.
  package init() {}

  /// Starts a thread that runs a closure.
  package func start(_ body: @escaping @Sendable () -> Void) {
    running.enter()
    let running = running
    let work = Work {
      body()
      running.leave()
    }
    // If the system can't create another thread, the pool runs the closure once it has a free thread.
    if !work.start() { DispatchQueue.global(qos: .userInitiated).async { work.body() } }
  }

  /// Waits until all threads have ended.
  package func wait() { running.wait() }
}

/// The closure of a thread, boxed so that its address can be passed to `pthread_create`.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Starts a detached thread that runs the closure. Returns `false` if the system can't create one.
  func start() -> Bool {
    let retained = Unmanaged.passRetained(self)
    #if canImport(Glibc)
      var thread: pthread_t = 0
      let result = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
          return nil
        }, retained.toOpaque())
    #else
      var thread: pthread_t?
      let result = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
          return nil
        }, retained.toOpaque())
    #endif
    guard result == 0 else {
      retained.release()
      return false
    }
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      if let thread { pthread_detach(thread) }
    #endif
    return true
  }
}
