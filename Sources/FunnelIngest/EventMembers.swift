import FunnelModel

/// The members of `props` or `ctx`, in memory of their own that one event after another uses.
///
/// A collection of fixed room instead of an array: filling it costs a store, no check of who else holds it. Copies share the memory.
package struct EventMembers: RandomAccessCollection {
  /// Most members of one event: what an object may hold, and as many again that stood beside it.
  static let capacity = 2 * Limits.objectKeysMax + 1

  private let storage: Storage
  let base: UnsafeMutablePointer<EventMember>
  package internal(set) var count = 0

  init() {
    storage = Storage()
    base = storage.base
  }

  @inline(__always) package var startIndex: Int { 0 }
  @inline(__always) package var endIndex: Int { count }

  package subscript(index: Int) -> EventMember {
    @inline(__always) get { base[index] }
    @inline(__always) nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

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

  private final class Storage {
    let base = UnsafeMutablePointer<EventMember>.allocate(capacity: EventMembers.capacity)

    deinit { base.deallocate() }
  }
}
