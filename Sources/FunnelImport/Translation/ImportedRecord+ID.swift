internal import Crypto
import FunnelModel

extension ImportedRecord {
  /// Returns the ID of the record, which is derived from the whole record if it has none.
  func id(by plan: ImportPlan) -> [UInt8] {
    switch plan.identity {
    case .first(let slots):
      if let field = firstPresent(slots), let text = fields[field].scalarText { return text }
    case .joined(let slots, let separator):
      if let text = joined(slots, separator) { return DerivedID.shortened(text) }
    }
    return layout.hashOrder(of: fields, without: plan.stamps).id(of: fields)
  }

  /// Returns the texts in some slots with a separator between them, or `nil` if one has none.
  private func joined(_ slots: [Int], _ separator: [UInt8]) -> [UInt8]? {
    var joined: [UInt8] = []
    for (index, slot) in slots.enumerated() {
      guard let field = present(slot), let text = fields[field].scalarText else { return nil }
      joined += (index > 0 ? separator : []) + text
    }
    return joined
  }
}

/// An event ID that is derived from the values of a record: the first 128 bits of their SHA-256, in hexadecimal.
struct DerivedID {
  private var hashed: [UInt8] = []

  /// The maximum length in bytes of an ID that is kept unchanged.
  private static let bytesMax = 128
  /// The number of bytes of the SHA-256 that are used.
  private static let hashBytes = 16
  /// The length of the values of most records with their keys.
  private static let usualBytes = 1 << 10

  init() { hashed.reserveCapacity(Self.usualBytes) }

  /// Adds a value and its length. The length keeps `["a", "bc"]` and `["ab", "c"]` apart.
  mutating func add(_ value: Span<UInt8>) {
    let count = UInt32(value.count)
    hashed.append(UInt8(truncatingIfNeeded: count))
    hashed.append(UInt8(truncatingIfNeeded: count >> 8))
    hashed.append(UInt8(truncatingIfNeeded: count >> 16))
    hashed.append(UInt8(truncatingIfNeeded: count >> 24))
    hashed.append(copying: value)
  }

  /// Adds two bytes.
  mutating func add(_ first: UInt8, _ second: UInt8) {
    hashed.append(first)
    hashed.append(second)
  }

  /// The ID: 32 hexadecimal digits.
  var text: [UInt8] {
    SHA256.hash(data: hashed).withUnsafeBytes { hash in
      var text: [UInt8] = []
      text.reserveCapacity(2 * Self.hashBytes)
      for byte in hash.prefix(Self.hashBytes) {
        text.append(Self.digit(byte >> 4))
        text.append(Self.digit(byte & 15))
      }
      return text
    }
  }

  /// Returns the hexadecimal digit of a number from 0 to 15.
  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }

  /// Returns an ID unchanged, or its hash if it exceeds the maximum length.
  static func shortened(_ id: [UInt8]) -> [UInt8] {
    guard id.count > bytesMax else { return id }
    var derived = DerivedID()
    derived.add(id.span)
    return derived.text
  }
}
