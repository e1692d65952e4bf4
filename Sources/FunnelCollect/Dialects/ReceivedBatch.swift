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
  /// The answer to a batch that was taken.
  let answer: AnswerForm

  init(_ dialect: Dialect, _ format: ImportFormat, _ records: RecordLines = RecordLines(), answer: AnswerForm) {
    self.dialect = dialect
    self.format = format
    self.records = records
    self.answer = answer
  }
}

/// The records of a batch as lines, in pieces that are decoded one after another.
struct RecordLines {
  struct Piece {
    /// The number of the piece's first record, from 0.
    let firstRecord: Int
    var bytes: [UInt8]
  }

  private(set) var pieces: [Piece] = []
  /// The number of records.
  private(set) var count = 0

  /// The size of a piece in bytes at which another one begins.
  private static let pieceBytesTarget = 1 << 20

  /// Creates lines that are lines already.
  init(lines: [UInt8]) { pieces = [Piece(firstRecord: 0, bytes: lines)] }

  init() {}

  /// Adds a record of a text.
  ///
  /// - Parameter members: Members that are added in front of those of the record, each followed by a comma.
  mutating func append(_ record: Range<Int>, of text: Span<UInt8>, adding members: [UInt8] = []) {
    beginRecord()
    pieces[pieces.count - 1].bytes.appendRecord(text.extracting(record), adding: members)
  }

  /// Adds a record that is one line, without its line break.
  mutating func append(line: [UInt8]) {
    beginRecord()
    pieces[pieces.count - 1].bytes += line
    pieces[pieces.count - 1].bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func beginRecord() {
    let isFull = (pieces.last?.bytes.count ?? .max) >= Self.pieceBytesTarget
    if isFull { pieces.append(Piece(firstRecord: count, bytes: [])) }
    count += 1
  }
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
  func elements(_ key: String) -> [Range<Int>]? {
    guard let value = value(key), let array = JSONOutline(text, in: value), case .array(let elements) = array.root else {
      return nil
    }
    return elements
  }

  /// Returns the node of a member, or `nil` if there is none or it is invalid.
  func node(_ key: String) -> JSONDocument.Node? { value(key).flatMap { node(in: $0) } }

  /// Returns the node in a range, or `nil` if it is invalid.
  func node(in range: Range<Int>) -> JSONDocument.Node? {
    try? JSONDocument(parsing: [UInt8](copying: text.extracting(range))).root
  }

  /// Returns the text of a member that is a string, or `nil` if there is none.
  func string(_ key: String) -> String? { node(key)?.string }
}
