import Crypto
import FunnelModel

/// What is left of somebody who was forgotten: a line of `forgotten/dt=<day of the erasure>/part-….ndjson.gz`.
///
/// **Constraints.** An old export that is ingested again must not bring somebody back who was forgotten. Yet nothing may be kept that says
/// who that was: no id, no number of events.
///
/// **Layout.** One line of exactly this form (no spaces, keys in this order; broken here to be read):
///
///     {"v":1,"at":"2026-11-21T12:00:00.000Z",
///      "salt":"<64 hexadecimal digits>",
///      "hash":"<64 hexadecimal digits: HMAC-SHA-256 (RFC 2104) of the subject's UTF-8, the 32 bytes of the salt being the key>"}
///
/// The salt is random, made at a store's first erasure and shared by all of its tombstones, so that a subject is hashed once to be found
/// among any number of them. Of another store, or before the first erasure, a hash says nothing.
///
/// **Known downsides.** Who has the store *and* a list of ids can test which of the list were forgotten: so can ingest, which is the point.
struct Tombstone {
  var at: Timestamp
  var salt: [UInt8]
  var hash: [UInt8]

  /// The hash of a subject.
  static func hash(of subject: UnsafeRawBufferPointer, salt: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: subject, using: SymmetricKey(data: salt)))
  }

  /// The line, without its line feed.
  var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(
      text: "{\"v\":1,\"at\":\"\(at)\",\"salt\":\"\(Hexadecimal.text(of: salt))\",\"hash\":\"\(Hexadecimal.text(of: hash))\"}")
    return bytes
  }

  /// Reads a line; nil where it is not exactly of the form.
  static func parse(_ line: ArraySlice<UInt8>) -> Tombstone? {
    var scanner = LineScanner(line)
    guard scanner.skip("{\"v\":1,\"at\":"), let at = scanner.timestamp(), scanner.skip(",\"salt\":\""),
      let salt = scanner.hash().flatMap({ Hexadecimal.bytes(of: $0.utf8) }), scanner.skip("\",\"hash\":\""),
      let hash = scanner.hash().flatMap({ Hexadecimal.bytes(of: $0.utf8) }), scanner.skip("\"}"), scanner.isAtEnd
    else { return nil }
    return Tombstone(at: at, salt: salt, hash: hash)
  }
}
