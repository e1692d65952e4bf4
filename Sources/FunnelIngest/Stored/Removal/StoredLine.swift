import FunnelModel

/// The head of a log record, read without parsing the rest: records have one form, `{"name":"…","ts":"…","subject":"…",…`.
struct StoredLine {
  /// The time of the event.
  var timestamp: Timestamp
  /// The range of the subject's text in the line, without the quotes.
  var subject: Range<Int>
  /// Whether that text contains escapes.
  var hasEscapes: Bool

  /// Parses the head of a line, or returns nil if the line does not have the form of a record.
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

  private static func end(of expected: StaticString, in line: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    let end = offset + expected.utf8CodeUnitCount
    guard end <= line.count else { return nil }
    let bytes = UnsafeRawBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
    return line[offset..<end].elementsEqual(bytes) ? end : nil
  }
}

/// Finds the ends of JSON strings.
enum JSONText {
  /// Returns the offset of the closing quote of the string whose text begins at an offset, or nil if there is none.
  @inline(__always)
  static func end(in line: UnsafeRawBufferPointer, from start: Int) -> (end: Int, hasEscapes: Bool)? {
    var from = start
    var hasEscapes = false
    while let quote = ByteSearch.offset(of: UInt8(ascii: "\""), in: line, from..<line.count) {
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
