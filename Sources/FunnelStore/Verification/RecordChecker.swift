public import FunnelModel

/// Checks the records in gzip members. It is implemented by the module that defines the format of the records.
public protocol RecordChecker: Sendable {
  /// Checks the lines of a member, each ended by a line feed. May be called on any thread.
  func check(_ lines: [UInt8], in part: LogFileName) -> RecordFindings
}

/// The result of checking one member.
public struct RecordFindings: Sendable {
  /// A problem with one record.
  public struct Complaint: Hashable, Sendable {
    /// The record's number in the member, counted from 1.
    public var record: Int
    /// The problem, as a clause with "it" for the record: "it is not in canonical form".
    public var reason: String

    public init(record: Int, reason: String) {
      self.record = record
      self.reason = reason
    }
  }

  /// A record in canonical form.
  public struct Record: Hashable, Sendable {
    /// The record's number in the member, counted from 1.
    public var number: Int
    /// The timestamp by which it is assigned to a day.
    public var timestamp: Timestamp
    /// The upper half of a 128-bit hash of the fields that identify an event, or 0 if the record is not an event.
    public var high: UInt64
    /// The lower half of the hash.
    public var low: UInt64

    public init(number: Int, timestamp: Timestamp, high: UInt64 = 0, low: UInt64 = 0) {
      self.number = number
      self.timestamp = timestamp
      self.high = high
      self.low = low
    }
  }

  /// The problems, in the order of the records.
  public var complaints: [Complaint] = []
  /// The records in canonical form, in their order, including those of another day.
  public var records: [Record] = []

  /// The smallest and the largest timestamp of the records, or `nil` if there are none.
  public var timestamps: ClosedRange<Timestamp>? {
    guard let first = records.lazy.map(\.timestamp).min(), let last = records.lazy.map(\.timestamp).max() else { return nil }
    return first...last
  }

  /// Creates empty findings.
  public init() {}
}
