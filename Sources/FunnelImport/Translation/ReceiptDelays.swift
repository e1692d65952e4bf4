/// The times from events to their receipt by the vendor, rounded to quarters of an hour.
///
/// A project that writes local times as if they were UTC shows here: nearly all its events have the same delay, that of its time zone.
package struct ReceiptDelays: Hashable, Sendable {
  /// The number of records for each number of quarter hours from the event to its receipt.
  private var counts: [Int: Int] = [:]

  /// The maximum distance in quarter hours. A local time is at most 14 hours from UTC.
  private static let quartersMax = 56
  /// The minimum share of records with the common delay.
  private static let shareMin = 0.8  // The others were sent later, because the device was offline.
  /// The number of records below which nothing is concluded.
  private static let recordsMin = 5

  package init() {}

  /// Whether no record had a stamp of receipt.
  package var isEmpty: Bool { counts.isEmpty }

  /// Adds a record.
  ///
  /// - Parameter milliseconds: The time from the event to its receipt.
  @inline(__always)
  mutating func add(_ milliseconds: Int64) {
    let quarter: Int64 = 15 * 60 * 1000
    let rounded = Int((milliseconds + (milliseconds < 0 ? -quarter : quarter) / 2) / quarter)
    counts[min(max(rounded, -Self.quartersMax), Self.quartersMax), default: 0] += 1
  }

  /// Adds the records of another part of the input.
  package mutating func add(_ other: ReceiptDelays) { counts.merge(other.counts, uniquingKeysWith: +) }

  /// A delay that nearly all records have.
  package struct Common: Hashable, Sendable {
    /// The delay in minutes, a multiple of 15. It is negative if the events are dated after their receipt.
    package let minutes: Int
    /// The number of records with this delay.
    package let records: Int
    /// The number of all records with a stamp of receipt.
    package let allRecords: Int
  }

  /// The delay that nearly all records have, or `nil` if there is none or it is less than eight minutes.
  package var common: Common? {
    let all = counts.values.reduce(0, +)
    guard all >= Self.recordsMin, let (quarters, records) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      quarters != 0,
      abs(quarters) < Self.quartersMax, Double(records) >= Self.shareMin * Double(all)
    else { return nil }
    return Common(minutes: quarters * 15, records: records, allRecords: all)
  }
}
