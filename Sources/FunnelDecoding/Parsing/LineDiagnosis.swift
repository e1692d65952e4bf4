import FunnelModel

/// Composes the rejection of a line that is not a valid JSON object.
///
/// simdjson does not report the position of an error. Invalid lines are few, so a slower parser that tracks
/// positions parses them again.
enum LineDiagnosis {
  /// Returns the rejection for an error of ``LineParser``.
  static func reject(for error: LineError, line: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0))
    -> Rejection
  {
    switch error {
    case .invalidUTF8:
      return Rejection(
        .invalidUTF8, hasMarkOfUTF16(line) ? "the line is not UTF-8 but UTF-16, \(conversion)" : "the line is not UTF-8")
    case .notAnObject: return notAnObject(isArray: line.first { $0 > 0x20 } == UInt8(ascii: "["))
    case .tooDeep: return Rejection(.invalidJSON, "nested deeper than \(Limits.nestingLevelsMax) levels")
    case .tooManyKeys: return Rejection(.invalidField, "an object has more than \(Limits.objectKeysMax) keys")
    case .invalid, .duplicateKey, .loneSurrogate, .numberOutOfRange: break
    }
    if line.starts(with: [0xEF, 0xBB, 0xBF]) {
      return Rejection(.invalidJSON, "column 1: a byte order mark, which is allowed only at the beginning of a file")
    }
    // JSON contains no zero byte. In UTF-16, each ASCII letter has one.
    if let zero = line.firstIndex(of: 0) {
      return Rejection(.invalidJSON, "column \(zero + 1): a zero byte; if the file is UTF-16, \(conversion)")
    }
    do {
      let document = try JSONDocument(parsing: Array(line))
      return refuseNumbers(of: document)
    } catch {
      return Rejection(.invalidJSON, "column \(error.position.column): \(error.message.cutForMessage(200))")
    }
  }

  private static let conversion = "convert it with: iconv -f utf-16 -t utf-8"

  /// Whether a line begins with a byte order mark of UTF-16.
  private static func hasMarkOfUTF16(_ line: UnsafeRawBufferPointer) -> Bool {
    line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF])
  }

  private static func notAnObject(isArray: Bool) -> Rejection {
    Rejection(.notAnObject, "the line is JSON, but not an object\(isArray ? "; jq -c '.[]' makes a line of each element" : "")")
  }

  /// Returns the rejection of a line of valid JSON with a number that exceeds the range of 64-bit integers and doubles.
  private static func refuseNumbers(of document: JSONDocument) -> Rejection {
    guard document.root.object != nil else { return notAnObject(isArray: document.root.array != nil) }
    if case .number(let text) = document.root["ts"]?.value, Int64(text) == nil, !text.contains(where: { ".eE".contains($0) }) {
      return Rejection(.timestampOutOfRange, "ts is too large for a date")
    }
    return Rejection(.invalidField, "a number is too large for 64 bits")
  }
}

extension String {
  /// Returns the text, truncated to `lengthMax` code points and an ellipsis if it is longer.
  package func cutForMessage(_ lengthMax: Int) -> String {
    let head = unicodeScalars.prefix(lengthMax)
    return head.endIndex < unicodeScalars.endIndex ? String(String.UnicodeScalarView(head)) + "…" : self
  }
}
