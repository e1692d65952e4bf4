import FunnelModel

/// The kinds of rejected lines: their numbers and first lines.
///
/// Lines are of one kind if their messages differ only in quoted texts and digits. The first lines of a file may all have a rare
/// kind, so the most frequent kinds are shown.
struct RejectionKinds: Hashable, Sendable {
  /// The number of lines of a kind, and the first of them.
  private struct Kind: Hashable, Sendable {
    var count: Int
    var first: FirstRejections.Entry
  }

  /// The hash of the messages of a kind, without quoted texts and digits.
  private struct Key: Hashable, Sendable {
    var reason: RejectionReason
    var hash: UInt64
  }

  /// The maximum number of kinds. With more of them none counts as frequent.
  private static let kindsMax = 64
  /// The constants of FNV-1a.
  private static let hashBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let hashPrime: UInt64 = 0x100_0000_01b3

  private var kinds: [Key: Kind] = [:]
  /// Whether there are more than ``kindsMax`` kinds, which does not depend on the order of the lines.
  private var areTooMany = false

  /// Adds a rejected line.
  mutating func add(_ entry: FirstRejections.Entry) { add(Kind(count: 1, first: entry), Self.key(entry.rejection)) }

  /// Adds the kinds of another part of the input.
  mutating func add(_ other: RejectionKinds) {
    areTooMany = areTooMany || other.areTooMany
    for (key, kind) in other.kinds { add(kind, key) }
  }

  private mutating func add(_ kind: Kind, _ key: Key) {
    guard let known = kinds[key] else {
      if kinds.count < Self.kindsMax { kinds[key] = kind } else { areTooMany = true }
      return
    }
    kinds[key] = Kind(
      count: known.count + kind.count, first: kind.first.precedes(known.first) ? kind.first : known.first)
  }

  /// The first line of each kind, those of the most frequent kinds first, or an empty array if there are too many kinds.
  var firstEntries: [FirstRejections.Entry] {
    guard !areTooMany else { return [] }
    return kinds.values.sorted { $0.count != $1.count ? $0.count > $1.count : $0.first.precedes($1.first) }.map(\.first)
  }

  /// Returns the kind of a rejection.
  private static func key(_ rejection: Rejection) -> Key {
    var hash = hashBasis
    var isQuoted = false
    for byte in rejection.message.utf8 {
      if byte == Byte.quote { isQuoted.toggle() }
      guard !isQuoted, !byte.isASCIIDigit else { continue }
      hash = (hash ^ UInt64(byte)) &* hashPrime
    }
    return Key(reason: rejection.reason, hash: hash)
  }
}
