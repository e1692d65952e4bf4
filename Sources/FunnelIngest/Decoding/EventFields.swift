package import FunnelModel

/// A property or a field of the context.
package struct EventMember: BitwiseCopyable {
  package var key: UnsafeRawBufferPointer
  package var value: Scalar
}

/// A valid event as spans of the parser's memory: good until the next line is parsed.
///
/// One value serves all lines of a decoder, so that an event costs no allocation.
package struct EventFields: BitwiseCopyable {
  package var name = UnsafeRawBufferPointer(start: nil, count: 0)
  package var subject = UnsafeRawBufferPointer(start: nil, count: 0)
  package var app = UnsafeRawBufferPointer(start: nil, count: 0)
  package var flow: UnsafeRawBufferPointer?
  package var attempt: UnsafeRawBufferPointer?
  package var step: UnsafeRawBufferPointer?
  /// The id; empty until it is derived from the content where the event has none.
  package var id: UnsafeRawBufferPointer?
  package var flowVersion: Int64?
  package var sequence: Int64?
  /// When it happened, put right where the device's clock was wrong.
  package var timestamp = Timestamp(milliseconds: 0)
  /// When it happened by the device's clock, where that is worth keeping.
  package var deviceTimestamp: Timestamp?
  package var sentAt: Timestamp?
  package var receivedAt: Timestamp?
  /// A number that all events of one type share for as long as their decoder lives; 0 where there is none.
  var typeKey: UInt64 = 0
  /// Properties, sorted by the bytes of their keys.
  package internal(set) var props = EventMembers()
  /// Context, sorted by the bytes of its keys.
  package internal(set) var context = EventMembers()

  /// Forgets what a line need not have.
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

  /// Whether app, name, flow and step are names, and a step event has its step.
  var hasValidNames: Bool {
    guard app.isName, name.isName, flow?.isName ?? true, step?.isName ?? true else { return false }
    return step != nil || !name.starts(with: "step_".utf8)
  }

  /// The value of a property.
  package func property(_ key: String) -> Scalar? {
    Self.value(of: key, in: props)
  }

  /// The value of a field of the context.
  package func contextValue(_ key: String) -> Scalar? {
    Self.value(of: key, in: context)
  }

  private static func value(of key: String, in members: EventMembers) -> Scalar? {
    for member in members where member.key.elementsEqual(key.utf8) { return member.value }
    return nil
  }
}

/// The one event of a decoder, at a place of its own: handing it on copies nothing.
final class EventBox {
  let fields = UnsafeMutablePointer<EventFields>.allocate(capacity: 1)

  init() { fields.initialize(to: EventFields()) }

  deinit {
    fields.pointee.props.deallocate()
    fields.pointee.context.deallocate()
    fields.deallocate()
  }
}
