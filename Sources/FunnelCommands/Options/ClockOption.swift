import ArgumentParser
import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The `--now` option, which makes the report of any day reproducible.
struct ClockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Treat this as the current time: an RFC 3339 time, or a date in UTC (default: the clock).", valueName: "time"))
  var now: String?

  /// Returns the value of the option, or the current time. A command should call this only once.
  func present() throws(FunnelError) -> Timestamp {
    guard let now else { return Self.clock() }
    if let time = Timestamp(rfc3339: now) { return time }
    if let day = CivilDate(now) { return day.midnight }
    throw FunnelError(
      .usage, "not a time, --now \(now.printable), write it as 2026-11-20T10:15:30Z or 2026-11-20")
  }

  /// Returns the time of the wall clock.
  static func clock() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
