#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a piece of work costs, whatever else the machine does meanwhile.
public enum ComputingTime {
  /// Seconds this thread has computed so far.
  public static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// How many times as long work of eight times the size takes on this thread: 8 where it takes linear time, 64 where it takes quadratic time.
  ///
  /// - Parameter work: Does work of a size, on the thread it is called on.
  public static func growth(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
    func time(_ size: Int) throws -> Double {
      let start = seconds
      try work(size)
      return seconds - start
    }
    // The shorter one is more easily disturbed, by a cache that others emptied.
    let small = try (0..<3).map { _ in try time(size) }.min()!
    return try time(size * 8) / small
  }
}
