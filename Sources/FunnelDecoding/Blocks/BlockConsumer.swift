import FunnelImport
import FunnelModel

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
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowMatcher.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block number: Int, with encoder: inout CanonicalEncoder
  ) {
    if wantsRecords {
      encoder.append(event, to: &block.records)
      block.records.append(UInt8(ascii: "\n"))
    }
    if !resolution.isDeclared, facts.pointee.unclaimedBlock != number {
      facts.pointee.unclaimedBlock = number
      facts.pointee.unclaimedNumber = Int32(block.unclaimedNames.count)
      block.unclaimedNames.append(UnclaimedName(event.pointee))
    }
    let id = event.pointee.id!
    block.events.append(
      .init(
        end: block.records.count, timestamp: event.pointee.timestamp,
        identity: wantsIdentities
          ? IdentityHash.identity(of: facts.pointee.identity, subject: event.pointee.subject, id: id)
          : Hash128(high: 0, low: 0),
        unclaimed: resolution.isDeclared ? DecodedBlock.Event.claimed : facts.pointee.unclaimedNumber))
    block.recorder?.record(event, facts)
  }

  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place) {
    var masked: (text: [UInt8], isTaken: Bool)?
    if let json = text.json { masked = self.masked(json, of: text.format) }
    var letter = DeadLetter(
      file: place.file, line: place.line, byteOffset: place.byteOffset, reason: reject.reason, message: reject.message,
      raw: masked?.text ?? Array(text.raw), rawByteCount: text.byteCount, isMasked: masked?.isTaken ?? false,
      defaultApp: options.defaultApp)
    letter.format = text.format
    letter.header = text.header
    letter.isLeftOutMasked = masked.map { !$0.isTaken } ?? false
    guard let gate else { return block.deadLetters.append(letter) }
    if let kept = gate.screened(letter) { block.deadLetters.append(kept) } else { countForgotten() }
  }

  /// Masks the personal values of a line.
  ///
  /// - Returns: The masked line, and whether a masked value is one that an event would contain. `nil` if the
  ///   line contains no personal value or is not valid JSON.
  private func masked(_ line: UnsafeRawBufferPointer, of format: ImportFormat) -> (text: [UInt8], isTaken: Bool)? {
    guard let document = try? JSONDocument(parsing: Array(line)) else { return nil }
    var rules = [options.privacy]
    if !flowPrivacy.isEmpty, let ofFlows = flowPrivacy.rules(ofApp: document.root["app"]?.string ?? options.defaultApp) {
      rules.append(ofFlows)
    }
    var mask = PersonalDataMask(rules, plan: format == .native ? nil : options.imports.plan(for: format))
    return mask.masked(document).map { ($0, mask.maskedTaken) }
  }
}
