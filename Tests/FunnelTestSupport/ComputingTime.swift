#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The CPU time of a thread, which depends little on the load of the machine.
package enum ComputingTime {
  /// The CPU time that the current thread has used so far, in seconds.
  package static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns how many times as long work of eight times the size takes: 8 if its time is linear, 64 if it is quadratic.
  ///
  /// - Parameter work: Does work of a given size on the calling thread.
  package static func growth(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
    func time(_ size: Int) throws -> Double {
      let start = seconds
      try work(size)
      return seconds - start
    }
    // A short measurement is disturbed more easily, for example by a cold cache, so the fastest of three counts.
    let small = try (0..<3).map { _ in try time(size) }.min()!
    return try time(size * 8) / small
  }
}
