internal import Crypto
import FunnelModel

extension ImportedRecord {
  /// Returns the ID of the record, or `nil` if the ID is derived from the event.
  func id(by identity: ImportPlan.IdentityPlan) -> [UInt8]? {
    switch identity {
    case .first(let slots): return firstPresent(slots).flatMap { fields[$0].scalarText }
    case .joined(let slots, let separator):
      var id: [UInt8] = []
      for (index, slot) in slots.enumerated() {
        guard let field = present(slot), let text = fields[field].scalarText else { return nil }
        id += (index > 0 ? separator : []) + text
      }
      return DerivedID.shortened(id)
    case .derived(let slots):
      var id = DerivedID()
      for slot in slots { id.add(field(slot).flatMap { fields[$0].scalarText } ?? []) }
      for property in layout.properties {
        layout.withKey(of: property, in: fields) { id.add([UInt8](copying: $0)) }
        id.add(fields[Int(property.field)].scalarText ?? [])
      }
      return id.text
    }
  }
}

/// An event ID that is derived from the values of a record: the first 128 bits of their SHA-256, in hexadecimal.
private struct DerivedID {
  private var hashed: [UInt8] = []

  /// The maximum length in bytes of an ID that is kept unchanged.
  private static let bytesMax = 128
  /// The number of bytes of the SHA-256 that are used.
  private static let hashBytes = 16

  /// Adds a value and its length. The length keeps `["a", "bc"]` and `["ab", "c"]` apart.
  mutating func add(_ value: [UInt8]) {
    let count = UInt64(value.count)
    for shift in stride(from: 0, to: UInt64.bitWidth, by: 8) { hashed.append(UInt8(truncatingIfNeeded: count >> shift)) }
    hashed += value
  }

  /// The ID: 32 hexadecimal digits.
  var text: [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return SHA256.hash(data: hashed).prefix(Self.hashBytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// Returns an ID unchanged, or its hash if it exceeds the maximum length.
  static func shortened(_ id: [UInt8]) -> [UInt8] {
    guard id.count > bytesMax else { return id }
    var derived = DerivedID()
    derived.add(id)
    return derived.text
  }
}
