import Crypto

/// The key that turns a subject into its pseudonym.
///
/// A pseudonym is `ps_` and 32 lower-case hexadecimal digits: the first 128 bits of the HMAC-SHA-256 (RFC 2104) of the subject's UTF-8 under
/// the key. Without the key nobody can tell the subject, nor find the pseudonym of one that is known; with it the way to the pseudonym
/// is open and the way back is not.
///
/// As a file: the key's 32 bytes as 64 hexadecimal digits and a line feed.
public struct PseudonymKey: Sendable {
  /// Length of a pseudonym in bytes.
  private static let pseudonymBytes = 35
  private static let keyBytes = 32
  /// What the key is known again by. It holds a line feed, which no subject does, so that no pseudonym gives it away.
  private static let checkText = Array("funnel: is this the key?\n".utf8)

  private let key: SymmetricKey

  /// A new key from the system's random numbers.
  public static func random() -> PseudonymKey { PseudonymKey(key: SymmetricKey(size: .bits256)) }

  private init(key: SymmetricKey) {
    self.key = key
  }

  /// Reads the contents of a key's file; nil where they are anything else.
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

  /// What tells this key from another, and nothing else about it.
  var check: String { digits(of: Self.checkText.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: key) }) }

  /// Whether a text has the form of a pseudonym.
  public static func isPseudonym(_ text: [UInt8]) -> Bool {
    text.count == pseudonymBytes && text.starts(with: "ps_".utf8)
      && text.dropFirst(3).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// The pseudonym of a subject.
  public func pseudonym(of subject: UnsafeRawBufferPointer) -> [UInt8] {
    Array("ps_".utf8) + digits(of: HMAC<SHA256>.authenticationCode(for: subject, using: key)).utf8
  }

  private func digits(of code: HMAC<SHA256>.MAC) -> String { Hexadecimal.text(of: code.prefix(16)) }
}
