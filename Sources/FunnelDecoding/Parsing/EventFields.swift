package import FunnelModel

/// A key and a value of `props` or `ctx`.
package struct EventMember: BitwiseCopyable {
  package var key: BorrowedText
  package var value: Scalar

  package init(key: BorrowedText, value: Scalar) {
    self.key = key
    self.value = value
  }
}

/// The fields of an event, valid until the next line is parsed.
///
/// One value is reused for all lines of a decoder, so an event needs no allocation.
package struct EventFields: BitwiseCopyable {
  package var name = BorrowedText.empty
  package var subject = BorrowedText.empty
  /// The account that was signed in, or `nil` if the line has none or a placeholder (``PlaceholderIDs``) in its place.
  package internal(set) var user: BorrowedText?
  package var app = BorrowedText.empty
  package var flow: BorrowedText?
  package var attempt: BorrowedText?
  package var step: BorrowedText?
  /// The ID, or `nil` if the line has none and the ID is not derived from the content yet.
  package var id: BorrowedText?
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
    user = nil
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

  /// Whether the event only links its subject to its user.
  package var isUserLink: Bool { name.span.isEqual(to: UserLinkEvent.name) }

  /// Sets the user, unless the text is a placeholder.
  @inline(__always)
  mutating func setUser(_ text: BorrowedText) { user = PlaceholderIDs.contains(text.span) ? nil : text }

  /// The user to which the event links its subject, or `nil` if it has no user or its subject is a placeholder.
  ///
  /// The events of a placeholder subject are those of many people, so no user of one is that of another.
  package var linkingUser: BorrowedText? {
    guard let user, !PlaceholderIDs.contains(subject.span) else { return nil }
    return user
  }

  /// Whether app, name, flow and step are valid names, and a step event has a step.
  var hasValidNames: Bool {
    for text in [app, name, flow, step] {
      if let text, !text.span.isName { return false }
    }
    return step != nil || !name.span.starts(with: StepEventName.prefix)
  }

  /// Returns the value of a property, or `nil` if the event does not have it.
  package func property(_ key: String) -> Scalar? { Self.value(of: key, in: props) }

  /// Returns the value of a field of the context, or `nil` if the event does not have it.
  package func contextValue(_ key: String) -> Scalar? { Self.value(of: key, in: context) }

  private static func value(of key: String, in members: EventMembers) -> Scalar? {
    for member in members where member.key.span.isEqual(to: key) { return member.value }
    return nil
  }
}

extension EventFields {
  /// Calls a closure with an event that has only the fields on which its flow matches depend. Data derived from
  /// the log, such as the index, stores these fields. The event is valid until the closure returns.
  ///
  /// - Parameters:
  ///   - props: The properties, sorted by the bytes of their keys.
  ///   - context: The context, sorted by the bytes of its keys.
  package static func withStored<Result>(
    app: BorrowedText, name: BorrowedText, flow: BorrowedText?, flowVersion: Int64?, step: BorrowedText?,
    props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    // The copies have the padding that texts of events need.
    let texts = PaddedCopy([app, name, flow, step].flatMap { Array($0 ?? .empty) })
    var event = EventFields()
    defer {
      event.props.deallocate()
      event.context.deallocate()
    }
    for member in props { event.props.append(member) }
    for member in context { event.context.append(member) }
    return withExtendedLifetime(texts) {
      var end = 0
      func copy(of text: BorrowedText) -> BorrowedText {
        let start = end
        end += text.count
        return texts.view.part(start..<end)
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
