import FunnelModel

/// The sentence about a line that is no JSON object.
///
/// simdjson says that a line is wrong, not where. Wrong lines are few, so they are read once more by the reader that keeps positions.
enum LineDiagnosis {
  static func reject(for error: LineError, line: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0))
    -> Reject
  {
    switch error {
    case .invalidUTF8: return Reject(.invalidUTF8, "the line is not UTF-8")
    case .notAnObject: return Reject(.notAnObject, "the line is JSON, but not an object")
    case .tooDeep: return Reject(.invalidJSON, "nested deeper than \(Limits.nestingLevelsMax) levels")
    case .tooManyKeys: return Reject(.invalidField, "an object has more than \(Limits.objectKeysMax) keys")
    case .invalid, .duplicateKey, .loneSurrogate, .numberOutOfRange: break
    }
    if line.starts(with: [0xEF, 0xBB, 0xBF]) {
      return Reject(.invalidJSON, "column 1: a byte order mark stands here, it may only begin a file")
    }
    do {
      let document = try JSONDocument(parsing: Array(line))
      return refuseNumbers(of: document)
    } catch {
      return Reject(.invalidJSON, "column \(error.position.column): \(error.message.cutForMessage(200))")
    }
  }

  /// The line is JSON, but a number in it is beyond 64-bit integers and doubles.
  private static func refuseNumbers(of document: JSONDocument) -> Reject {
    guard document.root.object != nil else { return Reject(.notAnObject, "the line is JSON, but not an object") }
    if case .number(let text) = document.root["ts"]?.value, Int64(text) == nil, !text.contains(where: { ".eE".contains($0) }) {
      return Reject(.timestampOutOfRange, "ts is beyond all calendars")
    }
    return Reject(.invalidField, "a number is too large for 64 bits")
  }
}

extension String {
  /// The text, cut to so many code points where it is longer: a key may be as long as a line.
  func cutForMessage(_ lengthMax: Int) -> String {
    let head = unicodeScalars.prefix(lengthMax)
    return head.endIndex < unicodeScalars.endIndex ? String(String.UnicodeScalarView(head)) + "…" : self
  }
}
