internal import Crypto
import FunnelModel

extension ImportedRecord {
  /// Returns the ID of the record, which is derived from the whole record if it has none.
  ///
  /// - Parameter hashed: A buffer that is reused for the bytes that are hashed. Its content is replaced.
  func id(by plan: ImportPlan, hashing hashed: LineBuffer) -> [UInt8] {
    ownID(by: plan) ?? layout.hashOrder(of: fields, without: plan.stamps).id(of: fields, in: hashed)
  }

  /// Returns the ID that the record has, or `nil` if it has none.
  func ownID(by plan: ImportPlan) -> [UInt8]? {
    switch plan.identity {
    case .first(let slots): firstPresent(slots).flatMap { fields[$0].scalarText }
    case .joined(let parts, let separator): joined(parts, separator).map(DerivedID.shortened)
    }
  }

  /// Returns the first texts of some parts with a separator between them, or `nil` if one has none.
  private func joined(_ parts: [[Int]], _ separator: [UInt8]) -> [UInt8]? {
    var joined: [UInt8] = []
    for (index, slots) in parts.enumerated() {
      guard let field = firstPresent(slots), let text = fields[field].scalarText else { return nil }
      joined += (index > 0 ? separator : []) + text
    }
    return joined
  }
}

/// Event IDs that are derived from the values of a record: the first 128 bits of their SHA-256, in hexadecimal.
enum DerivedID {
  /// The maximum length in bytes of an ID that is kept unchanged.
  private static let bytesMax = 128
  /// The number of bytes of the SHA-256 that are used.
  private static let hashBytes = 16

  /// Appends the length of a value, which is hashed before it. The length keeps `["a", "bc"]` and `["ab", "c"]` apart.
  static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
    let count = UInt32(length)
    bytes.append(UInt8(truncatingIfNeeded: count))
    bytes.append(UInt8(truncatingIfNeeded: count >> 8))
    bytes.append(UInt8(truncatingIfNeeded: count >> 16))
    bytes.append(UInt8(truncatingIfNeeded: count >> 24))
  }

  /// Returns the ID of bytes: 32 hexadecimal digits.
  static func text(of hashed: Span<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hashed.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize().withUnsafeBytes { hash in
      var text: [UInt8] = []
      text.reserveCapacity(2 * hashBytes)
      for byte in hash.prefix(hashBytes) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
      }
      return text
    }
  }

  /// Returns the hexadecimal digit of a number from 0 to 15.
  @inline(__always)
  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }

  /// Returns an ID unchanged, or its hash if it exceeds the maximum length.
  static func shortened(_ id: [UInt8]) -> [UInt8] {
    guard id.count > bytesMax else { return id }
    var hashed: [UInt8] = []
    appendLength(id.count, to: &hashed)
    hashed += id
    return text(of: hashed.span)
  }
}
