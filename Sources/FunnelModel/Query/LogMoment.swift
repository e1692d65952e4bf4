/// A past state of the log, identified by a commit or by a time.
public enum LogMoment: Hashable, Sendable, CustomStringConvertible {
  /// The state after a commit; 0 is the state before the first.
  case commit(Int)
  /// The state after the last commit at or before a time.
  case time(Timestamp)

  public var description: String {
    switch self {
    case .commit(let number): "commit \(number)"
    case .time(let time): "\(time)"
    }
  }
}
