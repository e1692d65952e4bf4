package import FunnelModel

/// Decodes blocks of lines into events and dead letters; what one thread of the pipeline does. Not to be shared between threads.
package struct BlockDecoder {
  private var decoder: EventDecoder
  private var resolver: FlowResolver
  private var event = EventFields()
  private let options: DecodingOptions
  private var encoder = CanonicalEncoder()
  private var unclaimedIndex: [UnclaimedName: Int32] = [:]

  package init(options: DecodingOptions, catalog: FlowCatalog) {
    self.options = options
    decoder = EventDecoder(options: options)
    resolver = FlowResolver(catalog: catalog)
  }

  /// Decodes a block.
  package mutating func decode<Sink: EventSink>(_ block: LineBlock, sink: Sink) -> DecodedBlock<Sink> {
    var result = DecodedBlock(sink: sink)
    unclaimedIndex.removeAll(keepingCapacity: true)
    result.file = block.place.file
    result.byteCount = block.byteCount
    block.bytes.withUnsafeBytes { bytes in
      let content = UnsafeRawBufferPointer(rebasing: bytes[..<block.byteCount])
      switch block.content {
      case .lines:
        if sink.wantsRecords { result.records.reserveCapacity(block.byteCount + block.byteCount / 4) }
        decodeLines(content, at: block.place, into: &result)
      case .overlongLine(let total):
        refuseOverlong(content, totalByteCount: total, at: block.place, into: &result)
      case .damagedTail(let message):
        refuseDamage(content, message: message, at: block.place, into: &result)
      }
    }
    return result
  }

  private mutating func decodeLines<Sink>(
    _ bytes: UnsafeRawBufferPointer, at start: LineBlock.Place, into result: inout DecodedBlock<Sink>
  ) {
    var place = start
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstLineBreak ?? rest.endIndex
      var line = rest[rest.startIndex..<end]
      place.byteOffset = start.byteOffset + line.startIndex
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if !line.allSatisfy(\.isJSONWhitespace) {
        decodeLine(UnsafeRawBufferPointer(rebasing: line), at: place, into: &result)
      }
      place.line += 1
      rest = rest[min(end + 1, rest.endIndex)...]
    }
  }

  private mutating func decodeLine<Sink>(
    _ line: UnsafeRawBufferPointer, at place: LineBlock.Place, into result: inout DecodedBlock<Sink>
  ) {
    guard line.count <= decoder.lineBytesMax else {
      let kept = UnsafeRawBufferPointer(rebasing: line.prefix(Limits.deadLetterRawBytesMax))
      return refuseOverlong(kept, totalByteCount: line.count, at: place, into: &result)
    }
    result.lineCount += 1
    do {
      try take(line, into: &result)
    } catch {
      refuse(line, error, at: place, into: &result)
    }
  }

  private mutating func take<Sink>(_ line: UnsafeRawBufferPointer, into result: inout DecodedBlock<Sink>) throws(Reject) {
    try decoder.decode(line, into: &event)
    if !options.isTrusted, let violation = resolver.violation(by: event) { throw Reject(.invalidField, violation) }
    let resolution = resolver.resolve(event)
    var derivedID: [UInt8] = []
    if event.id == nil { derivedID = encoder.derivedID(of: event) }
    derivedID.withUnsafeBytes { derived in
      if event.id == nil { event.id = derived }
      if result.sink.wantsRecords {
        encoder.append(event, to: &result.records)
        result.records.append(UInt8(ascii: "\n"))
      }
      result.events.append(
        .init(
          end: result.records.count, timestamp: event.timestamp,
          identity: IdentityHash.identity(app: event.app, subject: event.subject, name: event.name, id: event.id!),
          lineHash: LineHash.hash(of: line),
          unclaimed: resolution.isClaimed ? -1 : unclaimedNumber(of: event, into: &result)))
      result.sink.append(event, id: event.id!, resolution: resolution)
    }
  }

  private mutating func unclaimedNumber<Sink>(of event: EventFields, into result: inout DecodedBlock<Sink>) -> Int32 {
    let name = UnclaimedName(
      app: event.app.text, flow: event.flow?.text, flowVersion: event.flowVersion.map { Int($0) }, name: event.name.text,
      step: event.step?.text)
    if let number = unclaimedIndex[name] { return number }
    let number = Int32(result.unclaimedNames.count)
    result.unclaimedNames.append(name)
    unclaimedIndex[name] = number
    return number
  }

  private func refuse<Sink>(
    _ line: UnsafeRawBufferPointer, _ reject: Reject, at place: LineBlock.Place, into result: inout DecodedBlock<Sink>
  ) {
    let masked = PersonalData.masked(line, rules: options.privacy)
    result.deadLetters.append(
      DeadLetter(
        file: place.file, line: place.line, byteOffset: place.byteOffset, reason: reject.reason, message: reject.message,
        raw: masked ?? Array(line), rawByteCount: line.count, isMasked: masked != nil, defaultApp: options.defaultApp))
  }

  private func refuseOverlong<Sink>(
    _ kept: UnsafeRawBufferPointer, totalByteCount: Int, at place: LineBlock.Place, into result: inout DecodedBlock<Sink>
  ) {
    result.lineCount += 1
    result.deadLetters.append(
      DeadLetter(
        file: place.file, line: place.line, byteOffset: place.byteOffset, reason: .lineTooLong,
        message: "the line has \(totalByteCount) bytes; \(Limits.lineBytesMax) are allowed", raw: Array(kept),
        rawByteCount: totalByteCount, isMasked: false, defaultApp: options.defaultApp))
  }

  /// What was cut off may still be a whole event; otherwise it goes with the damage into one dead letter.
  private mutating func refuseDamage<Sink>(
    _ tail: UnsafeRawBufferPointer, message: String, at place: LineBlock.Place, into result: inout DecodedBlock<Sink>
  ) {
    var lost = tail
    if !tail.isEmpty, (try? take(tail, into: &result)) != nil {
      result.lineCount += 1
      lost = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    result.lineCount += 1
    let masked = PersonalData.masked(lost, rules: options.privacy)
    result.deadLetters.append(
      DeadLetter(
        file: place.file, line: place.line, byteOffset: place.byteOffset, reason: .damagedGzip, message: message,
        raw: masked ?? Array(lost), rawByteCount: lost.count, isMasked: masked != nil, defaultApp: options.defaultApp))
  }
}

extension UInt8 {
  /// Whether JSON takes the byte for white space.
  fileprivate var isJSONWhitespace: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n")
  }
}
