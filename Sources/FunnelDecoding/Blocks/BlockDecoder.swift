import FunnelImport
package import FunnelModel

/// Decodes blocks of lines into events and dead letters. Not thread-safe: each worker owns one.
///
/// Lines are decoded in batches. simdjson's first stage finds the tokens of a batch, and ``LineWalker`` parses
/// the events. ``EventDecoder`` decodes the lines that the walker declines. If the first stage rejects a batch,
/// the batch is halved until each invalid line is alone.
package struct BlockDecoder {
  private var decoder: EventDecoder
  private var walker: LineWalker
  private var resolver: FlowMatcher
  private let flowPrivacy: FlowPrivacy
  /// The current event, in its own memory: passing its address copies nothing.
  private let event = EventStorage()
  private let options: DecodingOptions
  private let encoder = EncoderStorage()
  /// Removes or renames subjects, or `nil` if every subject is stored unchanged.
  private let subjectPolicy: SubjectPolicy?
  /// The number of blocks so far, which identifies the current block.
  private var blockNumber = 0
  /// The block whose records are being decoded, or `nil` if the lines are lines of the input. If it is set, the
  /// line number of a place is the index of a line, and the block stores the position of the record.
  private var recordBlock: LineBlock?
  /// The index of the line that is being decoded, in ``recordBlock``.
  private var recordLine = 0
  /// Whether events without a `seq` get one from the position of their record.
  private var fillsSequences = false
  /// The native lines of imported records.
  let foreign: ImportedLines

  /// The size of a batch, in bytes: the batch and its tokens fit in the processor's second-level cache.
  private static let batchBytesTarget = 1 << 17

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - dimensions: The stored dimensions that flow matches contain if an upcast sets them.
  ///   - details: Whether flow matches contain an ``EventDetail``.
  ///   - flows: The indices in the catalog of the flow versions to match, or `nil` for all.
  package init(
    options: DecodingOptions, catalog: FlowCatalog, dimensions: [Dimension] = [], details: Bool = false, flows: Set<Int>? = nil
  ) {
    self.options = options
    decoder = EventDecoder(options: options)
    subjectPolicy = SubjectPolicy(options)
    walker = LineWalker(options: options, defaultApp: decoder.defaultApp)
    resolver = FlowMatcher(catalog: catalog, dimensions: dimensions, details: details, flows: flows)
    flowPrivacy = FlowPrivacy(catalog: catalog, beyond: options.privacy)
    foreign = ImportedLines(options.imports)
  }

  /// The distinct lists of flow matches of all events so far, indexed by ``EventRow/matchListID``.
  package var flowMatchLists: [[EventClassTable.FlowMatch]] { resolver.flowMatchLists }

  /// Decodes a block into records and dead letters.
  package mutating func decode(_ block: LineBlock, wanting wants: DecodingWants = DecodingWants()) -> DecodedBlock {
    var consumer = BlockConsumer(
      wantsRecords: wants.records, wantsIdentities: wants.identities, options: options, flowPrivacy: flowPrivacy,
      gate: subjectPolicy)
    consumer.block.recorder = wants.makeRecorder?()
    consumer.block.file = block.place.input
    consumer.block.byteCount = block.byteCount
    // Most records are up to a quarter longer than their lines.
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

  /// Decodes a block and passes its events and rejected lines to a consumer.
  package mutating func decode<Consumer: EventConsumer & ~Copyable>(_ block: LineBlock, into consumer: inout Consumer) {
    decodeContent(of: block, into: &consumer)
  }

  /// Decodes a block and returns the number of its lines, including blank ones.
  @discardableResult
  private mutating func decodeContent<Consumer: EventConsumer & ~Copyable>(
    of block: LineBlock, into consumer: inout Consumer
  ) -> Int {
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

  /// Decodes lines that were made from the records of a block, and returns their number.
  mutating func decodeRecords<Consumer: EventConsumer & ~Copyable>(
    _ lines: UnsafeRawBufferPointer, of block: LineBlock, into consumer: inout Consumer
  ) -> Int {
    recordBlock = block
    // The order of native events in an array is no `seq`: only the client's own counter is.
    fillsSequences = block.origins != nil && (block.format != .native || block.origins?.header != nil)
    defer {
      recordBlock = nil
      fillsSequences = false
    }
    var first = block.place
    first.line = 0
    first.byteOffset = 0
    return decodeLines(lines, at: first, into: &consumer)
  }

  /// Decodes lines in batches, and returns their number.
  private mutating func decodeLines<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at start: LineBlock.Place, into consumer: inout Consumer
  ) -> Int {
    var place = start
    var remainder = bytes[...]
    while !remainder.isEmpty {
      var end = remainder.endIndex
      if remainder.count > Self.batchBytesTarget {
        let head = remainder[..<(remainder.startIndex + Self.batchBytesTarget)]
        end = (head.lastLineBreak ?? remainder[head.endIndex...].firstLineBreak).map { $0 + 1 } ?? remainder.endIndex
      }
      decodeBatch(UnsafeRawBufferPointer(rebasing: remainder[..<end]), at: &place, into: &consumer)
      remainder = remainder[end...]
    }
    return place.line - start.line
  }

  /// Decodes a batch of whole lines, and advances the place past them.
  private mutating func decodeBatch<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    guard !bytes.isEmpty else { return }
    if walker.begin(bytes) { return decodeIndexed(bytes, at: &place, into: &consumer) }
    // A line is invalid, or all are blank: the batch is halved to find the invalid lines.
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

  /// Decodes a batch whose tokens are known, and advances the place past it.
  private mutating func decodeIndexed<Consumer: EventConsumer & ~Copyable>(
    _ bytes: UnsafeRawBufferPointer, at place: inout LineBlock.Place, into consumer: inout Consumer
  ) {
    let offset = place.byteOffset
    var start = 0
    var token = 0
    while start < bytes.count {
      recordLine = place.line
      // First by the cached layouts, then field by field, then with the slow decoder.
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

  /// Validates the event that the walker parsed, and passes it to the consumer. Returns `false` if it is
  /// invalid: then `decodeAlone` decodes the line again to find the reason.
  @inline(__always)
  private mutating func takeWalked<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, into consumer: inout Consumer
  ) -> Bool {
    guard
      let type = options.isTrusted ? resolver.type(of: event.fields) : resolver.typeIfValid(of: event.fields)
    else { return false }
    guard options.isTrusted || resolver.violation(by: event.fields, type: type) == nil else { return false }
    guard options.isTrusted || flowPrivacy.isEmpty || (try? refusePersonalData(type: type)) != nil else { return false }
    passEvent(line, type: type, to: &consumer)
    return true
  }

  /// Decodes one line with the slow decoder. The line may include its line break.
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

  /// Counts a line that is not blank. Imported records are already counted.
  @inline(__always)
  private func countLine<Consumer: EventConsumer & ~Copyable>(in consumer: inout Consumer) {
    if recordBlock == nil || recordBlock?.format == .native { consumer.countLine() }
  }

  /// Rejects a line, or the record of the input that it was made from.
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
  /// - Parameter line: The line that was made from the record, or `nil` if the line is the record's bytes.
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

  /// Decodes a line and passes its event to the consumer.
  private mutating func take<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, into consumer: inout Consumer
  ) throws(Rejection) {
    passEvent(line, type: try validate(line), to: &consumer)
  }

  /// Decodes a line into the current event and returns the number of the event's type.
  ///
  /// - Throws: The reason why the line is not a valid event.
  mutating func validate(_ line: UnsafeRawBufferPointer) throws(Rejection) -> Int {
    try decoder.decode(line, into: &event.fields.pointee)
    let type = resolver.type(of: event.fields)
    if !options.isTrusted, let violation = resolver.violation(by: event.fields, type: type) {
      throw Rejection(.invalidField, violation)
    }
    if !options.isTrusted, !flowPrivacy.isEmpty { try refusePersonalData(type: type) }
    return type
  }

  /// Throws if the current event has a key that one of its flows forbids.
  private mutating func refusePersonalData(type: Int) throws(Rejection) {
    let resolution = resolver.resolve(event.fields, type: type)
    for flow in resolver.flows(of: resolution) {
      try flowPrivacy.refuse(event.fields.pointee, flow: flow)
    }
  }

  /// Passes the current event to the consumer, unless its subject was forgotten.
  @inline(__always)
  private mutating func passEvent<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, type: Int, to consumer: inout Consumer
  ) {
    let event = event.fields
    if let subjectPolicy, !subjectPolicy.admit(event) { return consumer.countForgotten() }
    let resolution = resolver.resolve(event, type: type)
    if event.pointee.id == nil { return passWithDerivedID(line, type: type, resolution, to: &consumer) }
    if fillsSequences { fillSequence() }
    consumer.take(
      UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
      with: &encoder.pointer.pointee)
  }

  /// Passes the current event to the consumer with an ID that is derived from its content.
  private mutating func passWithDerivedID<Consumer: EventConsumer & ~Copyable>(
    _ line: UnsafeRawBufferPointer, type: Int, _ resolution: FlowMatcher.Resolution, to consumer: inout Consumer
  ) {
    let event = event.fields
    let isImported = recordBlock.map { $0.format != .native } ?? false
    var derived = encoder.pointer.pointee.derivedID(of: UnsafePointer(event), hasOwnSequence: !isImported)
    if fillsSequences { fillSequence() }
    // Hashing reads whole words, so the ID needs padding.
    derived.append(contentsOf: repeatElement(0, count: Self.idPaddingBytes))
    derived.withUnsafeBytes { bytes in
      event.pointee.id = UnsafeRawBufferPointer(rebasing: bytes.dropLast(Self.idPaddingBytes))
      consumer.take(
        UnsafePointer(event), line: line, resolution, facts: resolver.facts(of: type), block: blockNumber,
        with: &encoder.pointer.pointee)
    }
  }

  private static let idPaddingBytes = 8

  /// Sets the `seq` of the current event from the position of its record, unless it has one.
  private mutating func fillSequence() {
    guard event.fields.pointee.sequence == nil, let block = recordBlock else { return }
    let record = block.format == .native ? recordLine : foreign.records[recordLine].line
    event.fields.pointee.sequence = block.origins?.records[record].sequence.map(Int64.init)
  }

  /// Returns the rejection of a line that is longer than the limit.
  static func tooLong(_ byteCount: Int) -> Rejection {
    Rejection(.lineTooLong, "the line has \(byteCount) bytes; \(Limits.lineBytesMax) are allowed")
  }

  /// Adds a dead letter for damaged input.
  ///
  /// - Parameter tail: The bytes before the damage. If they are a whole event, the event is decoded. Otherwise
  ///   they become the text of the dead letter.
  private mutating func refuseDamage<Consumer: EventConsumer & ~Copyable>(
    _ tail: UnsafeRawBufferPointer, _ damage: Rejection, of block: LineBlock, into consumer: inout Consumer
  ) {
    var lost = tail
    // The beginning of a CSV record is not a line.
    if block.origins?.header == nil, !tail.isEmpty, takeTail(tail, of: block, into: &consumer) {
      consumer.countLine()
      lost = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    consumer.countLine()
    consumer.refuse(damage, RejectedText(raw: lost, byteCount: lost.count, json: lost, block: block), at: block.place)
  }

  /// Decodes the bytes before damage. Returns `false` if they are not a whole event.
  private mutating func takeTail<Consumer: EventConsumer & ~Copyable>(
    _ tail: UnsafeRawBufferPointer, of block: LineBlock, into consumer: inout Consumer
  ) -> Bool {
    guard block.format == .native else { return takeImportedTail(tail, of: block, into: &consumer) }
    return (try? take(tail, into: &consumer)) != nil
  }
}

/// Owns the memory of a ``CanonicalEncoder``, so that a copyable decoder can contain it.
private final class EncoderStorage {
  let pointer = UnsafeMutablePointer<CanonicalEncoder>.allocate(capacity: 1)

  init() { pointer.initialize(to: CanonicalEncoder()) }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}
