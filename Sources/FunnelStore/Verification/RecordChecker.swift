public import FunnelModel

/// Looks into the records of members; what a record must be like, only those know who write records.
public protocol RecordChecker: Sendable {
  /// Looks at the lines of a member, each ended by a line feed. Called from any thread.
  func check(_ lines: [UInt8], in part: PartName) -> RecordFindings
}

/// What a look into a member found.
public struct RecordFindings: Sendable {
  /// What is wrong with one record.
  public struct Complaint: Hashable, Sendable {
    /// Its number in the member, from 1.
    public var record: Int
    /// What is wrong, as a clause with "it" for the record: "it is not in canonical form".
    public var reason: String

    public init(record: Int, reason: String) {
      self.record = record
      self.reason = reason
    }
  }

  /// A record that is in its one form.
  public struct Record: Hashable, Sendable {
    /// Its number in the member, from 1.
    public var number: Int
    /// What it is filed by.
    public var timestamp: Timestamp
    /// 128 bits of a hash of what no two events of a log share; 0 for what is no event.
    public var high: UInt64
    public var low: UInt64

    public init(number: Int, timestamp: Timestamp, high: UInt64 = 0, low: UInt64 = 0) {
      self.number = number
      self.timestamp = timestamp
      self.high = high
      self.low = low
    }
  }

  public var complaints: [Complaint] = []
  /// The records that are in their one form, in their order; also those of another day.
  public var records: [Record] = []

  /// The smallest and largest timestamp of the records; nil where there are none.
  public var timestamps: ClosedRange<Timestamp>? {
    guard let first = records.lazy.map(\.timestamp).min(), let last = records.lazy.map(\.timestamp).max() else { return nil }
    return first...last
  }

  /// Findings about nothing.
  public init() {}
}
