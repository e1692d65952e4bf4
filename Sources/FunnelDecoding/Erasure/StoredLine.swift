import FunnelModel
import FunnelSystem

/// The time and the subject of a log record, found without parsing the whole record.
///
/// Canonical records begin with the same fields: `{"name":"…","ts":"…","subject":"…",…`.
struct StoredLine {
  /// The time of the event.
  let timestamp: Timestamp
  /// The range of the subject's text in the line, without the quotes.
  private let subjectRange: Range<Int>
  /// Whether that text contains escapes.
  private let hasEscapes: Bool

  /// Parses the beginning of a line, or returns `nil` if the line does not have the form of a record.
  init?(_ line: Span<UInt8>) {
    guard let name = Self.end(of: "{\"name\":\"", in: line, at: 0),
      let nameEnd = line.firstIndex(of: Byte.quote, from: name),
      let time = Self.end(of: "\",\"ts\":\"", in: line, at: nameEnd),
      let timeEnd = line.firstIndex(of: Byte.quote, from: time),
      let timestamp = Timestamp(rfc3339: line.extracting(time..<timeEnd)),
      let subject = Self.end(of: "\",\"subject\":\"", in: line, at: timeEnd),
      let end = JSONText.end(in: line, from: subject)
    else { return nil }
    self.timestamp = timestamp
    subjectRange = subject..<end.offset
    hasEscapes = end.hasEscapes
  }

  /// Calls a closure with the subject of the line, its escapes decoded.
  ///
  /// - Parameter line: The line from which this was parsed.
  func withSubject<Result>(of line: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
    let text = line.extracting(subjectRange)
    return hasEscapes ? body(JSONEscapes.removed(from: text).span) : body(text)
  }

  /// Returns the end offset of an expected text at an offset, or `nil` if the line contains another text there.
  private static func end(of expected: StaticString, in line: Span<UInt8>, at offset: Int) -> Int? {
    let end = offset + expected.utf8CodeUnitCount
    guard end <= line.count else { return nil }
    return line.extracting(offset..<end).isEqual(to: expected) ? end : nil
  }
}
