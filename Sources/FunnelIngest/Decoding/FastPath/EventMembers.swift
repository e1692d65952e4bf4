import FunnelModel

/// The members of `props` or `ctx`, in memory of their own that is reused from event to event.
///
/// A collection of fixed capacity instead of an array: filling it takes no uniqueness check. Copies share the memory, which the owner of
/// the original deallocates.
package struct EventMembers: RandomAccessCollection, BitwiseCopyable {
  /// The maximum number of members of one event: those an object may have, and as many again from beside it.
  static let capacity = 2 * Limits.objectKeysMax + 1

  private let own: UnsafeMutablePointer<EventMember>
  private(set) var base: UnsafeMutablePointer<EventMember>
  package internal(set) var count = 0
  /// The address of the cached context that the members were taken from, or 0.
  private var knownAddress: UInt = 0

  init() {
    own = .allocate(capacity: Self.capacity)
    base = own
  }

  func deallocate() { own.deallocate() }

  /// A number that identifies these members for the lifetime of the decoder; 0 if there is none.
  @inline(__always)
  package var identity: UInt { knownAddress }

  @inline(__always)
  var known: UnsafePointer<ContextCache.Entry>? { UnsafePointer(bitPattern: knownAddress) }

  /// Takes the members of a cached context.
  @inline(__always)
  mutating func take(_ entry: UnsafePointer<ContextCache.Entry>) {
    knownAddress = UInt(bitPattern: entry)
    base = entry.pointee.members
    count = Int(entry.pointee.count)
  }

  /// The members in place, valid until the next event: iterating over them in another module allocates nothing.
  @inline(__always)
  package var elements: UnsafeBufferPointer<EventMember> { UnsafeBufferPointer(start: base, count: count) }

  @inline(__always) package var startIndex: Int { 0 }
  @inline(__always) package var endIndex: Int { count }

  package subscript(index: Int) -> EventMember {
    @inline(__always) get { base[index] }
    @inline(__always) nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func removeAll() {
    count = 0
    base = own
    knownAddress = 0
  }

  @inline(__always)
  mutating func append(_ member: EventMember) {
    base[count] = member
    count += 1
  }

  func swapAt(_ a: Int, _ b: Int) { (base[a], base[b]) = (base[b], base[a]) }

  func sort(by areInIncreasingOrder: (EventMember, EventMember) -> Bool) {
    var members = UnsafeMutableBufferPointer(start: base, count: count)
    members.sort(by: areInIncreasingOrder)
  }
}
