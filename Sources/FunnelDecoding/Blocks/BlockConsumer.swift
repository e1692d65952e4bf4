import FunnelImport
import FunnelModel
internal import FunnelSystem

/// Collects the events and dead letters of a block in a ``DecodedBlock``.
struct BlockConsumer: EventConsumer {
  /// The result.
  var block = DecodedBlock()
  /// Whether the result contains the canonical records.
  let wantsRecords: Bool
  /// Whether the result contains the identities of the events.
  let wantsIdentities: Bool
  let options: DecodingOptions
  let flowPrivacy: FlowPrivacy
  /// Removes dead letters of forgotten subjects, or `nil` if every subject may be stored.
  let gate: SubjectPolicy?

  @inline(__always)
  mutating func countLine() { block.lineCount += 1 }

  mutating func add(_ aggregate: ImportCounts) { block.imports.add(aggregate) }

  mutating func countForgotten() { block.forgottenCount += 1 }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts,
    block number: Int, with encoder: inout CanonicalEncoder
  ) {
    guard let id = event.fields.id else { preconditionFailure("an event has an ID") }
    if wantsRecords {
      encoder.append(event, to: &block.records)
      block.records.append(Byte.lineFeed)
    }
    if !resolution.isDeclared, facts.unclaimedBlock != number {
      facts.unclaimedBlock = number
      facts.unclaimedNumber = Int32(block.unclaimedNames.count)
      block.unclaimedNames.append(UnclaimedName(event.fields))
    }
    block.events.append(
      .init(
        end: block.records.count, timestamp: event.fields.timestamp,
        identity: wantsIdentities
          ? Hash128(ofEventWith: facts.identity, subject: event.fields.subject.span, id: id.span)
          : Hash128(high: 0, low: 0),
        unclaimed: resolution.isDeclared ? DecodedBlock.Event.claimed : facts.unclaimedNumber))
    block.recorder?.record(event, &facts)
  }

  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    append(
      DeadLetter(reject, text, at: place, options: options, flowPrivacy: flowPrivacy, defaultApp: options.defaultApp))
  }

  mutating func takeOver(_ letter: DeadLetter, at place: LineBlock.Place) {
    var letter = letter
    // It is masked already, but not by the rules of this store's flows.
    if letter.header == nil { letter.mask(letter.raw, options: options, flowPrivacy: flowPrivacy) }
    block.takenOverCount += 1
    append(letter)
  }

  /// Adds a dead letter, unless it contains a forgotten subject.
  private mutating func append(_ letter: DeadLetter) {
    guard let gate else { return block.deadLetters.append(letter) }
    if let kept = gate.screened(letter) { block.deadLetters.append(kept) } else { countForgotten() }
  }
}
