import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A group of threads that each run one closure and can be waited for together.
///
/// They are threads of their own and not those of Dispatch's pool: closures that wait for one another (one decodes what another writes)
/// must all be running, and on Linux the pool begins with one thread per core and checks only once a second whether some of them wait.
public final class ThreadGroup: Sendable {
  private let running = DispatchGroup()

  public init() {}

  /// Starts a thread.
  public func start(_ body: @escaping @Sendable () -> Void) {
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
  public func wait() { running.wait() }
}

/// The closure of a thread, in a form that can be passed through `pthread_create`.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Starts a thread. Returns false if the system can't create one.
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
