import FunnelDecoding
import FunnelModel
import FunnelSystem

/// The records of a request, in lines that the decoder reads, and what the batch says of them.
struct ReceivedBatch {
  let dialect: Dialect
  /// The format of the lines.
  let format: ImportFormat
  /// The lines, in the order of the records.
  var records: RecordLines
  /// The time of sending that replaces those of the records, or `nil` if they keep theirs.
  var sentAt: Timestamp?
  /// The largest age in milliseconds of a time of sending by which the clock is corrected.
  var sentAgeMax = BatchReceipt.differenceMillisecondsMax
  /// Whether the client may cut times of sending to whole seconds.
  var isSentAtCut = false
  /// The answer to a batch that was taken.
  let answer: AnswerForm

  init(_ dialect: Dialect, _ format: ImportFormat, _ records: RecordLines, answer: AnswerForm) {
    self.dialect = dialect
    self.format = format
    self.records = records
    self.answer = answer
  }
}

/// The records of a batch. They become lines piece by piece, so that a large body is not in memory twice.
struct RecordLines {
  /// Some records as lines.
  struct Piece {
    /// The number of the piece's first record, from 0.
    let firstRecord: Int
    let bytes: [UInt8]
  }

  /// A record in the text.
  private struct Record {
    let start: UInt32
    let end: UInt32
    /// The index of the members that are added to it.
    let members: UInt32
  }

  /// The body, and what was made of it.
  private var text: [UInt8]
  private var records: [Record] = []
  /// The members that are added to records, in front of their own.
  private var members: [[UInt8]] = [[]]
  /// Whether the text has a record in each of its lines.
  private let isLines: Bool

  /// The size of a piece in bytes at which another one begins.
  private static let pieceBytesTarget = 1 << 20
  /// The number of records of a batch. Each one may become a dead letter.
  static let countMax = 1 << 20

  /// The number of records. Of a text that has a record in each line, blank lines count too.
  var count: Int {
    guard isLines else { return records.count }
    let lineBreaks = text.count { $0 == UInt8(ascii: "\n") }
    return text.last == UInt8(ascii: "\n") || text.isEmpty ? lineBreaks : lineBreaks + 1
  }

  /// Creates lines of a text that has a record in each line.
  ///
  /// - Throws: A refusal if there are too many.
  init(lines: [UInt8]) throws(CollectRefusal) {
    text = lines
    isLines = true
    guard lines.count(where: { $0 == UInt8(ascii: "\n") }) < Self.countMax else { throw .tooManyRecords }
  }

  /// Creates no lines of a text.
  init(of text: [UInt8]) {
    self.text = text
    isLines = false
  }

  /// Adds a record of the text.
  ///
  /// - Parameter members: Members that are added in front of those of the record, each followed by a comma.
  mutating func append(_ record: Range<Int>, adding members: [UInt8] = []) {
    if self.members.last != members { self.members.append(members) }
    records.append(
      Record(start: UInt32(record.lowerBound), end: UInt32(record.upperBound), members: UInt32(self.members.count - 1)))
  }

  /// Adds a record that is one line, without its line break.
  mutating func append(line: [UInt8]) {
    let start = text.count
    text += line
    append(start..<text.count)
  }

  /// Calls a closure with each piece and whether it is the last one, until the closure returns `false`.
  func forEachPiece(_ body: (Piece, _ isLast: Bool) -> Bool) {
    if isLines { forEachPieceOfLines(body) } else { forEachPieceOfRecords(body) }
  }

  private func forEachPieceOfRecords(_ body: (Piece, Bool) -> Bool) {
    var first = 0
    var bytes: [UInt8] = []
    for (index, record) in records.enumerated() {
      let range = Int(record.start)..<Int(record.end)
      bytes.appendRecord(text.span.extracting(range), adding: members[Int(record.members)])
      guard bytes.count >= Self.pieceBytesTarget, index + 1 < records.count else { continue }
      guard body(Piece(firstRecord: first, bytes: bytes), false) else { return }
      first = index + 1
      bytes = []
    }
    _ = body(Piece(firstRecord: first, bytes: bytes), true)
  }

  private func forEachPieceOfLines(_ body: (Piece, Bool) -> Bool) {
    var first = 0
    var start = 0
    repeat {
      var end = min(start + Self.pieceBytesTarget, text.count)
      while end < text.count, text[end - 1] != UInt8(ascii: "\n") { end += 1 }
      let bytes = Array(text[start..<end])
      guard body(Piece(firstRecord: first, bytes: bytes), end == text.count) else { return }
      first += bytes.count { $0 == UInt8(ascii: "\n") }
      start = end
    } while start < text.count
  }
}

extension CollectRefusal {
  /// The refusal of a batch with too many records.
  static var tooManyRecords: CollectRefusal { CollectRefusal(413, "the batch has more than \(RecordLines.countMax) records") }
}

