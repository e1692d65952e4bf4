public import FunnelModel

/// The name of one file of records in a store: `log/dt=2026-11-20/part-00000.ndjson.gz`.
public struct PartName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// What the records are; the raw value is the folder they lie in.
  public enum Area: String, Hashable, Sendable, CaseIterable {
    /// Events, by the UTC day they happened.
    case log
    /// Lines that were refused, by the UTC day of the ingest.
    case rejected
    /// What says that somebody was forgotten, by the UTC day of the erasure.
    case forgotten
    /// What was counted of days whose events are gone, by that day.
    case snapshots
  }

  public var area: Area
  public var day: CivilDate
  /// Counts the parts of a day from 0. A number is never used again, even after its part was removed.
  public var number: Int

  /// Makes a name.
  public init(area: Area, day: CivilDate, number: Int) {
    self.area = area
    self.day = day
    self.number = number
  }

  /// Reads a path inside the store; nil where it is not exactly the path of a part.
  public init?(path: some StringProtocol) {
    let pieces = path.split(separator: "/", omittingEmptySubsequences: false)
    guard pieces.count == 3, let area = Area(rawValue: String(pieces[0])) else { return nil }
    guard let day = Self.day(ofFolder: pieces[1]), let number = Self.number(ofFile: pieces[2]) else { return nil }
    self.init(area: area, day: day, number: number)
  }

  /// The path inside the store.
  public var path: String { "\(folder)/\(Self.prefix)\(Self.digits(number))\(Self.suffix)" }

  /// The path of the folder of that day inside the store.
  public var folder: String { "\(area.rawValue)/dt=\(day)" }

  public var description: String { path }

  public static func < (lhs: PartName, rhs: PartName) -> Bool {
    (lhs.area.place, lhs.day, lhs.number) < (rhs.area.place, rhs.day, rhs.number)
  }

  /// The day of a folder named `dt=2026-11-20`, or nil.
  static func day(ofFolder name: some StringProtocol) -> CivilDate? {
    name.hasPrefix("dt=") ? CivilDate(name.dropFirst(3)) : nil
  }

  private static let prefix = "part-"
  private static let suffix = ".ndjson.gz"

  private static func number(ofFile name: some StringProtocol) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let text = name.dropFirst(prefix.count).dropLast(suffix.count)
    // Only the one way to write a number is a name of ours: "part-0" and "part-+0000" are not.
    guard let number = Int(text), number >= 0, digits(number) == text else { return nil }
    return number
  }

  private static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 5 - text.utf8.count)) + text
  }
}

extension PartName.Area {
  /// Where it stands among the areas when parts are sorted.
  fileprivate var place: Int {
    switch self {
    case .log: 0
    case .rejected: 1
    case .forgotten: 2
    case .snapshots: 3
    }
  }
}
