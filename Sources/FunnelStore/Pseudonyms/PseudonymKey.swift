import Crypto
import FunnelModel

/// The secret key with which the IDs of subjects are replaced by pseudonyms.
///
/// A pseudonym is `ps_` and 32 lower-case hexadecimal digits: the first 128 bits of the HMAC-SHA-256 (RFC 2104) of
/// the subject's UTF-8 under the key. Without the key nobody can compute the subject from the pseudonym, or the
/// pseudonym from a known subject. With the key pseudonyms can be computed, but not reversed.
///
/// A key's file holds its 32 bytes as 64 hexadecimal digits and a line feed.
public struct PseudonymKey: Sendable {
  private static let pseudonymPrefix = "ps_"
  /// The part of the HMAC that becomes the pseudonym: 128 bits.
  private static let codeBytes = 16
  /// The length of a pseudonym: the prefix, and two digits for each byte.
  private static let pseudonymBytes = pseudonymPrefix.utf8.count + 2 * codeBytes
  private static let keyBytes = 32
  /// The text whose HMAC identifies the key. It contains a line feed, which no subject does, so that no pseudonym
  /// equals the check.
  private static let checkText = Array("funnel: is this the key?\n".utf8)

  private let key: SymmetricKey

  /// Returns a new key from the system's random number generator.
  public static func random() -> PseudonymKey { PseudonymKey(key: SymmetricKey(size: .bits256)) }

  private init(key: SymmetricKey) {
    self.key = key
  }

  /// Parses the contents of a key's file. Returns `nil` if they have another form.
  public init?(file contents: [UInt8]) {
    var digits = contents[...]
    while let last = digits.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { digits.removeLast() }
    guard let bytes = Hexadecimal.bytes(of: digits), bytes.count == Self.keyBytes else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// The contents of the key's file.
  var fileContents: [UInt8] {
    Array((key.withUnsafeBytes { Hexadecimal.text(of: $0) } + "\n").utf8)
  }

  /// A hash that identifies the key without revealing it, to detect that a wrong key is used.
  var check: String { digits(of: Self.checkText.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: key) }) }

  /// Returns whether a text has the form of a pseudonym.
  public static func isPseudonym(_ text: [UInt8]) -> Bool {
    text.count == pseudonymBytes && text.starts(with: pseudonymPrefix.utf8)
      && text.dropFirst(pseudonymPrefix.utf8.count).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// Returns the pseudonym of a subject.
  public func pseudonym(of subject: UnsafeRawBufferPointer) -> [UInt8] {
    Array(Self.pseudonymPrefix.utf8) + digits(of: HMAC<SHA256>.authenticationCode(for: subject, using: key)).utf8
  }

  private func digits(of code: HMAC<SHA256>.MAC) -> String { Hexadecimal.text(of: code.prefix(Self.codeBytes)) }
}
