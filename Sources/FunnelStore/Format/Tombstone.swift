import Crypto
import FunnelModel
import FunnelSystem

/// The record that a subject was forgotten: a line of `forgotten/dt=<day of the erasure>/part-….ndjson.gz`.
///
/// **Constraints.** Ingesting an old export again must not bring a forgotten subject back. Yet the store must keep
/// nothing that identifies the subject: no id, no number of events.
///
/// **Layout.** One line of exactly this form (no spaces, keys in this order; broken into several lines here for reading):
///
///     {"v":1,"at":"2026-11-21T12:00:00.000Z",
///      "salt":"<64 hexadecimal digits>",
///      "hash":"<64 hexadecimal digits: HMAC-SHA-256 (RFC 2104) of the subject's UTF-8, the 32 bytes of the salt being the key>"}
///
/// The salt is random, created at a store's first erasure and shared by all of its tombstones, so that one hash per
/// subject suffices to look it up among any number of them. A hash is meaningless in another store, or in this one
/// before its first erasure.
///
/// **Known downsides.** Anyone who has the store *and* a list of ids can test which of them were forgotten. So can
/// ingest, which is the purpose.
struct Tombstone {
  /// The time of the erasure.
  var at: Timestamp
  /// The key of the hash, 32 bytes.
  var salt: [UInt8]
  /// The hash of the subject, 32 bytes.
  var hash: [UInt8]

  /// The length of the salt.
  static let saltBytes = 32

  /// Returns the hash of a subject under a salt.
  static func hash(of subject: some Collection<UInt8>, salt: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(subject), using: SymmetricKey(data: salt)))
  }

  /// The encoded line, without its line feed.
  var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(
      text: "{\"v\":1,\"at\":\"\(at)\",\"salt\":\"\(Hexadecimal.text(of: salt))\",\"hash\":\"\(Hexadecimal.text(of: hash))\"}")
    return bytes
  }

  /// Parses a line. Returns `nil` if it does not have exactly this form.
  static func parse(_ line: ArraySlice<UInt8>) -> Tombstone? {
    var scanner = LineScanner(line)
    guard scanner.skip("{\"v\":1,\"at\":"), let at = scanner.timestamp(), scanner.skip(",\"salt\":\""),
      let salt = scanner.hash().flatMap({ Hexadecimal.bytes(of: $0.utf8) }), scanner.skip("\",\"hash\":\""),
      let hash = scanner.hash().flatMap({ Hexadecimal.bytes(of: $0.utf8) }), scanner.skip("\"}"), scanner.isAtEnd
    else { return nil }
    return Tombstone(at: at, salt: salt, hash: hash)
  }
}

extension RecordChecker {
  /// Returns the findings about the lines of a member in any area.
  func findings(about lines: [UInt8], in logFile: LogFileName) -> RecordFindings {
    // The checker checks the records of other modules. Tombstones are written by this one.
    logFile.area == .forgotten ? Tombstone.findings(about: lines, of: logFile.day) : check(lines, in: logFile)
  }
}

extension Tombstone {
  /// Returns the findings about lines that should be tombstones of a day.
  fileprivate static func findings(about lines: [UInt8], of day: CivilDate) -> RecordFindings {
    var findings = RecordFindings()
    for line in RecordLines(of: lines) {
      let (number, text) = (line.number, lines[line.text])
      guard let tombstone = parse(text), tombstone.line.elementsEqual(text) else {
        findings.complaints.append(.init(record: number, reason: "it is not a tombstone"))
        continue
      }
      if tombstone.at.day != day {
        findings.complaints.append(
          .init(record: number, reason: "it was made at \(tombstone.at), which does not belong to this day"))
      }
      findings.records.append(.init(number: number, timestamp: tombstone.at))
    }
    return findings
  }
}
