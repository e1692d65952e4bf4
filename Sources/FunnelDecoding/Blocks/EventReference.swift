/// A reference to the current event of a decoder, for reading. It is valid until the function returns that receives it.
///
/// Passing it copies one address, whereas an event has some hundred bytes.
package struct EventReference: BitwiseCopyable {
  @usableFromInline let event: Reference<EventFields>

  @inline(__always)
  init(_ event: Reference<EventFields>) { self.event = event }

  /// The fields of the event.
  @inlinable @inline(__always)
  package var fields: EventFields { unsafeAddress { UnsafePointer(event.pointer) } }

  /// Calls a closure with a reference to an event that is not in an ``EventStorage``.
  static func with<Result>(_ event: EventFields, _ body: (EventReference) -> Result) -> Result {
    // A reference is only for reading, so nothing changes the event.
    withUnsafePointer(to: event) { body(EventReference(Reference(UnsafeMutablePointer(mutating: $0)))) }
  }
}
