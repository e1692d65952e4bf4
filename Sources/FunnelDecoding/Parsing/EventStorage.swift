// Invariants of the memory in this file, on which all accesses rely:
// - `EventStorage` allocates the memory of one event and of its members, and deallocates both once.
// - An `EventReference` is used only while its owner exists, and while nothing else writes to the event.

/// Owns the memory of a decoder's single event. The decoder passes its address, which copies nothing.
final class EventStorage {
  let fields = UnsafeMutablePointer<EventFields>.allocate(capacity: 1)

  init() { fields.initialize(to: EventFields()) }

  /// A reference to the event.
  @inline(__always)
  var reference: EventReference { EventReference(Reference(fields)) }

  deinit {
    fields.pointee.props.deallocate()
    fields.pointee.context.deallocate()
    fields.deallocate()
  }
}
