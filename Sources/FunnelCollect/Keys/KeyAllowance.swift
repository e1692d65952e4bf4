import Crypto
import FunnelModel
import FunnelSystem

/// The records that each key may still send in the present minute, so that one key that leaked can't fill the disk. Safe for many
/// threads.
///
/// A batch is taken whole or not at all, and taken if the key has anything left. So a batch larger than the limit is not refused
/// for ever, and a minute exceeds the limit by less than one batch.
final class KeyAllowance: Sendable {
  /// The result of taking records.
  enum Outcome: Equatable {
    case allowed
    /// The key has nothing left. `isFirst` indicates that it had something left throughout the minute before, and that this is
    /// its first batch in this minute that is refused.
    case exhausted(isFirst: Bool)
  }

  /// The counts of a minute. They have only known keys, so the key file bounds them.
  private struct Minute: Sendable {
    /// The number of the minute since 1970.
    var number: Int64 = 0
    var counts: [SHA256.Digest: Int] = [:]
    var refused: Set<SHA256.Digest> = []
    /// The keys that were refused in the minute before.
    var refusedBefore: Set<SHA256.Digest> = []
  }

  private let countMax: Int
  private let minute = Guarded(Minute())

  private static let minuteMilliseconds: Int64 = 60_000

  /// Creates the allowances of all keys.
  init(recordsPerMinuteMax: Int) {
    precondition(recordsPerMinuteMax > 0, "a key may send something")
    countMax = recordsPerMinuteMax
  }

  /// Counts the records of a batch, unless its key has nothing left.
  ///
  /// - Parameter key: A known key.
  func take(_ count: Int, of key: String, at time: Timestamp) -> Outcome {
    let key = CollectKeys.hash(of: key.utf8)
    let number = time.milliseconds / Self.minuteMilliseconds
    return minute.withLock { minute in
      // A request has the time of its head. If its body came in the next minute, it counts for that one.
      if minute.number != number, minute.number != number + 1 {
        let refused = minute.number + 1 == number ? minute.refused : []
        minute = Minute(number: number, refusedBefore: refused)
      }
      let taken = minute.counts[key, default: 0]
      guard taken < countMax || count == 0 else {
        return .exhausted(isFirst: minute.refused.insert(key).inserted && !minute.refusedBefore.contains(key))
      }
      minute.counts[key] = taken + count
      return .allowed
    }
  }

  /// Returns the seconds until the next minute, at least 1.
  static func secondsLeft(at time: Timestamp) -> Int {
    let left = minuteMilliseconds - time.milliseconds % minuteMilliseconds
    return Int((left + 999) / 1000)
  }
}
