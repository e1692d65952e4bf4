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
    var letter = DeadLetter(
      file: place.file, line: place.line, byteOffset: place.byteOffset, reason: reject.reason, message: reject.message,
      raw: [UInt8](copying: text.raw), rawByteCount: text.byteCount, isMasked: false, defaultApp: options.defaultApp)
    if let json = text.json, case .masked(let masked, let isTaken) = masking(of: json, in: text.format) {
      letter.raw = masked
      letter.isMasked = isTaken
      letter.isLeftOutMasked = !isTaken
    }
    letter.format = text.format
    letter.header = text.header
    append(letter)
  }

  mutating func takeOver(_ letter: DeadLetter, at place: LineBlock.Place) {
    var letter = letter
    // It is masked already, but not by the rules of this store's flows.
    if letter.header == nil, case .masked(let masked, let isTaken) = masking(of: letter.raw.span, in: letter.format) {
      letter.raw = masked
      letter.isMasked = letter.isMasked || isTaken
      letter.isLeftOutMasked = !letter.isMasked
    }
    block.takenOverCount += 1
    append(letter)
  }

  /// Adds a dead letter, unless it contains a forgotten subject.
  private mutating func append(_ letter: DeadLetter) {
    guard let gate else { return block.deadLetters.append(letter) }
    if let kept = gate.screened(letter) { block.deadLetters.append(kept) } else { countForgotten() }
  }

  /// The result of masking the personal values of a line.
  private enum Masking {
    /// The line contains no personal value or is not valid JSON.
    case unchanged
    /// The masked line, and whether a masked value is one that an event would contain.
    case masked([UInt8], isTaken: Bool)
  }

  /// Masks the personal values of a line.
  private func masking(of line: Span<UInt8>, in format: ImportFormat) -> Masking {
    guard let document = try? JSONDocument(parsing: [UInt8](copying: line)) else { return .unchanged }
    var rules = [options.privacy]
    if !flowPrivacy.isEmpty, let ofFlows = flowPrivacy.rules(ofApp: document.root["app"]?.string ?? options.defaultApp) {
      rules.append(ofFlows)
    }
    var mask = PersonalDataMask(rules, plan: format == .native ? nil : options.imports.plan(for: format))
    guard let masked = mask.masked(document) else { return .unchanged }
    return .masked(masked, isTaken: mask.maskedTaken)
  }
}
