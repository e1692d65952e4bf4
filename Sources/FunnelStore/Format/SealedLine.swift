import Crypto
import FunnelModel

/// A JSON object in one line whose last member is the SHA-256 of the text before it: `…,"sha256":"<64 digits>"}`.
enum SealedLine {
  private static let key = ",\"sha256\":\""
  /// The length of the key, the digits, and `"}`.
  private static let tailBytes = key.utf8.count + LineScanner.hashDigits + 2

  /// Appends the hash and the closing brace to an unfinished object. Returns the hash in hexadecimal.
  static func seal(_ body: inout [UInt8]) -> String {
    let hash = SHA256.hash(data: body).hexadecimal
    body.append(text: key)
    body.append(text: "\(hash)\"}")
    return hash
  }

  /// Returns the text before the hash, and the hash in hexadecimal.
  ///
  /// - Throws: ``JournalLine/Mistake`` if the line does not end in a hash, or the hash does not match.
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
  /// The digest as 64 lower-case hexadecimal digits.
  var hexadecimal: String { Hexadecimal.text(of: self) }
}
