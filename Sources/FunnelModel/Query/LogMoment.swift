/// A past state of a log: as it stood after a commit, or at a time.
public enum LogMoment: Hashable, Sendable, CustomStringConvertible {
  /// The state after a commit; 0 is the state before the first.
  case commit(Int)
  /// The state at a time, after the last commit made at or before it.
  case time(Timestamp)

  public var description: String {
    switch self {
    case .commit(let number): "commit \(number)"
    case .time(let time): "\(time)"
    }
  }
}
