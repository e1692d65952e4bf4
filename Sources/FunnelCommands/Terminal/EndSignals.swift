#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waits for the signals that a server obeys: SIGINT (Control-C), SIGHUP (closed terminal, or new settings) and SIGTERM (service
/// manager).
struct EndSignals {
  private var signals = sigset_t()

  /// Blocks the signals in this thread and in all threads that it starts later.
  init() {
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for one of the signals, and returns it.
  @discardableResult
  func wait() -> Int32 {
    var signals = signals
    var signal: Int32 = 0
    sigwait(&signals, &signal)
    return signal
  }
}
