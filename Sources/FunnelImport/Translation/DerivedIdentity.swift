internal import Crypto

/// An id made from the values that tell a record apart: 32 hexadecimal digits of a SHA-256.
struct DerivedIdentity {
  private var hash = SHA256()

  /// The longest id that is taken as it is.
  private static let bytesMax = 128

  /// Adds a value. Its length is hashed too, so that no two lists of values are one text.
  mutating func add(_ value: [UInt8]) {
    withUnsafeBytes(of: UInt64(value.count).littleEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: value)
  }

  /// The id.
  var text: [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return hash.finalize().prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// Returns an id as it is, or its hash if it is longer than an id may be.
  static func shortened(_ id: [UInt8]) -> [UInt8] {
    guard id.count > bytesMax else { return id }
    var identity = DerivedIdentity()
    identity.add(id)
    return identity.text
  }
}
