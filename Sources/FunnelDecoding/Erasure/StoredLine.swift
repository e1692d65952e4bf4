import FunnelModel
import FunnelSystem

/// The time, the subject and the user of a log record, found without parsing the whole record.
///
/// Canonical records begin with the same fields: `{"name":"…","ts":"…","subject":"…",…`. The user, if there is one, follows
/// the subject.
struct StoredLine {
  /// The text of a string in the line.
  private struct Text {
    /// The range in the line, without the quotes.
    let range: Range<Int>
    /// Whether the text contains escapes.
    let hasEscapes: Bool

    /// Finds the text that begins at an offset, after the opening quote. Returns `nil` if it does not end.
    init?(in line: Span<UInt8>, from start: Int) {
      guard let end = JSONText.end(in: line, from: start) else { return nil }
      range = start..<end.offset
      hasEscapes = end.hasEscapes
    }

    /// Calls a closure with the text, its escapes decoded.
    func decoded<Result>(in line: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
      let text = line.extracting(range)
      return hasEscapes ? body(JSONEscapes.removed(from: text).span) : body(text)
    }
  }

  /// The time of the event.
  let timestamp: Timestamp
  private let subject: Text
  private let user: Text?

  /// Parses the beginning of a line, or returns `nil` if the line does not have the form of a record.
  init?(_ line: Span<UInt8>) {
    guard let name = Self.end(of: "{\"name\":\"", in: line, at: 0),
      let nameEnd = line.firstIndex(of: Byte.quote, from: name),
      let time = Self.end(of: "\",\"ts\":\"", in: line, at: nameEnd),
      let timeEnd = line.firstIndex(of: Byte.quote, from: time),
      let timestamp = Timestamp(rfc3339: line.extracting(time..<timeEnd)),
      let subjectStart = Self.end(of: "\",\"subject\":\"", in: line, at: timeEnd),
      let subject = Text(in: line, from: subjectStart)
    else { return nil }
    self.timestamp = timestamp
    self.subject = subject
    user = Self.end(of: "\",\"user\":\"", in: line, at: subject.range.upperBound).flatMap { Text(in: line, from: $0) }
  }

  /// Calls a closure with the subject of the line, its escapes decoded.
  ///
  /// - Parameter line: The line from which this was parsed.
  func withSubject<Result>(of line: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
    subject.decoded(in: line, body)
  }

  /// Calls a closure with the user of the line, its escapes decoded, and returns its result. Returns `nil` if the line has
  /// no user.
  ///
  /// - Parameter line: The line from which this was parsed.
  func withUser<Result>(of line: Span<UInt8>, _ body: (Span<UInt8>) -> Result?) -> Result? {
    user.flatMap { $0.decoded(in: line, body) }
  }

  /// Returns the end offset of an expected text at an offset, or `nil` if the line contains another text there.
  private static func end(of expected: StaticString, in line: Span<UInt8>, at offset: Int) -> Int? {
    let end = offset + expected.utf8CodeUnitCount
    guard end <= line.count else { return nil }
    return line.extracting(offset..<end).isEqual(to: expected) ? end : nil
  }
}
