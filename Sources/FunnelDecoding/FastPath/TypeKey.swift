/// A number that identifies an event's type, composed of the numbers of its cached field prefixes.
///
/// An event has a key only if cached prefixes set all fields of its type.
struct TypeKey {
  /// The key, or 0 if the event has none.
  private(set) var value: UInt64 = 0
  private var isSpoilt = false

  /// The bits of a prefix number: ``FieldPrefixes/countMax`` needs 13.
  private static let partBits: UInt64 = 13
  /// The bits before the last part that fits: there is room for four.
  private static let fullBits = 3 * partBits

  /// Appends the number of a prefix that is not plain.
  @inline(__always)
  mutating func append(_ prefix: UInt64) {
    assert(prefix > 0 && prefix >> Self.partBits == 0, "the number does not fit in a part")
    // A fifth prefix leaves the event without a key.
    if value >> Self.fullBits != 0 { spoil() }
    value = isSpoilt ? 0 : value << Self.partBits | prefix
  }

  /// Discards the key, because a field of the type is not in a cached prefix.
  @inline(__always)
  mutating func spoil() {
    isSpoilt = true
    value = 0
  }
}
