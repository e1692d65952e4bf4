/// The fields that identify an event type: app, flow, flow version, name and step.
package struct EventTypeName: Hashable, Sendable {
  package var app: String
  /// The flow that the events name, or `nil` if they name none.
  package var flow: String?
  /// The flow version that the events name, or `nil` if they name none.
  package var flowVersion: Int?
  package var name: String
  /// The step, or `nil` if the events have none.
  package var step: String?

  /// Creates a type from its fields.
  package init(app: String, flow: String? = nil, flowVersion: Int? = nil, name: String, step: String? = nil) {
    self.app = app
    self.flow = flow
    self.flowVersion = flowVersion
    self.name = name
    self.step = step
  }

  /// Creates the type of an event.
  package init(_ event: borrowing EventFields) {
    self.init(
      app: event.app.text, flow: event.flow?.text, flowVersion: event.flowVersion.map { Int($0) }, name: event.name.text,
      step: event.step?.text)
  }
}

extension EventTypeName {
  /// The number of leading zero bits in a hash of the type. It is the same on every machine.
  var zeroBits: Int {
    var bytes = Array(app.utf8)
    for part in [flow, flowVersion.map(String.init), name, step] {
      // Names contain no zero byte, so it separates the fields.
      bytes.append(0)
      bytes += Array((part ?? "").utf8)
    }
    let text = PaddedCopy(bytes)
    defer { withExtendedLifetime(text) {} }
    return ByteWords.hash(PaddedText(text.view), seed: 0).leadingZeroBitCount
  }
}
