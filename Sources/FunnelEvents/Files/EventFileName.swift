/// The names of event files, in which the order of the events and their number can be read.
///
///     open-000000004711-1795168800000.ndjson      the `seq` of the first event, and when the file was opened, in milliseconds since 1970
///     events-000000004711-250.ndjson.gz           the `seq` of the first event, and the number of events
enum EventFileName: Hashable {
  case open(first: Int, milliseconds: Int64)
  case closed(first: Int, count: Int)

  /// Reads a name, or returns nil if it is of another file.
  init?(_ name: String) {
    if let (first, milliseconds) = Self.numbers(in: name, between: "open-", and: ".ndjson") {
      self = .open(first: first, milliseconds: Int64(milliseconds))
    } else if let (first, count) = Self.numbers(in: name, between: "events-", and: ".ndjson.gz") {
      self = .closed(first: first, count: count)
    } else {
      return nil
    }
  }

  /// The name.
  var text: String {
    switch self {
    case .open(let first, let milliseconds): "open-\(Self.padded(first))-\(milliseconds).ndjson"
    case .closed(let first, let count): "events-\(Self.padded(first))-\(count).ndjson.gz"
    }
  }

  /// Twelve digits, so that names sort like numbers.
  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }

  private static func numbers(in name: String, between start: String, and end: String) -> (Int, Int)? {
    guard name.hasPrefix(start), name.hasSuffix(end) else { return nil }
    let parts = name.dropFirst(start.count).dropLast(end.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]), let second = Int(parts[1]), first >= 0, second >= 0 else { return nil }
    return (first, second)
  }
}
