package import FunnelModel

/// The name of a file of records in a store, such as `log/dt=2026-11-20/part-00000.ndjson.gz`.
package struct LogFileName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The kind of the records. The raw value is the name of the folder that holds them.
  package enum Area: String, Hashable, Sendable, CaseIterable {
    /// Events, by the UTC day on which they happened.
    case log
    /// Dead letters, by the UTC day of the ingest.
    case rejected
    /// Tombstones, by the UTC day of the erasure.
    case forgotten
    /// Snapshots: the aggregates of days whose events were dropped, by that day.
    case snapshots
  }

  package var area: Area
  package var day: CivilDate
  /// The number of the log file within its day, from 0. A number is never reused, even after the log file was removed.
  package var number: Int

  /// Creates a name.
  package init(area: Area, day: CivilDate, number: Int) {
    self.area = area
    self.day = day
    self.number = number
  }

  /// Parses a path inside the store. Returns `nil` if it is not the path of a log file.
  package init?(path: some StringProtocol) {
    let pieces = path.split(separator: "/", omittingEmptySubsequences: false)
    guard pieces.count == 3, let area = Area(rawValue: String(pieces[0])) else { return nil }
    guard let day = Self.day(ofFolder: pieces[1]), let number = Self.number(ofFile: pieces[2]) else { return nil }
    self.init(area: area, day: day, number: number)
  }

  /// The path inside the store.
  package var path: String { "\(folder)/\(Self.prefix)\(Self.digits(number))\(Self.suffix)" }

  /// The path of the folder of that day inside the store.
  package var folder: String { "\(area.rawValue)/dt=\(day)" }

  package var description: String { path }

  package static func < (lhs: LogFileName, rhs: LogFileName) -> Bool {
    (lhs.area.order, lhs.day, lhs.number) < (rhs.area.order, rhs.day, rhs.number)
  }

  /// Returns the day of a folder named `dt=2026-11-20`, or `nil` if the name has another form.
  static func day(ofFolder name: some StringProtocol) -> CivilDate? {
    let folderPrefix = "dt="
    return name.hasPrefix(folderPrefix) ? CivilDate(name.dropFirst(folderPrefix.count)) : nil
  }

  private static let prefix = "part-"
  private static let suffix = ".ndjson.gz"

  private static func number(ofFile name: some StringProtocol) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let text = name.dropFirst(prefix.count).dropLast(suffix.count)
    // Only the canonical spelling of a number is accepted: "part-0" and "part-+0000" are not names of log files.
    guard let number = Int(text), number >= 0, digits(number) == text else { return nil }
    return number
  }

  /// The number of digits to which a number is padded with zeros. A longer number is not padded.
  private static let digitsMin = 5

  private static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digitsMin - text.utf8.count)) + text
  }
}

extension LogFileName.Area {
  /// The index of the area in the order of log files.
  fileprivate var order: Int {
    switch self {
    case .log: 0
    case .rejected: 1
    case .forgotten: 2
    case .snapshots: 3
    }
  }
}
