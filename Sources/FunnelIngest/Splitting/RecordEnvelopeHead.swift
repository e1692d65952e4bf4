import FunnelDecoding
import FunnelModel

/// The beginning of an envelope: an object around one array of records, such as a page of an API, up to the first record.
///
/// ```json
/// {"next": null, "results": [{"event": "opened"}, {"event": "closed"}]}
/// ```
struct RecordEnvelopeHead {
  /// The offset of the first byte after the bracket that opens the array.
  let end: Int
  /// The number of objects around the array.
  let depth: Int
  /// The scalars before the array, as members of a JSON object without its braces.
  let members: [UInt8]

  /// The result of looking for an envelope.
  enum Search {
    /// The text begins with an envelope.
    case found(RecordEnvelopeHead)
    /// The text begins with something else.
    case none
    /// More bytes are needed.
    case undecided
  }

  /// The keys of arrays that hold records in the interfaces of products.
  private static let recordKeys: Set<String> = ["batch", "events", "results", "logEvents", "Records", "records", "hits"]
  /// The keys of arrays that hold records, or parts of one record, such as the items of an order. Only records have times.
  private static let commonKeys: Set<String> = ["data", "messages", "items", "rows", "entries", "value"]
  /// Keys that events have, and envelopes do not.
  private static let eventKeys: Set<String> = ["event", "event_name", "event_type", "specversion", "subject", "distinct_id"]
  /// The maximum depth of the array. Deeper ones are parts of records.
  private static let levelsMax = 4

  /// Looks for an envelope at the beginning of a text.
  ///
  /// - Parameters:
  ///   - text: The text, or the bytes of it that were read.
  ///   - path: The path of the array, or `nil` if any array of objects may hold the records.
  static func find(in text: Span<UInt8>, path: ImportedPath?) -> Search {
    var scanner = Scanner(text: text)
    scanner.skipSpace()
    guard let first = scanner.next else { return .undecided }
    guard first == Byte.openBrace else { return .none }
    var keys: [String] = []
    var members: [UInt8] = []
    while true {
      switch scanner.step() {
      case .needsMore: return .undecided
      case .invalid, .end: return .none
      case .scalar(let keyPath, let range):
        if keyPath.count == 1 { keys.append(keyPath[0]) }
        append(keyPath, text.extracting(range), to: &members)
      case .array(let keyPath, let start):
        if let path {
          if path.keys == keyPath { return .found(RecordEnvelopeHead(end: start, depth: keyPath.count, members: members)) }
        } else {
          switch recordEvidence(keyPath, after: keys, first: text.extracting(droppingFirst: start)) {
          case .found: return .found(RecordEnvelopeHead(end: start, depth: keyPath.count, members: members))
          case .none: return .none
          case .undecided: return .undecided
          }
        }
        guard scanner.skipArray() else { return .undecided }
      }
    }
  }

  /// Whether an array of objects holds records.
  private enum RecordEvidence {
    case found, none, undecided
  }

  /// Returns whether an array of objects holds records, given the keys before it and the text of its elements.
  private static func recordEvidence(_ path: [String], after keys: [String], first elements: Span<UInt8>) -> RecordEvidence {
    guard let key = path.last, path.count <= levelsMax, eventKeys.isDisjoint(with: keys) else { return .none }
    if recordKeys.contains(key) { return .found }
    // XML that became JSON has the elements one level deeper: `{"events": {"event": […]}}`.
    let isInRecords = path.count > 1 && recordKeys.contains(path[path.count - 2])
    guard commonKeys.contains(key) || isInRecords else { return .none }
    var scanner = Scanner(text: elements)
    while true {
      switch scanner.step() {
      case .scalar(let path, let range):
        if hasTime(key: path[path.count - 1], elements.extracting(range)) { return .found }
      case .array: guard scanner.skipArray() else { return .undecided }
      case .end, .invalid: return .none
      case .needsMore: return .undecided
      }
    }
  }

