package import FunnelModel

/// Decodes blocks of lines into events and dead letters, on one thread of the pipeline. Not to be shared between threads.
///
/// Lines are decoded in batches: simdjson's first stage finds the tokens of a batch, and the ``LineWalker`` reads the events. Lines that
/// the walker declines are decoded one by one by the ``EventDecoder``. A batch that the first stage rejects is halved until the invalid
/// lines are alone.
package struct BlockDecoder {
  private var decoder: EventDecoder
  private var walker: LineWalker
  private var resolver: FlowResolver
  private let flowPrivacy: FlowPrivacy
  /// The current event, in memory of its own: passing it on copies nothing.
  private let event = EventStorage()
  private let options: DecodingOptions
  private let encoder = EncoderStorage()
  /// The gate that subjects have to pass, or nil if all may pass.
  private let gate: SubjectGate?
  private var blockNumber = 0
  /// The origins of the block that is being decoded. The line number of a place is the index of the record then.
  private var origins: RecordOrigins?

  /// The bytes of a batch: they and their tokens stay in the processor's second-level cache.
  private static let batchBytesTarget = 1 << 17

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - dimensions: The stored dimensions whose values the claims carry as the flows read them.
  ///   - details: Whether the claims carry the details of events (``EventDetail``).
  ///   - flows: Indices in the catalog of the flow versions whose claims are wanted, or nil for all.
  package init(
    options: DecodingOptions, catalog: FlowCatalog, dimensions: [Dimension] = [], details: Bool = false, flows: Set<Int>? = nil
  ) {
    self.options = options
    decoder = EventDecoder(options: options)
    gate = SubjectGate(options)
    walker = LineWalker(options: options, defaultApp: decoder.defaultApp)
    resolver = FlowResolver(catalog: catalog, dimensions: dimensions, details: details, flows: flows)
    flowPrivacy = FlowPrivacy(catalog: catalog, beyond: options.privacy)
  }

  /// The claims of all events so far, by ``EventRow/meaning``.
  package var meanings: [[KindTable.Claim]] { resolver.meanings }

  /// Decodes a block.
  package mutating func decode(_ block: LineBlock, wanting wants: DecodingWants = DecodingWants()) -> DecodedBlock {
    var consumer = BlockConsumer(
      wantsRecords: wants.records, wantsIdentities: wants.identities, options: options, flowPrivacy: flowPrivacy, gate: gate)
    consumer.block.recorder = wants.makeRecorder?()
    consumer.block.file = block.place.input
    consumer.block.byteCount = block.byteCount
    if wants.records { consumer.block.records.reserveCapacity(block.byteCount + block.byteCount / 4) }
    decodeContent(of: block, into: &consumer)
    return consumer.block
  }

  /// Decodes a block into rows.
  package mutating func decode(_ block: LineBlock, into rows: inout EventRows) {
    rows.begin(block)
    let lineCount = decodeContent(of: block, into: &rows)
    rows.end(lineCount: block.hasLineNumbers ? 0 : lineCount)
  }

  /// Decodes a block and counts the keys of its events.
  mutating func decode(_ block: LineBlock, into counter: inout KeyCounter) {
    counter.counts.bytes += block.byteCount
    decodeContent(of: block, into: &counter)
  }

  /// Decodes a block and returns the number of its lines, including blank ones.
  @discardableResult
  private mutating func decodeContent<Consumer: EventConsumer & ~Copyable>(of block: LineBlock, into consumer: inout Consumer)
    -> Int
  {
    blockNumber += 1
    return block.withBytes { content in
      switch block.content {
      case .lines:
        guard let origins = block.origins else { return decodeLines(content, at: block.place, into: &consumer) }
        self.origins = origins
        defer { self.origins = nil }
        var first = block.place
        (first.line, first.byteOffset) = (0, 0)
        return decodeLines(content, at: first, into: &consumer)
      case .overlongLine(let total): refuseOverlong(content, totalByteCount: total, at: block.place, into: &consumer)
      case .damagedTail(let damage):
        // What is left of a record of CSV is no line.
        let isLine = block.origins?.header == nil
        refuseDamage(content, isLine: isLine, damage, at: block.place, into: &consumer)
      }
      return 1
    }
  }

  private mutating func decodeLines<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at start: LineBlock.Place, into consumer: inout Consumer
  ) -> Int {
    var place = start
    var rest = bytes[...]
    while !rest.isEmpty {
      var end = rest.endIndex
      if rest.count > Self.batchBytesTarget {
        let head = rest[..<(rest.startIndex + Self.batchBytesTarget)]
        end = (head.lastLineBreak ?? rest[head.endIndex...].firstLineBreak).map { $0 + 1 } ?? rest.endIndex
      }
      decodeBatch(UnsafeRawBufferPointer(rebasing: rest[..<end]), at: &place, into: &consumer)
      rest = rest[end...]
    }
    return place.line - start.line
  }

  /// Decodes whole lines and advances the place past them.
  private mutating func decodeBatch<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    guard !bytes.isEmpty else { return }
    if walker.begin(bytes) { return decodeIndexed(bytes, at: &place, into: &consumer) }
    // A line is invalid: the batch is halved to find it.
    let middle = bytes.count / 2
    let half = (bytes[..<middle].lastLineBreak ?? bytes[middle...].firstLineBreak).map { $0 + 1 } ?? bytes.count
    if half < bytes.count {
      decodeBatch(UnsafeRawBufferPointer(rebasing: bytes[..<half]), at: &place, into: &consumer)
      decodeBatch(UnsafeRawBufferPointer(rebasing: bytes[half...]), at: &place, into: &consumer)
    } else {
      decodeAlone(bytes, at: place, into: &consumer)
      place.line += 1
      place.byteOffset += bytes.count
    }
  }

  /// Decodes lines whose tokens are known.
  private mutating func decodeIndexed<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    let offset = place.byteOffset
    var start = 0
    var token = 0
    while start < bytes.count {
      if let end = walker.walkKnown(from: start, firstToken: token, into: &event.fields.pointee),
        end &- start <= decoder.lineBytesMax,
        takeWalked(UnsafeRawBufferPointer(start: bytes.baseAddress! + start, count: end &- start), into: &consumer)
      {
        consumer.countLine()
        token = walker.nextToken
        place.line += 1
        start = end &+ 1
        continue
      }
      let end = bytes[start...].firstLineBreak ?? bytes.count
      while walker.position(ofToken: token) < start { token &+= 1 }
      // A line without tokens is blank.
      if walker.position(ofToken: token) < end {
        let line = UnsafeRawBufferPointer(start: bytes.baseAddress! + start, count: end &- start)
        if end &- start <= decoder.lineBytesMax,
          walker.walk(from: start, to: end, firstToken: token, into: &event.fields.pointee),
          takeWalked(line, into: &consumer)
        {
          consumer.countLine()
          token = walker.nextToken
        } else {
          place.byteOffset = offset + start
          decodeAlone(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: place, into: &consumer)
        }
      }
      place.line += 1
      start = end &+ 1
    }
    place.byteOffset = offset + bytes.count
  }

  /// Passes on the event that the walker read; returns false if it is not valid after all.
  @inline(__always)
  private mutating func takeWalked<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, into consumer: inout Consumer
  ) -> Bool {
    guard
      let type = options.isTrusted ? resolver.type(of: event.fields) : resolver.typeIfValid(of: event.fields)
    else { return false }
    guard options.isTrusted || resolver.violation(by: event.fields, type: type) == nil else { return false }
    guard options.isTrusted || flowPrivacy.isEmpty || (try? refusePersonalData(type: type)) != nil else { return false }
    hand(line, type: type, to: &consumer)
    return true
  }

  /// Decodes one line, with or without its line break, that the walker declined.
  private mutating func decodeAlone<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    guard !line.allSatisfy(\.isJSONWhitespace) else { return }
    guard line.count <= decoder.lineBytesMax else {
      let kept = UnsafeRawBufferPointer(rebasing: line.prefix(Limits.deadLetterRawBytesMax))
      return refuseOverlong(kept, totalByteCount: line.count, at: place, into: &consumer)
    }
    consumer.countLine()
    do throws(Reject) {
      if let rejection = origins?.records[place.line].rejection { throw rejection }
      try take(UnsafeRawBufferPointer(rebasing: line), into: &consumer)
    } catch {
      refuse(error, line: UnsafeRawBufferPointer(rebasing: line), at: place, into: &consumer)
    }
  }

  /// Rejects a line, as the record of the input that it is.
  private func refuse<Consumer: EventConsumer & ~Copyable>(
    _ reject: Reject, line: UnsafeRawBufferPointer, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    guard let origins else {
      return consumer.refuse(reject, RefusedText(raw: line, byteCount: line.count, json: line), at: place)
    }
    let index = place.line
    var place = place
    (place.line, place.byteOffset) = (origins.records[index].line, origins.records[index].byteOffset)
    origins.withText(of: index) { text in
      let raw = text ?? line
      consumer.refuse(reject, RefusedText(raw: raw, byteCount: raw.count, json: line), at: place)
    }
  }

  private mutating func take<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, into consumer: inout Consumer
  ) throws(Reject) {
    try decoder.decode(line, into: &event.fields.pointee)
    let type = resolver.type(of: event.fields)
    if !options.isTrusted, let violation = resolver.violation(by: event.fields, type: type) {
      throw Reject(.invalidField, violation)
    }
    if !options.isTrusted, !flowPrivacy.isEmpty { try refusePersonalData(type: type) }
    hand(line, type: type, to: &consumer)
  }

  /// Rejects the current event if it has a key that is forbidden by one of the flows that fold it.
  private mutating func refusePersonalData(type: Int) throws(Reject) {
    let resolution = resolver.resolve(event.fields, type: type)
    for flow in resolver.flows(of: resolution) {
      try flowPrivacy.refuse(event.fields.pointee, flow: flow)
    }
  }

  @inline(__always)
  private mutating func hand<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, type: Int, to consumer: inout Consumer
  ) {
    let event = event.fields
    if let gate, !gate.admit(event) { return consumer.countForgotten() }
    let resolution = resolver.resolve(event, type: type)
    if event.pointee.id == nil { return handWithDerivedID(line, type: type, resolution, to: &consumer) }
    consumer.take(
      UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
      with: &encoder.pointer.pointee)
  }

  private mutating func handWithDerivedID<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, type: Int, _ resolution: FlowResolver.Resolution, to consumer: inout Consumer
  ) {
    let event = event.fields
    var derived = encoder.pointer.pointee.derivedID(of: UnsafePointer(event))
    // Hashing reads whole words, so the id needs padding.
    derived.append(contentsOf: repeatElement(0, count: 8))
    derived.withUnsafeBytes { bytes in
      event.pointee.id = UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
      consumer.take(
        UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
        with: &encoder.pointer.pointee)
    }
  }

  private func refuseOverlong<Consumer: EventConsumer & ~Copyable>(
    _ kept: UnsafeRawBufferPointer, totalByteCount: Int, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    consumer.countLine()
    consumer.refuse(
      Reject(.lineTooLong, "the line has \(totalByteCount) bytes; \(Limits.lineBytesMax) are allowed"),
      RefusedText(raw: kept, byteCount: totalByteCount, json: nil), at: place)
  }

  /// Decodes the bytes in front of the damage, which may be a whole event; otherwise they become part of the dead letter of the damage.
  private mutating func refuseDamage<Consumer: EventConsumer & ~Copyable>(
    _ tail: UnsafeRawBufferPointer, isLine: Bool, _ damage: Reject, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    var lost = tail
    if isLine, !tail.isEmpty, (try? take(tail, into: &consumer)) != nil {
      consumer.countLine()
      lost = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    consumer.countLine()
    consumer.refuse(damage, RefusedText(raw: lost, byteCount: lost.count, json: lost), at: place)
  }
}

/// The encoder of a decoder, in memory of its own.
private final class EncoderStorage {
  let pointer = UnsafeMutablePointer<CanonicalEncoder>.allocate(capacity: 1)

  init() { pointer.initialize(to: CanonicalEncoder()) }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}

/// A receiver of the events and rejected lines of a block.
protocol EventConsumer: ~Copyable {
  /// Counts a line that is not blank.
  mutating func countLine()
  /// Takes an event, whose id is set.
  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowResolver.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder)
  /// Counts an event of a forgotten subject instead of taking it.
  mutating func countForgotten()
  /// Takes a rejected line or record.
  mutating func refuse(_ reject: Reject, _ text: RefusedText, at place: LineBlock.Place)
}

/// The text of a rejected line or record, valid until the consumer returns.
struct RefusedText {
  /// The line or record as the input has it, or its beginning if it is too long.
  var raw: UnsafeRawBufferPointer
  /// The length of the whole line or record in bytes.
  var byteCount: Int
  /// What should have been JSON: the line, or the record of CSV as JSON; nil if only the beginning is available.
  var json: UnsafeRawBufferPointer?
}

extension UInt8 {
  /// Whether the byte is white space in JSON.
  fileprivate var isJSONWhitespace: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n")
  }
}
