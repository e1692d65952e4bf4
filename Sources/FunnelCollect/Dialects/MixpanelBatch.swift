import FunnelModel
import FunnelSystem

// Mixpanel's clients.
extension BatchReader {
  /// Reads an array of events, one event, or events one a line.
  ///
  /// - Parameter isImport: Whether the path is that of imports, which has an answer of its own.
  func readMixpanel(isImport: Bool) throws(CollectRefusal) -> Result {
    let (text, form) = try formBody(request.body)
    let records = try Self.records(of: text.span)
    guard records.count <= RecordLines.countMax else { throw .tooManyRecords }
    let access = try authorized([records.first.flatMap { BodyText.string("properties", "token", in: $0, of: text.span) }])
    let isVerbose = (form + request.query).contains { $0.name == "verbose" && $0.value == "1" }
    let answer: AnswerForm
    if isVerbose {
      answer = .mixpanelVerbose
    } else if isImport {
      answer = .mixpanelImport(ids: records.map { Self.node(in: $0, of: text.span)?["properties"]?["$insert_id"]?.string })
    } else {
      answer = .mixpanel
    }
    var batch = ReceivedBatch(.mixpanel, .mixpanel, RecordLines(of: text), answer: answer)
    var members = BatchMembers()
    members.add("received_at", request.receivedAt)
    let common = members.bytes
    for record in records { batch.records.append(record, adding: common) }
    return (batch, access)
  }

  private static func records(of text: Span<UInt8>) throws(CollectRefusal) -> [Range<Int>] {
    if let outline = JSONOutline(text) {
      switch outline.root {
      case .array(let elements): return elements
      case .object: return [outline.range]
      case .scalar: throw .notABatch("the body is neither an object nor an array")
      }
    }
    var records: [Range<Int>] = []
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      if !(start..<end).allSatisfy({ text[$0] <= 0x20 }) {
        guard let outline = JSONOutline(text, in: start..<end), case .object = outline.root else {
          throw .notABatch("the body is neither JSON nor lines of JSON, or is cut")
        }
        records.append(outline.range)
      }
      start = end + 1
    }
    guard !records.isEmpty else { throw .notABatch("the body is empty") }
    return records
  }

  private static func node(in record: Range<Int>, of text: Span<UInt8>) -> JSONDocument.Node? {
    try? JSONDocument(parsing: [UInt8](copying: text.extracting(record))).root
  }
}
