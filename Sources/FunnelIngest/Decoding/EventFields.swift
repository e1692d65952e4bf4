package import FunnelModel

/// A property or a field of the context.
package struct EventMember: BitwiseCopyable {
  package var key: UnsafeRawBufferPointer
  package var value: Scalar
}

/// A valid event as spans of the parser's memory, valid until the next line is parsed.
///
/// One value is reused for all lines of a decoder, so that an event needs no allocation.
package struct EventFields: BitwiseCopyable {
  package var name = UnsafeRawBufferPointer(start: nil, count: 0)
  package var subject = UnsafeRawBufferPointer(start: nil, count: 0)
  package var app = UnsafeRawBufferPointer(start: nil, count: 0)
  package var flow: UnsafeRawBufferPointer?
  package var attempt: UnsafeRawBufferPointer?
  package var step: UnsafeRawBufferPointer?
  /// The id. If the line has none, it is nil until it is derived from the content.
  package var id: UnsafeRawBufferPointer?
  package var flowVersion: Int64?
  package var sequence: Int64?
  /// The time of the event, corrected if the device's clock was wrong.
  package var timestamp = Timestamp(milliseconds: 0)
  /// The time of the event by the device's clock, if the event has it or a `sent_at`.
  package var deviceTimestamp: Timestamp?
  package var sentAt: Timestamp?
  package var receivedAt: Timestamp?
  /// A number that all events of one type share for the lifetime of their decoder; 0 if there is none.
  var typeKey: UInt64 = 0
  /// The properties, sorted by the bytes of their keys.
  package internal(set) var props = EventMembers()
  /// The context, sorted by the bytes of its keys.
  package internal(set) var context = EventMembers()

  /// Clears the fields that a line need not have.
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

  /// Whether app, name, flow and step are valid names, and a step event has its step.
  var hasValidNames: Bool {
    guard app.isName, name.isName, flow?.isName ?? true, step?.isName ?? true else { return false }
    return step != nil || !name.starts(with: StepEventName.prefix.utf8)
  }

  /// Returns the value of a property, or nil if the event does not have it.
  package func property(_ key: String) -> Scalar? {
    Self.value(of: key, in: props)
  }

  /// Returns the value of a field of the context, or nil if the event does not have it.
  package func contextValue(_ key: String) -> Scalar? {
    Self.value(of: key, in: context)
  }

  private static func value(of key: String, in members: EventMembers) -> Scalar? {
    for member in members where member.key.elementsEqual(key.utf8) { return member.value }
    return nil
  }
}

/// The single event of a decoder, in memory of its own: passing it on copies nothing.
final class EventStorage {
  let fields = UnsafeMutablePointer<EventFields>.allocate(capacity: 1)

  init() { fields.initialize(to: EventFields()) }

  deinit {
    fields.pointee.props.deallocate()
    fields.pointee.context.deallocate()
    fields.deallocate()
  }
}
