import FunnelModel

/// The members of `props` or `ctx`, in memory of their own that one event after another uses.
///
/// A collection of fixed room instead of an array: filling it costs a store, no check of who else holds it. Copies share the memory, which
/// whoever made it gives back.
package struct EventMembers: RandomAccessCollection, BitwiseCopyable {
  /// Most members of one event: what an object may hold, and as many again that stood beside it.
  static let capacity = 2 * Limits.objectKeysMax + 1

  private let own: UnsafeMutablePointer<EventMember>
  private(set) var base: UnsafeMutablePointer<EventMember>
  package internal(set) var count = 0
  /// Where the members were taken from, if they were there before.
  private var knownAddress: UInt = 0

  init() {
    own = .allocate(capacity: Self.capacity)
    base = own
  }

  func deallocate() { own.deallocate() }

  /// A number that stands for these very members as long as the decoder lives; 0 where there is none.
  @inline(__always)
  package var identity: UInt { knownAddress }

  @inline(__always)
  var known: UnsafePointer<ContextMemory.Entry>? { UnsafePointer(bitPattern: knownAddress) }

  /// Takes members that were there before.
  @inline(__always)
  mutating func take(_ entry: UnsafePointer<ContextMemory.Entry>) {
    knownAddress = UInt(bitPattern: entry)
    base = entry.pointee.members
    count = Int(entry.pointee.count)
  }

  /// The members where they lie, good until the next event: going over them in another module allocates nothing.
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
