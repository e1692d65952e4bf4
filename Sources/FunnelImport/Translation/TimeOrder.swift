/// The order of the times of successive records, from which a table that is sorted newest first is recognized.
package struct TimeOrder: Hashable, Sendable {
  /// The number of records that are later than the record before.
  private var laterCount = 0
  /// The number of records that are earlier than the record before.
  private var earlierCount = 0
  /// The number of records with the time of the record before.
  package private(set) var equalCount = 0
  /// The time of the last record in milliseconds, or `nil` before the first record.
  private var last: Int64?

  /// The number of earlier records below which nothing is concluded.
  private static let earlierMin = 3
  /// A table is sorted newest first if at most one record is later for this many that are earlier.
  private static let earlierPerLaterMin = 10

  /// Creates the order of no records.
  package init() {}

  /// Whether no records were compared.
  var isEmpty: Bool { laterCount + earlierCount + equalCount == 0 }

  /// Adds the next record.
  @inline(__always)
  mutating func add(_ milliseconds: Int64) {
    if let last {
      if milliseconds > last {
        laterCount += 1
      } else if milliseconds < last {
        earlierCount += 1
      } else {
        equalCount += 1
      }
    }
    last = milliseconds
  }

  /// Adds the comparisons within another part of the input.
  mutating func add(_ other: TimeOrder) {
    laterCount += other.laterCount
    earlierCount += other.earlierCount
    equalCount += other.equalCount
    last = nil
  }

  /// Whether nearly all records that differ in time from the record before are earlier.
  package var isDescending: Bool {
    earlierCount >= Self.earlierMin && earlierCount >= laterCount * Self.earlierPerLaterMin
  }
}
