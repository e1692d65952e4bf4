extension EventFields {
  /// Hands out an event as something derived from the log keeps it: the fields that say what it means. Good inside the call.
  ///
  /// - Parameters:
  ///   - props: Properties, sorted by the bytes of their keys.
  ///   - context: Context, sorted by the bytes of its keys.
  package static func withStored<Result>(
    app: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, flow: UnsafeRawBufferPointer?, flowVersion: Int64?,
    step: UnsafeRawBufferPointer?, props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    // Names are compared in whole words, so what holds them must go on behind them.
    var texts: [UInt8] = []
    for text in [app, name, flow, step] { texts.append(contentsOf: text ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
    texts.append(contentsOf: repeatElement(0, count: 16))
    var event = EventFields()
    defer {
      event.props.deallocate()
      event.context.deallocate()
    }
    for member in props { event.props.append(member) }
    for member in context { event.context.append(member) }
    return texts.withUnsafeBytes { bytes in
      var offset = 0
      func copy(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        defer { offset += text.count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + text.count])
      }
      event.app = copy(of: app)
      event.name = copy(of: name)
      event.flow = flow.map { copy(of: $0) }
      event.step = step.map { copy(of: $0) }
      event.flowVersion = flowVersion
      return body(event)
    }
  }
}

extension EventMember {
  /// A member.
  package init(_ key: UnsafeRawBufferPointer, _ value: Scalar) {
    self.key = key
    self.value = value
  }
}
