internal import Crypto

/// An event ID that is derived from the values of a record: the first 128 bits of their SHA-256, in hexadecimal.
struct DerivedIdentity {
  private var hash = SHA256()

  /// The maximum length in bytes of an ID that is kept unchanged.
  private static let bytesMax = 128
  /// The number of bytes of the SHA-256 that are used.
  private static let hashBytes = 16

  /// Adds a value and its length. The length keeps `["a", "bc"]` and `["ab", "c"]` apart.
  mutating func add(_ value: [UInt8]) {
    withUnsafeBytes(of: UInt64(value.count).littleEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: value)
  }

  /// The ID: 32 hexadecimal digits.
  var text: [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return hash.finalize().prefix(Self.hashBytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// Returns an ID unchanged, or its hash if it exceeds the maximum length.
  static func shortened(_ id: [UInt8]) -> [UInt8] {
    guard id.count > bytesMax else { return id }
    var identity = DerivedIdentity()
    identity.add(id)
    return identity.text
  }
}
