import FunnelModel

/// The members of `props` or `ctx` of one event: a collection of fixed capacity that is reused from event to event.
///
/// The members are either in the collection's own memory or in an entry of a ``ContextCache``. Copies share the
/// memory. The owner of the original must call ``deallocate()``. Members of an entry must not be changed, which debug
/// builds assert.
package struct EventMembers: RandomAccessCollection, BitwiseCopyable {
  // An array would check its uniqueness for each member that is added.

  /// The maximum number of members: those of one object, and as many unknown fields of the line.
  static let capacity = 2 * Limits.objectKeysMax + 1

  private let own: Table<EventMember>
  /// The members, in `own` or in a cached context.
  private var table: Table<EventMember>
  package internal(set) var count = 0
  /// The cached context that contains the members, or `nil` if they are in `own`.
  private(set) var known: Reference<ContextCache.Entry>?

  /// Allocates an empty collection.
  init() {
    own = Table(allocating: Self.capacity)
    table = own
  }

  /// Deallocates the memory of this collection and its copies.
  func deallocate() { own.deallocate() }

  /// A number that identifies these members for the lifetime of the decoder, or 0 if they are not cached.
  @inline(__always)
  package var identity: UInt { known?.address ?? 0 }

  /// Refers to the members of a cached context, without copying them.
  @inline(__always)
  mutating func take(_ entry: Reference<ContextCache.Entry>) {
    known = entry
    table = entry.value.members
    count = table.count
  }

  /// The members as a buffer, valid until the next event. In other modules, iterating over it is faster than
  /// over the collection.
  @inline(__always)
  package var elements: UnsafeBufferPointer<EventMember> { table.buffer(first: count) }

  @inline(__always) package var startIndex: Int { 0 }
  @inline(__always) package var endIndex: Int { count }

  package subscript(index: Int) -> EventMember {
    @inline(__always) get { table[index] }
    @inline(__always) nonmutating set {
      assert(known == nil, "the members of a cached context do not change")
      table[index] = newValue
    }
  }

  /// Removes all members.
  @inline(__always)
  mutating func removeAll() {
    count = 0
    table = own
    known = nil
  }

  /// Appends a member. The collection must have room.
  @inline(__always)
  mutating func append(_ member: EventMember) {
    assert(count < Self.capacity, "the members have room for another one")
    self[count] = member
    count += 1
  }

  /// Exchanges two members.
  func swapAt(_ a: Int, _ b: Int) { (self[a], self[b]) = (self[b], self[a]) }

  /// Sorts the members in place.
  func sort(by areInIncreasingOrder: (EventMember, EventMember) -> Bool) {
    assert(known == nil, "the members of a cached context do not change")
    table.sort(first: count, by: areInIncreasingOrder)
  }
}
