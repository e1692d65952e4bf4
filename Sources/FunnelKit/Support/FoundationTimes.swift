import Foundation
import FunnelModel

extension Timestamp {
  /// Creates the time of a date, rounded down to a millisecond.
  init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down))) }
}

extension TimeSpan {
  /// The number of attoseconds in a millisecond.
  private static let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000

  /// Creates the time span of a duration, without its fraction of a millisecond.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(milliseconds: seconds * 1000 + attoseconds / Self.attosecondsPerMillisecond)
  }
}
