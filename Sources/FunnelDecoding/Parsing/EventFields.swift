package import FunnelModel

/// A key and a value of `props` or `ctx`.
package struct EventMember: BitwiseCopyable {
  package var key: UnsafeRawBufferPointer
  package var value: Scalar
}

/// The fields of an event. Strings are spans of the parsed line, valid until the next line is parsed.
///
/// One value is reused for all lines of a decoder, so an event needs no allocation.
package struct EventFields: BitwiseCopyable {
  package var name = UnsafeRawBufferPointer(start: nil, count: 0)
  package var subject = UnsafeRawBufferPointer(start: nil, count: 0)
  package var app = UnsafeRawBufferPointer(start: nil, count: 0)
  package var flow: UnsafeRawBufferPointer?
  package var attempt: UnsafeRawBufferPointer?
  package var step: UnsafeRawBufferPointer?
  /// The ID, or `nil` if the line has none and the ID is not derived from the content yet.
  package var id: UnsafeRawBufferPointer?
  package var flowVersion: Int64?
  package var sequence: Int64?
  /// The time of the event, corrected if the device's clock was wrong.
  package var timestamp = Timestamp(milliseconds: 0)
  /// The time of the event by the device's clock, or `nil` if the line has neither `device_ts` nor `sent_at`.
  package var deviceTimestamp: Timestamp?
  package var sentAt: Timestamp?
  package var receivedAt: Timestamp?
  /// A number that identifies the event's type for the lifetime of the decoder (``TypeKey``), or 0 if the event
  /// has none.
  var typeKey: UInt64 = 0
  /// The properties, sorted by the bytes of their keys.
  package internal(set) var props = EventMembers()
  /// The context, sorted by the bytes of its keys.
  package internal(set) var context = EventMembers()

  /// Clears the optional fields. Required fields keep their values.
  @inline(__always)
  mutating func clear() {
    flow = nil
    attempt = nil
    step = nil
    id = nil
    flowVersion = nil
    sequence = nil
    deviceTimestamp = nil
    sentAt = nil
    receivedAt = nil
    typeKey = 0
    props.removeAll()
    context.removeAll()
  }

  /// Whether app, name, flow and step are valid names, and a step event has a step.
  var hasValidNames: Bool {
    guard app.isName, name.isName, flow?.isName ?? true, step?.isName ?? true else { return false }
    return step != nil || !name.starts(with: StepEventName.prefix.utf8)
  }

  /// Returns the value of a property, or `nil` if the event does not have it.
  package func property(_ key: String) -> Scalar? {
    Self.value(of: key, in: props)
  }

  /// Returns the value of a field of the context, or `nil` if the event does not have it.
  package func contextValue(_ key: String) -> Scalar? {
    Self.value(of: key, in: context)
  }

  private static func value(of key: String, in members: EventMembers) -> Scalar? {
    for member in members where member.key.elementsEqual(key.utf8) { return member.value }
    return nil
  }
}

/// Owns the memory of a decoder's single event. The decoder passes its address, which copies nothing.
final class EventStorage {
  let fields = UnsafeMutablePointer<EventFields>.allocate(capacity: 1)

  init() { fields.initialize(to: EventFields()) }

  deinit {
    fields.pointee.props.deallocate()
    fields.pointee.context.deallocate()
    fields.deallocate()
  }
}
