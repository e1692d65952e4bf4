import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Threads that run a piece of work each, and can be waited for together.
///
/// They are threads of their own, not those of Dispatch's pool: pieces that wait for one another (one decodes what another writes) must all
/// be running, and on Linux the pool begins with one thread for each core and looks only once a second whether some of them wait.
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
    // Where the system has no thread left to give, the pool does the work when it comes to it.
    if !work.start() { DispatchQueue.global(qos: .userInitiated).async { work.body() } }
  }

  /// Waits until all threads have ended.
  public func wait() { running.wait() }
}

/// What a thread is to do, as the system hands it over.
private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Starts a thread; false where there is none to be had.
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
