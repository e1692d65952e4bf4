import Crypto
import FunnelModel

/// The secret key with which the IDs of subjects are replaced by pseudonyms.
///
/// A pseudonym is `ps_` and 32 lower-case hexadecimal digits: the first 128 bits of the HMAC-SHA-256 (RFC 2104) of
/// the subject's UTF-8 under the key. Without the key nobody can compute the subject from the pseudonym, or the
/// pseudonym from a known subject. With the key pseudonyms can be computed, but not reversed.
///
/// A key's file holds its 32 bytes as 64 hexadecimal digits and a line feed.
package struct PseudonymKey: Sendable {
  private static let pseudonymPrefix = "ps_"
  /// The part of the HMAC that becomes the pseudonym: 128 bits.
  private static let codeBytes = 16
  /// The length of a pseudonym: the prefix, and two digits for each byte.
  private static let pseudonymBytes = pseudonymPrefix.utf8.count + 2 * codeBytes
  private static let keyBytes = 32
  /// The text whose HMAC identifies the key. It contains a line feed, which no subject does, so that no pseudonym
  /// equals the check.
  private static let checkText = Array("funnel: is this the key?\n".utf8)

  private let bytes: [UInt8]
  private let key: SymmetricKey

  /// Returns a new key from the system's random number generator.
  package static func random() -> PseudonymKey { PseudonymKey(bytes: .random(count: keyBytes)) }

  private init(bytes: [UInt8]) {
    precondition(bytes.count == Self.keyBytes, "a key has \(Self.keyBytes) bytes")
    self.bytes = bytes
    key = SymmetricKey(data: bytes)
  }

  /// Parses the contents of a key's file. Returns `nil` if they have another form.
  package init?(file contents: [UInt8]) {
    var digits = contents[...]
    while let last = digits.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { digits.removeLast() }
    guard let bytes = Hexadecimal.bytes(of: digits), bytes.count == Self.keyBytes else { return nil }
    self.init(bytes: bytes)
  }

  /// The contents of the key's file.
  var fileContents: [UInt8] { Array((Hexadecimal.text(of: bytes) + "\n").utf8) }

  /// A hash that identifies the key without revealing it, to detect that a wrong key is used.
  var check: String { digits(of: Self.checkText) }

  /// Returns whether a text has the form of a pseudonym.
  package static func isPseudonym(_ text: [UInt8]) -> Bool {
    text.count == pseudonymBytes && text.starts(with: pseudonymPrefix.utf8)
      && text.dropFirst(pseudonymPrefix.utf8.count).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// Returns the pseudonym of a subject.
  package func pseudonym(of subject: some Collection<UInt8>) -> [UInt8] {
    Array(Self.pseudonymPrefix.utf8) + digits(of: Array(subject)).utf8
  }

  /// Returns the digits of the first part of the HMAC of a text.
  private func digits(of text: [UInt8]) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
    return Hexadecimal.text(of: code.prefix(Self.codeBytes))
  }
}

extension [UInt8] {
  /// Returns bytes from the system's cryptographically secure random number generator.
  static func random(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
