import FunnelImport
import FunnelModel

/// The counts of one block of lines, with keys and values in the order in which they first occur.
struct BlockKeys: Sendable {
  /// A key of `ctx` or `props`. Two names are equal if their bytes are.
  struct Name: Hashable, Sendable {
    let isContext: Bool
    let key: String

    static func == (lhs: Name, rhs: Name) -> Bool {
      lhs.isContext == rhs.isContext && lhs.key.utf8.elementsEqual(rhs.key.utf8)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(isContext)
      for byte in key.utf8 { hasher.combine(byte) }
    }

    /// Returns whether a name precedes another: context first, then by the bytes of the key.
    func precedes(_ other: Name) -> Bool {
      isContext != other.isContext ? isContext : key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
  }

  struct Key: Sendable {
    let name: Name
    var events = 0
  }

  struct Value: Sendable {
    /// The index of its key in ``BlockKeys/keys``.
    let key: Int
    let value: PropertyValue
    var events = 0
  }

  var keys: [Key] = []
  var values: [Value] = []
  /// The number of events that were wanted.
  var events = 0
}

/// Counts the keys and values of the wanted events of one block after another. Not to be shared between threads.
///
/// Keys and values are distinguished by hashes: a string is made of each only when it first occurs in a block.
struct KeyCounter: EventConsumer {
  private let filter: LogFilter
  private var block = BlockKeys()
  private var placeOfKey: [Hash128: Int] = [:]
  private var placeOfValue: [Hash128: Int] = [:]
  /// The counts of the block.
  var counts = InputCounts()
  /// The first line of the block that was rejected, and the reason.
  private(set) var firstRefusal: String?

  init(filter: LogFilter) {
    self.filter = filter
  }

  /// Returns the counts since the last call.
  mutating func takeBlock() -> BlockKeys {
    defer {
      block = BlockKeys()
      placeOfKey.removeAll(keepingCapacity: true)
      placeOfValue.removeAll(keepingCapacity: true)
      counts = InputCounts()
      firstRefusal = nil
    }
    return block
  }

  mutating func countLine() { counts.lines += 1 }

  mutating func add(_ aggregate: ImportCounts) { counts.imports.add(aggregate) }

  mutating func countForgotten() { counts.rejected[.forgotten, default: 0] += 1 }

  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowResolver.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    guard filter.matchesFields(of: event.pointee), filter.flows == nil || resolution.isFolded else { return }
    self.block.events += 1
    for member in event.pointee.context.elements { count(member, isContext: true) }
    for member in event.pointee.props.elements { count(member, isContext: false) }
  }

  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    if firstRefusal == nil { firstRefusal = "\(place.file) line \(place.line), \(reject.message)" }
  }

  private mutating func count(_ member: EventMember, isContext: Bool) {
    if case .null = member.value { return }
    var hasher = SipHasher()
    hasher.combine(isContext ? 1 : 0)
    hasher.combine(member.key)
    let key = place(ofKey: member.key, hash: hasher.finish(), isContext: isContext)
    block.keys[key].events += 1
    hasher = SipHasher()
    hasher.combine(UInt64(key))
    member.value.combine(into: &hasher)
    block.values[place(ofValue: member.value, hash: hasher.finish(), key: key)].events += 1
  }

  private mutating func place(ofKey key: UnsafeRawBufferPointer, hash: Hash128, isContext: Bool) -> Int {
    if let place = placeOfKey[hash] { return place }
    placeOfKey[hash] = block.keys.count
    block.keys.append(.init(name: .init(isContext: isContext, key: String(decoding: key, as: UTF8.self))))
    return block.keys.count - 1
  }

  private mutating func place(ofValue value: Scalar, hash: Hash128, key: Int) -> Int {
    if let place = placeOfValue[hash] { return place }
    placeOfValue[hash] = block.values.count
    block.values.append(.init(key: key, value: value.propertyValue))
    return block.values.count - 1
  }
}
