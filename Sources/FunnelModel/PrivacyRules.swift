/// What must never enter the log: keys that name personal data, and values that are personal whatever their key.
///
/// Both questions are asked for every property of every event, so they are answered from bytes, without allocating.
public struct PrivacyRules: Sendable {
  /// A key, and why it is personal.
  public struct Key: Hashable, Sendable {
    public var key: String
    public var why: String

    public init(key: String, why: String) {
      self.key = key
      self.why = why
    }
  }

  /// A kind of value that is personal in itself.
  public enum ValueKind: String, Hashable, Sendable, CaseIterable {
    case emailAddress = "email_address"
    case e164PhoneNumber = "e164_phone_number"
  }

  /// The keys as the file has them.
  public let keys: [Key]
  /// The kinds of values that are looked for.
  public let valueKinds: Set<ValueKind>
  private let refusesPhoneNumbers: Bool
  private let refusesEmailAddresses: Bool
  /// The keys as they are compared, and an index into ``keys`` for each slot of a hash table, -1 where it is free.
  private let normalized: [[UInt8]]
  private let slots: [Int32]
  private let longestKey: Int

  /// Makes rules from keys and kinds of values.
  public init(keys: [Key], valueKinds: Set<ValueKind> = Set(ValueKind.allCases)) {
    self.keys = keys
    self.valueKinds = valueKinds
    refusesPhoneNumbers = valueKinds.contains(.e164PhoneNumber)
    refusesEmailAddresses = valueKinds.contains(.emailAddress)
    let normalized = keys.map { $0.key.utf8.filter { !Self.isIgnored($0) }.map(Self.lowercased) }
    var slotCount = 16
    while slotCount < 4 * keys.count { slotCount *= 2 }
    var slots = [Int32](repeating: -1, count: slotCount)
    for (index, key) in normalized.enumerated() where !key.isEmpty {
      var hash = Self.hashSeed
      for byte in key { hash = Self.hash(hash, byte) }
      var slot = Self.slot(of: hash, in: slotCount)
      while slots[slot] >= 0 { slot = (slot + 1) % slotCount }
      slots[slot] = Int32(index)
    }
    self.normalized = normalized
    self.slots = slots
    longestKey = normalized.map(\.count).max() ?? 0
  }

  /// Whether a key names personal data. Case, `_` and `-` make no difference: `contactName` is `contact_name`.
  public func isPersonal(key: UnsafeRawBufferPointer) -> Bool {
    index(of: key) != nil
  }

  /// Why a key names personal data, or nil where it does not.
  public func reason(forKey key: UnsafeRawBufferPointer) -> String? {
    index(of: key).map { keys[$0].why }
  }

  /// Which kind of personal data a value is as a whole, or nil.
  @inline(__always)
  public func personalKind(ofValue value: UnsafeRawBufferPointer) -> ValueKind? {
    // A phone number starts with a plus; an e-mail address can too, and has an at sign then.
    if value.count < Self.shortestPersonalValue { return nil }
    if refusesPhoneNumbers, Self.isE164(value) { return .e164PhoneNumber }
    if refusesEmailAddresses, Self.isEmailAddress(value) { return .emailAddress }
    return nil
  }

  private func index(of key: UnsafeRawBufferPointer) -> Int? {
    var hash = Self.hashSeed
    var length = 0
    for byte in key where !Self.isIgnored(byte) {
      hash = Self.hash(hash, Self.lowercased(byte))
      length += 1
      if length > longestKey { return nil }
    }
    var slot = Self.slot(of: hash, in: slots.count)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if normalized[index].count == length, Self.isEqual(key, to: normalized[index]) { return index }
      slot = (slot + 1) % slots.count
    }
    return nil
  }

  private static func isEqual(_ key: UnsafeRawBufferPointer, to normalized: [UInt8]) -> Bool {
    var position = 0
    for byte in key where !isIgnored(byte) {
      if lowercased(byte) != normalized[position] { return false }
      position += 1
    }
    return true
  }

  private static let shortestPersonalValue = 6

  @inline(__always)
  private static func isIgnored(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  // FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): the keys are few and known, so nothing better is needed.
  private static let hashSeed: UInt64 = 0xCBF2_9CE4_8422_2325

  @inline(__always)
  private static func hash(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

  @inline(__always)
  private static func slot(of hash: UInt64, in count: Int) -> Int { Int(truncatingIfNeeded: hash ^ hash >> 32) & (count - 1) }
}
