package import FunnelModel

/// A rejected line in the folder `rejected/` of a store: its origin, the reason for the rejection, and the line itself.
///
/// A dead letter can be retried after the schema or the tool was corrected.
package struct DeadLetter: Hashable, Sendable {
  /// The file that contained the line, or `-` for standard input.
  package var file: String
  /// The line number, from 1.
  package var line: Int
  /// The byte offset of the line in the file. In a gzip file, the offset in the inflated text.
  package var byteOffset: Int
  /// The reason for the rejection.
  package var reason: RejectionReason
  /// A human-readable sentence.
  package var message: String
  /// The line without its line break, or only its beginning if the line is too long.
  package var raw: [UInt8]
  /// The length of the whole line, in bytes.
  package var rawByteCount: Int
  /// Whether values in ``raw`` are masked that an event would have. Such a line can't be replayed.
  package var isMasked: Bool
  /// The app that the ingest assigned to events without an app, or `nil` if it assigned none.
  package var defaultApp: String?
  /// The format of the record.
  package var format = ImportFormat.native
  /// The header of the CSV file that contained the record, or `nil` for any other format.
  package var header: [UInt8]?
  /// Whether values in ``raw`` are masked that no event would have, such as the IP address in a vendor's record. Such a line
  /// can be replayed.
  package var isLeftOutMasked = false

  /// Whether ``raw`` contains the whole line, with all values of an event unmodified.
  package var isReplayable: Bool { !isMasked && (isLeftOutMasked || raw.count == rawByteCount) && !reason.isDamage }
}

extension DeadLetter {
  /// Appends the dead letter as one line of JSON.
  ///
  /// - Parameter time: The time of the ingest.
  package func appendJSON(at time: Timestamp, to bytes: inout [UInt8]) {
    bytes.append(text: "{\"v\":1,\"at\":\"")
    time.append(to: &bytes)
    bytes.append(text: "\",\"file\":")
    bytes.appendJSONString(file)
    bytes.append(text: ",\"line\":")
    bytes.appendDecimal(Int64(line))
    bytes.append(text: ",\"offset\":")
    bytes.appendDecimal(Int64(byteOffset))
    bytes.append(text: ",\"reason\":\"\(reason.rawValue)\",\"message\":")
    bytes.appendJSONString(message)
    if String(validUTF8: raw) != nil {
      bytes.append(text: ",\"raw\":")
      raw.withUnsafeBytes { bytes.appendJSONString(utf8: $0) }
    } else {
      bytes.append(text: ",\"raw_base64\":\"")
      bytes.appendBase64(raw)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(text: ",\"raw_bytes\":")
    bytes.appendDecimal(Int64(rawByteCount))
    if raw.count < rawByteCount, !isMasked, !isLeftOutMasked { bytes.append(text: ",\"truncated\":true") }
    if let defaultApp {
      bytes.append(text: ",\"app\":")
      bytes.appendJSONString(defaultApp)
    }
    if isMasked { bytes.append(text: ",\"masked\":true") }
    if format != .native { bytes.append(text: ",\"format\":\"\(format.rawValue)\"") }
    if let header {
      bytes.append(text: ",\"header\":")
      bytes.appendJSONString(String(decoding: header, as: UTF8.self))
    }
    if isLeftOutMasked { bytes.append(text: ",\"left_out_masked\":true") }
    bytes.append(text: "}\n")
  }

  /// Returns a dead letter and the time of its ingest, or `nil` if the line is not a dead letter.
  package static func parse(_ line: [UInt8]) -> (letter: DeadLetter, time: Timestamp)? {
    guard let root = try? JSONDocument(parsing: line).root,
      let time = root["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      let file = root["file"]?.string, let number = root["line"]?.integer, let offset = root["offset"]?.integer,
      let reason = root["reason"]?.string.flatMap(RejectionReason.init(rawValue:)), let message = root["message"]?.string,
      let raw = root["raw"]?.string.map({ Array($0.utf8) }) ?? root["raw_base64"]?.string.flatMap([UInt8].init(base64:)),
      let rawByteCount = root["raw_bytes"]?.integer
    else { return nil }
    var letter = DeadLetter(
      file: file, line: Int(number), byteOffset: Int(offset), reason: reason, message: message, raw: raw,
      rawByteCount: Int(rawByteCount), isMasked: root["masked"]?.bool ?? false, defaultApp: root["app"]?.string)
    letter.format = root["format"]?.string.flatMap(ImportFormat.init(rawValue:)) ?? .native
    letter.header = root["header"]?.string.map { Array($0.utf8) }
    letter.isLeftOutMasked = root["left_out_masked"]?.bool ?? false
    return (letter, time)
  }

  /// The hash of the line and its origin. A line is stored once, however often it is rejected.
  package var identity: Hash128 {
    var hasher = SipHasher()
    hasher.combine(Array(file.utf8).span)
    hasher.combine(UInt64(bitPattern: Int64(line)))
    hasher.combine(UInt64(bitPattern: Int64(byteOffset)))
    hasher.combine(raw.span)
    return hasher.finish()
  }
}
