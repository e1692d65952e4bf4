package import FunnelModel

/// Checks the records in gzip members. It is implemented by the module that defines the format of the records.
package protocol RecordChecker: Sendable {
  /// Checks the lines of a member, each ended by a line feed. May be called on any thread.
  func check(_ lines: [UInt8], in logFile: LogFileName) -> RecordFindings
}

/// The result of checking one member.
package struct RecordFindings: Sendable {
  /// A problem with one record.
  package struct Complaint: Hashable, Sendable {
    /// The record's number in the member, counted from 1.
    package var record: Int
    /// The problem, as a clause with "it" for the record: "it is not in canonical form".
    package var reason: String

    package init(record: Int, reason: String) {
      self.record = record
      self.reason = reason
    }
  }

  /// A record in canonical form.
  package struct Record: Hashable, Sendable {
    /// The record's number in the member, counted from 1.
    package var number: Int
    /// The timestamp by which it is assigned to a day.
    package var timestamp: Timestamp
    /// The upper half of a 128-bit hash of the fields that identify an event, or 0 if the record is not an event.
    package var high: UInt64
    /// The lower half of the hash.
    package var low: UInt64

    package init(number: Int, timestamp: Timestamp, high: UInt64 = 0, low: UInt64 = 0) {
      self.number = number
      self.timestamp = timestamp
      self.high = high
      self.low = low
    }
  }

  /// The problems, in the order of the records.
  package var complaints: [Complaint] = []
  /// The records in canonical form, in their order, including those of another day.
  package var records: [Record] = []

  /// The smallest and the largest timestamp of the records, or `nil` if there are none.
  package var timestamps: ClosedRange<Timestamp>? {
    guard let first = records.lazy.map(\.timestamp).min(), let last = records.lazy.map(\.timestamp).max() else { return nil }
    return first...last
  }

  /// Creates empty findings.
  package init() {}
}
