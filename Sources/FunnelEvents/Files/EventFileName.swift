/// The names of event files, in which the order of the events and their number can be read.
///
///     open-000000004711-1795168800000.ndjson      the `seq` of the first event, and when the file was opened, in milliseconds since 1970
///     events-000000004711-250-0c6f5e21a9b4.ndjson.gz    the same, the number of events, and the folder's id: after a reinstall `seq` begins
///                                                        anew, and whoever collects files by their names would replace those of before
enum EventFileName: Hashable {
  case open(first: Int, milliseconds: Int64)
  /// The id of the folder is nil in names of earlier versions.
  case closed(first: Int, count: Int, folderID: String?)

  /// Reads a name, or returns nil if it is of another file.
  init?(_ name: String) {
    if let parts = Self.parts(of: name, between: "open-", and: ".ndjson"), parts.count == 2,
      let first = Self.number(parts[0]), let milliseconds = Self.number(parts[1])
    {
      self = .open(first: first, milliseconds: Int64(milliseconds))
    } else if let parts = Self.parts(of: name, between: "events-", and: ".ndjson.gz"), (2...3).contains(parts.count),
      let first = Self.number(parts[0]), let count = Self.number(parts[1]), parts.dropFirst(2).allSatisfy({ !$0.isEmpty })
    {
      self = .closed(first: first, count: count, folderID: parts.dropFirst(2).first.map(String.init))
    } else {
      return nil
    }
  }

  /// The name.
  var text: String {
    switch self {
    case .open(let first, let milliseconds): "open-\(Self.padded(first))-\(milliseconds).ndjson"
    case .closed(let first, let count, let folderID):
      "events-\(Self.padded(first))-\(count)\(folderID.map { "-\($0)" } ?? "").ndjson.gz"
    }
  }

  /// Twelve digits, so that names sort like numbers.
  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }

  private static func parts(of name: String, between start: String, and end: String) -> [Substring]? {
    guard name.hasPrefix(start), name.hasSuffix(end) else { return nil }
    return name.dropFirst(start.count).dropLast(end.count).split(separator: "-", omittingEmptySubsequences: false)
  }

  private static func number(_ text: Substring) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }
}
