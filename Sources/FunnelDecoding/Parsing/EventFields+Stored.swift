extension EventFields {
  /// Calls a closure with an event that has only the fields on which its flow matches depend. Data derived from
  /// the log, such as the index, stores these fields. The event is valid until the closure returns.
  ///
  /// - Parameters:
  ///   - props: The properties, sorted by the bytes of their keys.
  ///   - context: The context, sorted by the bytes of its keys.
  package static func withStored<Result>(
    app: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, flow: UnsafeRawBufferPointer?, flowVersion: Int64?,
    step: UnsafeRawBufferPointer?, props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    // Names are compared in words of 8 or 16 bytes, so padding must follow them.
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
  /// Creates a member.
  package init(_ key: UnsafeRawBufferPointer, _ value: Scalar) {
    self.key = key
    self.value = value
  }
}
