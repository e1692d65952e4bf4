import ArgumentParser
import FunnelModel

/// The `--lock-timeout` option: the time to wait for another process that holds the store's lock.
struct LockOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Wait this long for another writer, then exit 75 (default: 30s).", valueName: "span"))
  var lockTimeout: String?

  /// The default timeout: 30 seconds.
  private static let timeoutDefault = TimeSpan(milliseconds: 30_000)

  /// Returns the value of the option, or the default.
  ///
  /// - Throws: `usage` if the value is not a time span.
  func timeout() throws(FunnelError) -> TimeSpan {
    guard let lockTimeout else { return Self.timeoutDefault }
    if let span = TimeSpan(lockTimeout) { return span }
    // A plain number is read as seconds, as timeout(1) does.
    if let span = TimeSpan(lockTimeout + "s") { return span }
    throw FunnelError(
      .usage,
      "not a time span, --lock-timeout \(lockTimeout.printable), write it as 500ms, 90s or 5m, at most \(TimeSpan.longest)")
  }
}
