/// The names of event files. They contain the order of the events and their number.
///
///     open-000000004711-1795168800000-5f1c0a3b-1795100000000.ndjson
///         the open file: the `seq` of its first event, the time at which it was opened, in milliseconds since 1970, and the setting of
///         the device's clock at that time (``DeviceClock``), if it was known
///     events-000000004711-250-0c6f5e21a9b4.ndjson.gz
///         a closed file: the `seq` of its first event, the number of events, and the folder's ID. On a full disk it is not compressed,
///         and its name ends with `.ndjson`
///
/// The folder's ID keeps names of different installs apart: `seq` begins at 0 again after a reinstall.
enum EventFileName: Hashable {
  /// The open file, to which events are appended.
  case open(first: Int, milliseconds: Int64, clock: DeviceClock?)
  /// A closed file. The folder's ID is `nil` in names of earlier versions.
  case closed(first: Int, count: Int, folderID: String?, isCompressed: Bool = true)

  /// Parses a name, or returns `nil` if it is that of another file.
  init?(_ name: String) {
    if let parts = Self.parts(of: name, between: "open-", and: ".ndjson"), parts.count == 2 || parts.count == 4,
      let first: Int = Self.number(parts[0]), let milliseconds: Int64 = Self.number(parts[1])
    {
      let offset: Int64? = parts.count == 4 ? Self.number(parts[3]) : nil
      let clock = offset.map { DeviceClock(session: String(parts[2]), offset: $0) }
      self = .open(first: first, milliseconds: milliseconds, clock: clock)
    } else if let closed = Self.closed(name, end: ".ndjson.gz", isCompressed: true)
      ?? Self.closed(name, end: ".ndjson", isCompressed: false)
    {
      self = closed
    } else {
      return nil
    }
  }

  private static func closed(_ name: String, end: String, isCompressed: Bool) -> EventFileName? {
    guard let parts = parts(of: name, between: "events-", and: end), (2...3).contains(parts.count),
      let first: Int = number(parts[0]), let count: Int = number(parts[1]), parts.dropFirst(2).allSatisfy({ !$0.isEmpty })
    else { return nil }
    let folderID = parts.dropFirst(2).first.map(String.init)
    return .closed(first: first, count: count, folderID: folderID, isCompressed: isCompressed)
  }

  /// The name.
  var text: String {
    switch self {
    case .open(let first, let milliseconds, let clock):
      "open-\(Self.padded(first))-\(milliseconds)\(clock.map { "-\($0.session)-\($0.offset)" } ?? "").ndjson"
    case .closed(let first, let count, let folderID, let isCompressed):
      "events-\(Self.padded(first))-\(count)\(folderID.map { "-\($0)" } ?? "").ndjson\(isCompressed ? ".gz" : "")"
    }
  }

  /// The number of digits of a `seq`, with leading zeros, so that names sort by it.
  private static let sequenceDigits = 12

  private static func padded(_ number: Int) -> String {
    assert(number >= 0, "events are numbered from 0")
    let digits = String(number)
    return String(repeating: "0", count: max(0, sequenceDigits - digits.count)) + digits
  }

  private static func parts(of name: String, between start: String, and end: String) -> [Substring]? {
    guard name.hasPrefix(start), name.hasSuffix(end) else { return nil }
    return name.dropFirst(start.count).dropLast(end.count).split(separator: "-", omittingEmptySubsequences: false)
  }

  // An Int has 32 bits on some watches, which milliseconds would overflow.
  private static func number<Number: FixedWidthInteger>(_ text: Substring) -> Number? {
    Number(text).flatMap { $0 >= 0 ? $0 : nil }
  }
}
