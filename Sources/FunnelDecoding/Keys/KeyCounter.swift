import FunnelImport
import FunnelModel

/// The counts of keys and values in one block of lines, in the order in which they first occur.
package struct BlockKeys: Sendable {
  /// A key of `ctx` or `props`. Names are compared by their bytes, without Unicode normalization.
  struct Name: Hashable, Sendable {
    /// Whether the key is in `ctx`. Otherwise it is in `props`.
    let isContext: Bool
    let key: String

    static func == (lhs: Name, rhs: Name) -> Bool {
      lhs.isContext == rhs.isContext && lhs.key.utf8.elementsEqual(rhs.key.utf8)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(isContext)
      for byte in key.utf8 { hasher.combine(byte) }
    }

    /// Whether a name precedes another one: first those of `ctx`, then by the bytes of the key.
    func precedes(_ other: Name) -> Bool {
      isContext != other.isContext ? isContext : key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  /// A key and the number of events that have it.
  struct Key: Sendable {
    let name: Name
    var events = 0
  }

  /// A value of a key and the number of events that have it.
  struct Value: Sendable {
    /// The index of its key in ``BlockKeys/keys``.
    let key: Int
    let value: PropertyValue
    var events = 0
  }

  /// The keys in the order in which they first occur.
  var keys: [Key] = []
  /// The values of all keys in the order in which they first occur.
  var values: [Value] = []
  /// The number of events that matched the filter.
  var events = 0
}

/// Counts the keys and values of the events that match a filter, block by block. Not thread-safe: each worker owns one.
///
/// Keys and values are identified by hashes, so a string is only created for the first occurrence in a block.
struct KeyCounter: CountingConsumer {
  private let filter: LogFilter
  private var block = BlockKeys()
  /// The index of each key in the block, by its hash.
  private var indexOfKey: [Hash128: Int] = [:]
  /// The index of each value in the block, by the hash of its key and itself.
  private var indexOfValue: [Hash128: Int] = [:]
  /// The numbers of lines, events and rejections in the block.
  var counts = InputCounts()
  /// The position of the first rejected line of the block and the reason, or `nil` if no line was rejected.
  private(set) var firstRefusal: String?

  /// Creates a counter of the events that match a filter.
  init(filter: LogFilter) {
    self.filter = filter
  }

  /// Returns the keys and values since the last call, and resets all counts.
  mutating func takeBlock() -> BlockKeys {
    defer {
      block = BlockKeys()
      indexOfKey.removeAll(keepingCapacity: true)
      indexOfValue.removeAll(keepingCapacity: true)
      counts = InputCounts()
      firstRefusal = nil
    }
    return block
  }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    guard filter.matchesFields(of: event.fields), filter.flows == nil || resolution.isFolded else { return }
    self.block.events += 1
    for member in event.fields.context.elements { count(member, isContext: true) }
    for member in event.fields.props.elements { count(member, isContext: false) }
  }

  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    if firstRefusal == nil { firstRefusal = "\(place.file) line \(place.line), \(reject.message)" }
  }

  /// Counts a key and its value. A null is not counted.
  private mutating func count(_ member: EventMember, isContext: Bool) {
    if case .null = member.value { return }
    var hasher = SipHasher()
    hasher.combine(isContext ? 1 : 0)
    hasher.combine(member.key.span)
    let key = index(ofKey: member.key, hash: hasher.finish(), isContext: isContext)
    block.keys[key].events += 1
    hasher = SipHasher()
    hasher.combine(UInt64(key))
    member.value.combine(into: &hasher)
    block.values[index(ofValue: member.value, hash: hasher.finish(), key: key)].events += 1
  }

  /// Returns the index of a key in the block, adding the key if it is new.
  private mutating func index(ofKey key: BorrowedText, hash: Hash128, isContext: Bool) -> Int {
    if let index = indexOfKey[hash] { return index }
    indexOfKey[hash] = block.keys.count
    block.keys.append(.init(name: .init(isContext: isContext, key: key.text)))
    return block.keys.count - 1
  }

  /// Returns the index of a value in the block, adding the value if it is new.
  private mutating func index(ofValue value: Scalar, hash: Hash128, key: Int) -> Int {
    if let index = indexOfValue[hash] { return index }
    indexOfValue[hash] = block.values.count
    block.values.append(.init(key: key, value: value.propertyValue))
    return block.values.count - 1
  }
}
