import FunnelModel

/// The members of `props` or `ctx` of one event: a collection of fixed capacity that is reused from event to event.
///
/// The members are either in the collection's own memory or in an entry of a ``ContextCache``. Copies share the
/// memory. The owner of the original must call ``deallocate()``.
package struct EventMembers: RandomAccessCollection, BitwiseCopyable {
  // An array would check its uniqueness for each member that is added.

  /// The maximum number of members: those of one object, and as many unknown fields of the line.
  static let capacity = 2 * Limits.objectKeysMax + 1

  private let own: UnsafeMutablePointer<EventMember>
  /// The first member, in `own` or in a cached context.
  private(set) var base: UnsafeMutablePointer<EventMember>
  package internal(set) var count = 0
  /// The address of the cached context that contains the members, or 0 if they are in `own`.
  private var knownAddress: UInt = 0

  /// Allocates an empty collection.
  init() {
    own = .allocate(capacity: Self.capacity)
    base = own
  }

  /// Deallocates the memory of this collection and its copies.
  func deallocate() { own.deallocate() }

  /// A number that identifies these members for the lifetime of the decoder, or 0 if they are not cached.
  @inline(__always)
  package var identity: UInt { knownAddress }

  /// The cached context that contains the members, or `nil` if they are not cached.
  @inline(__always)
  var known: UnsafePointer<ContextCache.Entry>? { UnsafePointer(bitPattern: knownAddress) }

  /// Refers to the members of a cached context, without copying them.
  @inline(__always)
  mutating func take(_ entry: UnsafePointer<ContextCache.Entry>) {
    knownAddress = UInt(bitPattern: entry)
    base = entry.pointee.members
    count = Int(entry.pointee.count)
  }

  /// The members as a buffer, valid until the next event. In other modules, iterating over it is faster than
  /// over the collection.
  @inline(__always)
  package var elements: UnsafeBufferPointer<EventMember> { UnsafeBufferPointer(start: base, count: count) }

  @inline(__always) package var startIndex: Int { 0 }
  @inline(__always) package var endIndex: Int { count }

  package subscript(index: Int) -> EventMember {
    @inline(__always) get { base[index] }
    @inline(__always) nonmutating set { base[index] = newValue }
  }

  /// Removes all members.
  @inline(__always)
  mutating func removeAll() {
    count = 0
    base = own
    knownAddress = 0
  }

  /// Appends a member. The collection must have room, and the members must not be those of a cached context.
  @inline(__always)
  mutating func append(_ member: EventMember) {
    assert(count < Self.capacity && knownAddress == 0, "the members are full or cached")
    base[count] = member
    count += 1
  }

  /// Exchanges two members.
  func swapAt(_ a: Int, _ b: Int) { (base[a], base[b]) = (base[b], base[a]) }

  /// Sorts the members in place.
  func sort(by areInIncreasingOrder: (EventMember, EventMember) -> Bool) {
    var members = UnsafeMutableBufferPointer(start: base, count: count)
    members.sort(by: areInIncreasingOrder)
  }
}