  /// Returns whether a member of an object is a time, by its key or as a text that begins with a date.
  private static func hasTime(key: String, _ value: Span<UInt8>) -> Bool {
    let key = key.lowercased()
    if key == "ts" || key == "created" || key.contains("time") || key.contains("date") || key.hasSuffix("_at") { return true }
    guard value.count > 10, value[0] == Byte.quote, value[5] == UInt8(ascii: "-"), value[8] == UInt8(ascii: "-") else {
      return false
    }
    for index in [1, 2, 3, 4, 6, 7, 9, 10] where !value[index].isASCIIDigit { return false }
    return true
  }

  private static func append(_ path: [String], _ value: Span<UInt8>, to members: inout [UInt8]) {
    if !members.isEmpty { members.append(Byte.comma) }
    members.appendJSONString(path.joined(separator: "."))
    members.append(Byte.colon)
    for index in value.indices { members.append(value[index]) }
  }

  /// Reads the members of nested objects, one after another.
  private struct Scanner: ~Escapable {
    let text: Span<UInt8>
    private var index = 0
    /// The keys from the root to the open object.
    private var path: [String] = []
    private var isInObject = false

    enum Step {
      /// A scalar, with the range of its text.
      case scalar(path: [String], Range<Int>)
      /// An array whose first element is an object, with the offset after its bracket.
      case array(path: [String], start: Int)
      case end, invalid, needsMore
    }

    @_lifetime(copy text)
    init(text: Span<UInt8>) { self.text = text }

    var next: UInt8? { index < text.count ? text[index] : nil }

    @_lifetime(self: copy self)
    mutating func skipSpace() {
      while index < text.count, text[index] <= Byte.space { index += 1 }
    }

    /// Reads the next member that is a scalar or an array of objects.
    @_lifetime(self: copy self)
    mutating func step() -> Step {
      while true {
        skipSpace()
        guard let byte = next else { return .needsMore }
        switch byte {
        case Byte.openBrace where !isInObject:
          isInObject = true
          index += 1
        case Byte.comma: index += 1
        case Byte.closeBrace:
          index += 1
          if path.isEmpty { return .end }
          path.removeLast()
        case Byte.quote:
          if let step = member() { return step }
        default: return .invalid
        }
      }
    }

    /// Reads a member. Returns `nil` if its value is an object, whose members follow, or an array of scalars.
    @_lifetime(self: copy self)
    private mutating func member() -> Step? {
      let start = index
      guard skipString() else { return .needsMore }
      let key = key(start..<index)
      skipSpace()
      guard let colon = next else { return .needsMore }
      guard colon == Byte.colon else { return .invalid }
      index += 1
      skipSpace()
      guard let first = next else { return .needsMore }
      switch first {
      case Byte.openBrace:
        index += 1
        path.append(key)
        return nil
      case Byte.openBracket:
        let bracket = index
        index += 1
        skipSpace()
        guard let element = next else { return .needsMore }
        index = bracket
        if element == Byte.openBrace { return .array(path: path + [key], start: bracket + 1) }
        return skipArray() ? nil : .needsMore
      default:
        let valueStart = index
        guard skipScalar() else { return .needsMore }
        return .scalar(path: path + [key], valueStart..<index)
      }
    }

    private func key(_ range: Range<Int>) -> String {
      let bytes = text.extracting(range.lowerBound + 1..<range.upperBound - 1)
      return bytes.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Skips a string. Returns `false` if its end is not in the text.
    @_lifetime(self: copy self)
    private mutating func skipString() -> Bool {
      index += 1
      while index < text.count {
        let byte = text[index]
        index += byte == Byte.backslash ? 2 : 1
        if byte == Byte.quote { return true }
      }
      return false
    }

    @_lifetime(self: copy self)
    private mutating func skipScalar() -> Bool {
      if text[index] == Byte.quote { return skipString() }
      while index < text.count, text[index] > Byte.space, text[index] != Byte.comma, text[index] != Byte.closeBrace {
        index += 1
      }
      return index < text.count
    }

    /// Skips an array from its bracket on. Returns `false` if its end is not in the text.
    @_lifetime(self: copy self)
    mutating func skipArray() -> Bool {
      var depth = 0
      while index < text.count {
        switch text[index] {
        case Byte.quote:
          guard skipString() else { return false }
          continue
        case Byte.openBracket, Byte.openBrace: depth += 1
        case Byte.closeBrace, UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 {
            index += 1
            return true
          }
        default: break
        }
        index += 1
      }
      return false
    }
  }
}
