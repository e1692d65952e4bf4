import Crypto
import FunnelModel

/// A text that ends in its own SHA-256, as the last key of a JSON object: `…,"sha256":"<64 digits>"}`.
enum SealedLine {
  private static let key: StaticString = ",\"sha256\":\""
  /// `,"sha256":"`, 64 digits, `"}`.
  private static let tailBytes = 11 + 64 + 2

  /// Puts the hash behind a text that has no end yet. Returns it.
  static func seal(_ body: inout [UInt8]) -> String {
    let hash = SHA256.hash(data: body).hexadecimal
    body.append(text: key)
    body.append(text: "\(hash)\"}")
    return hash
  }

  /// The text in front of the hash, and the hash, once it is known to match.
  static func open(_ line: ArraySlice<UInt8>) throws(JournalLine.Mistake) -> (body: ArraySlice<UInt8>, hash: String) {
    let body = line.dropLast(tailBytes)
    var tail = LineScanner(line.dropFirst(body.count))
    guard tail.skip(key), let hash = tail.hash(), tail.skip("\"}"), tail.isAtEnd else {
      throw JournalLine.Mistake(reason: "it does not end in a hash")
    }
    guard SHA256.hash(data: body).hexadecimal == hash else { throw JournalLine.Mistake(reason: "its hash does not match") }
    return (body, hash)
  }
}

extension SHA256Digest {
  /// 64 lower-case digits.
  var hexadecimal: String { Hexadecimal.text(of: self) }
}
