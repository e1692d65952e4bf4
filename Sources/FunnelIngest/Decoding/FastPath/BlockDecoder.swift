import FunnelImport
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
  private let gate: SubjectPolicy?
  private var blockNumber = 0
  /// The block whose records are being decoded, if their places are not those of its lines. The line number of a place is the index of
  /// the line then.
  private var recordBlock: LineBlock?
  /// The index of the line being decoded, and whether the place of its record gives its events a `seq` where they have none.
  private var recordLine = 0
  private var fillsSequences = false
  /// The native lines of foreign records.
  let foreign: ImportedLines

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
    gate = SubjectPolicy(options)
    walker = LineWalker(options: options, defaultApp: decoder.defaultApp)
    resolver = FlowResolver(catalog: catalog, dimensions: dimensions, details: details, flows: flows)
    flowPrivacy = FlowPrivacy(catalog: catalog, beyond: options.privacy)
    foreign = ImportedLines(options.imports)
  }

  /// The claims of all events so far, by ``EventRow/meaning``.
  package var meanings: [[EventClassTable.Claim]] { resolver.meanings }

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

  /// Decodes a block and writes its lines behind the numbers of their shards.
  mutating func decode(_ block: LineBlock, into lines: inout ShardLines) {
    lines.begin(block)
    decodeContent(of: block, into: &lines)
  }

  /// Decodes a block and records when subjects first logged its events.
  mutating func decode(_ block: LineBlock, into recorder: inout OccurrenceRecorder) {
    recorder.counts.bytes += block.byteCount
    decodeContent(of: block, into: &recorder)
  }

  /// Decodes a block and returns the number of its lines, including blank ones.
  @discardableResult
  private mutating func decodeContent<Consumer: EventConsumer & ~Copyable>(of block: LineBlock, into consumer: inout Consumer)
    -> Int
  {
    blockNumber += 1
    if block.isFirst { consumer.add(ImportCounts(file: block.place.file, format: block.format)) }
    return block.withBytes { content in
      switch block.content {
      case .lines:
        if block.format != .native { return decodeImported(content, of: block, into: &consumer) }
        guard block.origins != nil else { return decodeLines(content, at: block.place, into: &consumer) }
        return decodeRecords(content, of: block, into: &consumer)
      case .overlongLine(let total):
        consumer.countLine()
        consumer.refuse(
          Self.tooLong(total), RejectedText(raw: content, byteCount: total, json: nil, block: block), at: block.place)
      case .damagedTail(let damage): refuseDamage(content, damage, of: block, into: &consumer)
      }
      return 1
    }
  }

  /// Decodes lines that stand for records of a block, and returns their number.
  mutating func decodeRecords<Consumer: EventConsumer & ~Copyable>(
    _ lines: UnsafeRawBufferPointer, of block: LineBlock, into consumer: inout Consumer
  ) -> Int {
    recordBlock = block
    // In an array of native events, the client's own counter decides, or nothing does.
    fillsSequences = block.origins != nil && (block.format != .native || block.origins?.header != nil)
    defer { (recordBlock, fillsSequences) = (nil, false) }
    var first = block.place
    (first.line, first.byteOffset) = (0, 0)
    return decodeLines(lines, at: first, into: &consumer)
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
      recordLine = place.line
      if let end = walker.walkKnown(from: start, firstToken: token, into: &event.fields.pointee),
        end &- start <= decoder.lineBytesMax,
        takeWalked(UnsafeRawBufferPointer(start: bytes.baseAddress! + start, count: end &- start), into: &consumer)
      {
        countLine(in: &consumer)
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
          countLine(in: &consumer)
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
    countLine(in: &consumer)
    recordLine = place.line
    do throws(Rejection) {
      if line.count > decoder.lineBytesMax { throw Self.tooLong(line.count) }
      if let rejection = recordBlock?.rejection(ofLine: place.line) { throw rejection }
      try take(UnsafeRawBufferPointer(rebasing: line), into: &consumer)
    } catch {
      refuse(error, line: UnsafeRawBufferPointer(rebasing: line), at: place, into: &consumer)
    }
  }

  /// Counts a line that is not blank. Foreign records were counted before they became lines.
  @inline(__always)
  private func countLine<Consumer: EventConsumer & ~Copyable>(in consumer: inout Consumer) {
    if recordBlock == nil || recordBlock?.format == .native { consumer.countLine() }
  }

  /// Rejects a line, as the record of the input that it stands for.
  private func refuse<Consumer: EventConsumer & ~Copyable>(
    _ reject: Rejection, line: UnsafeRawBufferPointer, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    if let block = recordBlock {
      let record =
        block.format == .native ? ImportedLines.Record(line: place.line, bytes: 0..<0) : foreign.records[place.line]
      return refuse(reject, record, block.format == .native ? line : nil, of: block, into: &consumer)
    }
    let kept =
      reject.reason == .lineTooLong ? UnsafeRawBufferPointer(rebasing: line.prefix(Limits.deadLetterRawBytesMax)) : line
    consumer.refuse(
      reject, RejectedText(raw: kept, byteCount: line.count, json: reject.reason == .lineTooLong ? nil : line), at: place)
  }

  /// Rejects a record of a block.
  ///
  /// - Parameter line: The line that stands for the record, or nil if the record's bytes are that line.
  func refuse<Consumer: EventConsumer & ~Copyable>(
    _ reject: Rejection, _ record: ImportedLines.Record, _ line: UnsafeRawBufferPointer? = nil, of block: LineBlock,
    into consumer: inout Consumer
  ) {
    block.withBytes { bytes in
      let line = line ?? UnsafeRawBufferPointer(rebasing: bytes[record.bytes])
      block.withText(of: record, line) { raw in
        let isCut = raw.count > Limits.lineBytesMax
        let kept = isCut ? UnsafeRawBufferPointer(rebasing: raw.prefix(Limits.deadLetterRawBytesMax)) : raw
        consumer.refuse(
          reject, RejectedText(raw: kept, byteCount: raw.count, json: isCut ? nil : line, block: block),
          at: block.place(of: record))
      }
    }
  }

  private mutating func take<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, into consumer: inout Consumer
  ) throws(Rejection) {
    hand(line, type: try validate(line), to: &consumer)
  }

  /// Decodes a line into the current event and returns the event's type, or throws the reason why it is no event.
  mutating func validate(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    try decoder.decode(line, into: &event.fields.pointee)
    let type = resolver.type(of: event.fields)
    if !options.isTrusted, let violation = resolver.violation(by: event.fields, type: type) {
      throw Rejection(.invalidField, violation)
    }
    if !options.isTrusted, !flowPrivacy.isEmpty { try refusePersonalData(type: type) }
    return type
  }

  /// Rejects the current event if it has a key that is forbidden by one of the flows that fold it.
  private mutating func refusePersonalData(type: Int) throws(Rejection) {
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
    if fillsSequences { fillSequence() }
    consumer.take(
      UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
      with: &encoder.pointer.pointee)
  }

  private mutating func handWithDerivedID<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, type: Int, _ resolution: FlowResolver.Resolution, to consumer: inout Consumer
  ) {
    let event = event.fields
    let isImported = recordBlock.map { $0.format != .native } ?? false
    var derived = encoder.pointer.pointee.derivedID(of: UnsafePointer(event), hasOwnSequence: !isImported)
    if fillsSequences { fillSequence() }
    // Hashing reads whole words, so the id needs padding.
    derived.append(contentsOf: repeatElement(0, count: 8))
    derived.withUnsafeBytes { bytes in
      event.pointee.id = UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
      consumer.take(
        UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
        with: &encoder.pointer.pointee)
    }
  }

  /// Gives the current event the `seq` of its record's place in the source, unless it has one.
  private mutating func fillSequence() {
    guard event.fields.pointee.sequence == nil, let block = recordBlock else { return }
    let record = block.format == .native ? recordLine : foreign.records[recordLine].line
    event.fields.pointee.sequence = block.origins?.records[record].sequence.map(Int64.init)
  }

  static func tooLong(_ byteCount: Int) -> Rejection {
    Rejection(.lineTooLong, "the line has \(byteCount) bytes; \(Limits.lineBytesMax) are allowed")
  }

  /// Decodes the bytes in front of the damage, which may be a whole event; otherwise they become part of the dead letter of the damage.
  private mutating func refuseDamage<Consumer: EventConsumer & ~Copyable>(
    _ tail: UnsafeRawBufferPointer, _ damage: Rejection, of block: LineBlock, into consumer: inout Consumer
  ) {
    var lost = tail
    // What is left of a record of CSV is no line.
    if block.origins?.header == nil, !tail.isEmpty, takeTail(tail, of: block, into: &consumer) {
      consumer.countLine()
      lost = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    consumer.countLine()
    consumer.refuse(damage, RejectedText(raw: lost, byteCount: lost.count, json: lost, block: block), at: block.place)
  }

  /// Takes the bytes in front of damage if they are a whole event, and returns whether they are.
  private mutating func takeTail<Consumer: EventConsumer & ~Copyable>(
    _ tail: UnsafeRawBufferPointer, of block: LineBlock, into consumer: inout Consumer
  ) -> Bool {
    guard block.format == .native else { return takeImportedTail(tail, of: block, into: &consumer) }
    return (try? take(tail, into: &consumer)) != nil
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

extension UInt8 {
  /// Whether the byte is white space in JSON.
  var isJSONWhitespace: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n")
  }
}
