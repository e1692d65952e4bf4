import FunnelModel

// Validating the current event and passing it to the consumer.
extension BlockDecoder {
  /// Validates the event that the walker parsed, and passes it to the consumer. Returns `false` if it is
  /// invalid: then the slow decoder decodes the line again to find the reason.
  @inline(__always)
  mutating func takeWalked<Consumer: EventConsumer & ~Copyable>(_ line: BlockText, into consumer: inout Consumer) -> Bool {
    guard
      let type = options.isTrusted ? resolver.type(of: event.reference) : resolver.typeIfValid(of: event.reference)
    else { return false }
    guard options.isTrusted || resolver.violation(by: event.reference, type: type) == nil else { return false }
    guard options.isTrusted || flowPrivacy.isEmpty || (try? refusePersonalData(type: type)) != nil else { return false }
    passEvent(line, type: type, to: &consumer)
    return true
  }

  /// Decodes a line and passes its event to the consumer.
  mutating func take<Consumer: EventConsumer & ~Copyable>(_ line: BlockText, into consumer: inout Consumer) throws(Rejection) {
    passEvent(line, type: try validate(line), to: &consumer)
  }

  /// Decodes a line into the current event and returns the number of the event's type.
  ///
  /// - Throws: The reason why the line is not a valid event.
  mutating func validate(_ line: BlockText) throws(Rejection) -> Int {
    try decoder.decode(BorrowedText(line.raw), into: &event.fields.pointee)
    let type = resolver.type(of: event.reference)
    if !options.isTrusted, let violation = resolver.violation(by: event.reference, type: type) {
      throw Rejection(.invalidField, violation)
    }
    if !options.isTrusted, !flowPrivacy.isEmpty { try refusePersonalData(type: type) }
    return type
  }

  /// Throws if the current event has a key that one of its flows forbids.
  private mutating func refusePersonalData(type: Int) throws(Rejection) {
    let resolution = resolver.resolve(event.reference, type: type)
    for flow in resolver.flows(of: resolution) {
      try flowPrivacy.refuse(event.fields.pointee, flow: flow)
    }
  }

  /// Passes the current event to the consumer, unless its subject was forgotten.
  @inline(__always)
  private mutating func passEvent<Consumer: EventConsumer & ~Copyable>(
    _ line: BlockText, type: Int, to consumer: inout Consumer
  ) {
    if let subjectPolicy, !subjectPolicy.admit(&event.fields.pointee) { return consumer.countForgotten() }
    let resolution = resolver.resolve(event.reference, type: type)
    guard event.fields.pointee.id != nil else { return passWithDerivedID(line, type: type, resolution, to: &consumer) }
    if fillsSequences { fillSequence() }
    consumer.take(
      event.reference, line: line.span, resolution, facts: &resolver.facts[type], block: blockNumber, with: &encoder.encoder)
  }

  /// Passes the current event to the consumer with an ID that is derived from its content.
  private mutating func passWithDerivedID<Consumer: EventConsumer & ~Copyable>(
    _ line: BlockText, type: Int, _ resolution: FlowMatcher.Resolution, to consumer: inout Consumer
  ) {
    let isImported = recordBlock.map { $0.format != .native } ?? false
    event.fields.pointee.id = encoder.encoder.derivedID(of: event.reference, hasOwnSequence: !isImported).borrowed
    if fillsSequences { fillSequence() }
    consumer.take(
      event.reference, line: line.span, resolution, facts: &resolver.facts[type], block: blockNumber, with: &encoder.encoder)
  }

  /// Sets the `seq` of the current event from the position of its record, unless it has one.
  private func fillSequence() {
    guard event.fields.pointee.sequence == nil, let block = recordBlock else { return }
    let record = block.format == .native ? recordLine : imported.records[recordLine].line
    event.fields.pointee.sequence = block.origins?.records[record].sequence.map(Int64.init)
  }
}
