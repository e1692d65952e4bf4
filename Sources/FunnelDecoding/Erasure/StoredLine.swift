import FunnelModel

/// The time and the subject of a log record, found without parsing the whole record.
///
/// Canonical records begin with the same fields: `{"name":"…","ts":"…","subject":"…",…`.
struct StoredLine {
  /// The time of the event.
  var timestamp: Timestamp
  /// The range of the subject's text in the line, without the quotes.
  var subject: Range<Int>
  /// Whether that text contains escapes.
  var hasEscapes: Bool

  /// Parses the beginning of a line, or returns `nil` if the line does not have the form of a record.
  init?(_ line: UnsafeRawBufferPointer) {
    guard let name = Self.end(of: "{\"name\":\"", in: line, at: 0),
      let nameEnd = ByteSearch.offset(of: UInt8(ascii: "\""), in: line, name..<line.count),
      let time = Self.end(of: "\",\"ts\":\"", in: line, at: nameEnd),
      let timeEnd = ByteSearch.offset(of: UInt8(ascii: "\""), in: line, time..<line.count),
      let timestamp = Timestamp(rfc3339: UnsafeRawBufferPointer(rebasing: line[time..<timeEnd])),
      let subject = Self.end(of: "\",\"subject\":\"", in: line, at: timeEnd),
      let text = JSONText.end(in: line, from: subject)
    else { return nil }
    self.timestamp = timestamp
    self.subject = subject..<text.end
    hasEscapes = text.hasEscapes
  }

  /// Returns the end offset of an expected text at an offset, or `nil` if the line contains another text there.
  private static func end(of expected: StaticString, in line: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    let end = offset + expected.utf8CodeUnitCount
    guard end <= line.count else { return nil }
    let bytes = UnsafeRawBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
    return line[offset..<end].elementsEqual(bytes) ? end : nil
  }
}

/// Finds the ends of JSON strings.
enum JSONText {
  /// Returns the offset of a string's closing quote, and whether the string contains escapes, or `nil` if there
  /// is no closing quote.
  ///
  /// - Parameter start: The offset after the opening quote.
  @inline(__always)
  static func end(in line: UnsafeRawBufferPointer, from start: Int) -> (end: Int, hasEscapes: Bool)? {
    var from = start
    var hasEscapes = false
    while let quote = ByteSearch.offset(of: UInt8(ascii: "\""), in: line, from..<line.count) {
      // A quote after an odd number of backslashes is escaped.
      var first = quote
      while first > start, line[first - 1] == UInt8(ascii: "\\") { first -= 1 }
      if first < quote { hasEscapes = true }
      if (quote - first) % 2 == 0 {
        if !hasEscapes { hasEscapes = ByteSearch.offset(of: UInt8(ascii: "\\"), in: line, start..<quote) != nil }
        return (quote, hasEscapes)
      }
      from = quote + 1
    }
    return nil
  }
}
