extension EventFields {
  /// An event as something derived from the log keeps it: the fields that say what it means.
  ///
  /// - Parameters:
  ///   - props: Properties, sorted by the bytes of their keys.
  ///   - context: Context, sorted by the bytes of its keys.
  package init(
    app: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, flow: UnsafeRawBufferPointer?, flowVersion: Int64?,
    step: UnsafeRawBufferPointer?, props: [EventMember] = [], context: [EventMember] = []
  ) {
    self.init()
    self.app = app
    self.name = name
    self.flow = flow
    self.flowVersion = flowVersion
    self.step = step
    for member in props { self.props.append(member) }
    for member in context { self.context.append(member) }
  }
}

extension EventMember {
  /// A member.
  package init(_ key: UnsafeRawBufferPointer, _ value: Scalar) {
    self.key = key
    self.value = value
  }
}
