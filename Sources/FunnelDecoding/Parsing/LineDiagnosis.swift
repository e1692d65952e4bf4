import FunnelModel
import FunnelSystem

/// Composes the rejection of a line that is not a valid JSON object.
///
/// simdjson does not report the position of an error. Invalid lines are few, so a slower parser that tracks
/// positions parses them again.
enum LineDiagnosis {
  /// Returns the rejection for an error of ``LineParser``.
  static func rejection(of line: Span<UInt8>, for error: LineError) -> Rejection {
    switch error {
    case .invalidUTF8:
      return Rejection(
        .invalidUTF8, hasMarkOfUTF16(line) ? "the line is not UTF-8 but UTF-16, \(conversion)" : "the line is not UTF-8")
    case .notAnObject:
      let start = line.endOfPrefix(from: 0) { $0 <= 0x20 }
      return notAnObject(isArray: start < line.count && line[start] == Byte.openBracket)
    case .tooDeep: return Rejection(.invalidJSON, "nested deeper than \(Limits.nestingLevelsMax) levels")
    case .tooManyKeys: return tooManyKeys
    case .invalid, .duplicateKey, .loneSurrogate, .numberOutOfRange: break
    }
    if begins(line, with: [0xEF, 0xBB, 0xBF]) {
      return Rejection(.invalidJSON, "column 1: a byte order mark, which is allowed only at the beginning of a file")
    }
    // JSON contains no zero byte. In UTF-16, each ASCII letter has one.
    if let zero = line.firstIndex(of: 0, from: 0) {
      return Rejection(.invalidJSON, "column \(zero + 1): a zero byte; if the file is UTF-16, \(conversion)")
    }
    do {
      let document = try JSONDocument(parsing: Array(copying: line))
      return hugeNumber(in: document)
    } catch {
      return Rejection(.invalidJSON, "column \(error.position.column): \(error.message.cutForMessage(200))")
    }
  }

  private static let conversion = "convert it with: iconv -f utf-16 -t utf-8"

  /// The rejection of an event with too many keys in an object.
  static var tooManyKeys: Rejection {
    Rejection(.invalidField, "an object has more than \(Limits.objectKeysMax) keys")
  }

  /// Whether a line begins with a byte order mark of UTF-16.
  private static func hasMarkOfUTF16(_ line: Span<UInt8>) -> Bool {
    begins(line, with: [0xFF, 0xFE]) || begins(line, with: [0xFE, 0xFF])
  }

  private static func begins(_ line: Span<UInt8>, with mark: [UInt8]) -> Bool {
    line.count >= mark.count && mark.indices.allSatisfy { line[$0] == mark[$0] }
  }

  private static func notAnObject(isArray: Bool) -> Rejection {
    Rejection(.notAnObject, "the line is JSON, but not an object\(isArray ? "; jq -c '.[]' makes a line of each element" : "")")
  }

  /// Returns the rejection of a line of valid JSON with a number that exceeds the range of 64-bit integers and doubles.
  private static func hugeNumber(in document: JSONDocument) -> Rejection {
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