extension [UInt8] {
  /// Appends a record as a line.
  fileprivate mutating func appendRecord(_ record: Span<UInt8>, adding members: [UInt8]) {
    var start = 0
    if !members.isEmpty, record.count > 1, record[0] == UInt8(ascii: "{") {
      append(UInt8(ascii: "{"))
      append(contentsOf: members)
      start = 1
      var next = 1
      while next < record.count, record[next] <= 0x20 { next += 1 }
      // The record has no members of its own.
      if next < record.count, record[next] == UInt8(ascii: "}") { removeLast() }
    }
    appendOnOneLine(record.extracting(start..<record.count))
    append(UInt8(ascii: "\n"))
  }

  /// Appends JSON without line breaks. One in a string, where none may be, becomes another character that may not be there.
  private mutating func appendOnOneLine(_ text: Span<UInt8>) {
    let first = count
    for index in text.indices { append(text[unchecked: index]) }
    var isString = false
    var index = first
    guard self[first...].contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else { return }
    while index < count {
      switch self[index] {
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "\\") where isString: index += 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): self[index] = isString ? 0x01 : UInt8(ascii: " ")
      default: break
      }
      index += 1
    }
  }
}

/// The members that a batch adds to each of its records, under ``ImportMapping/envelopeKey``.
struct BatchMembers {
  private var text: [UInt8] = []

  /// Adds a value as it stands in a text.
  mutating func add(_ key: String, _ value: Range<Int>, of text: Span<UInt8>) {
    append(key)
    for index in value { self.text.append(text[index]) }
  }

  /// Adds a time.
  mutating func add(_ key: String, _ time: Timestamp) {
    append(key)
    text.appendDecimal(time.milliseconds)
  }

  private mutating func append(_ key: String) {
    if !text.isEmpty { text.append(UInt8(ascii: ",")) }
    text.appendJSONString(key)
    text.append(UInt8(ascii: ":"))
  }

  /// The members in front of a record's own, or no bytes if there are none.
  var bytes: [UInt8] {
    text.isEmpty ? [] : Self.prefix + text + Array("},".utf8)
  }

  private static let prefix = Array(#"{"\#(ImportMapping.envelopeKey)":{"#.utf8).dropFirst()

  /// Returns the record without the members that a batch added.
  static func removed(from record: [UInt8]) -> [UInt8] {
    guard record.dropFirst().starts(with: prefix), let end = record.firstIndex(of: UInt8(ascii: "}")) else { return record }
    let rest = record[(end + 1)...]
    return [UInt8(ascii: "{")] + (rest.first == UInt8(ascii: ",") ? rest.dropFirst() : rest)
  }
}

/// A part of a body, for reading values that a batch has besides its records.
struct BodyText: ~Escapable {
  let text: Span<UInt8>
  let outline: JSONOutline

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, _ outline: JSONOutline) {
    self.text = text
    self.outline = outline
  }

  /// Reads the body as JSON.
  ///
  /// - Throws: A refusal if it is cut or no JSON.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>) throws(CollectRefusal) {
    guard let outline = JSONOutline(text) else { throw .notABatch("the body is not JSON, or is cut") }
    self.init(text, outline)
  }

  /// Returns the value of a member, or `nil` if there is none.
  func value(_ key: String) -> Range<Int>? { outline.value(key, in: text) }

  /// Returns the elements of the array at a member, or `nil` if there is no such array.
  ///
  /// - Throws: A refusal if there are too many.
  func elements(_ key: String) throws(CollectRefusal) -> [Range<Int>]? {
    guard let value = value(key), let array = JSONOutline(text, in: value), case .array(let elements) = array.root else {
      return nil
    }
    guard elements.count <= RecordLines.countMax else { throw .tooManyRecords }
    return elements
  }

  /// Returns the node of a member, or `nil` if there is none or it is invalid.
  func node(_ key: String) -> JSONDocument.Node? { value(key).flatMap { node(in: $0) } }

  /// Returns the node in a range, or `nil` if it is invalid.
  func node(in range: Range<Int>) -> JSONDocument.Node? {
    try? JSONDocument(parsing: [UInt8](copying: text.extracting(range))).root
  }

  /// Returns the text of a string in a record, by its keys from the root, or `nil` if there is none. The record's other values may be
  /// invalid.
  static func string(_ keys: String..., in record: Range<Int>, of text: Span<UInt8>) -> String? {
    var range = record
    for key in keys {
      guard let value = JSONOutline(text, in: range)?.value(key, in: text) else { return nil }
      range = value
    }
    return (try? JSONDocument(parsing: [UInt8](copying: text.extracting(range))))?.root.string
  }

  /// Returns the text of a member that is a string, or `nil` if there is none.
  func string(_ key: String) -> String? { node(key)?.string }
}
