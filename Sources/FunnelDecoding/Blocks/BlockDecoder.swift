import FunnelImport
package import FunnelModel

/// Decodes blocks of lines into events and dead letters. Not thread-safe: each worker owns one.
///
/// Lines are decoded in batches. simdjson's first stage finds the tokens of a batch, and ``LineWalker`` parses
/// the events. ``EventDecoder`` decodes the lines that the walker declines. If the first stage rejects a batch,
/// the batch is halved until each invalid line is alone.
package struct BlockDecoder {
  var decoder: EventDecoder
  var walker: LineWalker
  var resolver: FlowMatcher
  let flowPrivacy: FlowPrivacy
  /// The current event, in its own memory: passing its address copies nothing.
  let event = EventStorage()
  let options: DecodingOptions
  let encoder = EncoderStorage()
  /// Removes or renames subjects, or `nil` if every subject is stored unchanged.
  let subjectPolicy: SubjectPolicy?
  /// The number of blocks so far, which identifies the current block.
  private(set) var blockNumber = 0
  /// The block whose records are being decoded, or `nil` if the lines are lines of the input. If it is set, the
  /// line number of a place is the index of a line, and the block stores the position of the record.
  private(set) var recordBlock: LineBlock?
  /// The index of the line that is being decoded, in ``recordBlock``.
  var recordLine = 0
  /// Whether events without a `seq` get one from the position of their record.
  private(set) var fillsSequences = false
  /// The native lines of imported records.
  let imported: ImportedLines

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
    walker = LineWalker(options: options, defaultApp: decoder.defaultApp.map(PaddedText.init))
    resolver = FlowMatcher(catalog: catalog, dimensions: dimensions, details: details, flows: flows)
    flowPrivacy = FlowPrivacy(catalog: catalog, beyond: options.privacy)
    imported = ImportedLines(options.imports)
  }

  /// Sets the receipt of the request that contains the next blocks.
  package mutating func receive(_ receipt: BatchReceipt) {
    decoder.receive(receipt)
    walker.receive(receipt)
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
    if block.isFirst { consumer.add(ImportCounts(file: block.place.file, format: block.format, encoding: block.encoding)) }
    if !block.passedOver.isEmpty { consumer.add(ImportCounts(passedOver: block.passedOver)) }
    return block.withText { text in
      switch block.content {
      case .lines:
        if block.format != .native { return decodeImported(text, of: block, into: &consumer) }
        guard block.origins != nil else { return decodeLines(text, at: block.place, into: &consumer) }
        return decodeRecords(text, of: block, into: &consumer)
      case .overlongLine(let byteCount):
        consumer.countLine()
        consumer.refuse(
          Self.tooLong(byteCount), RejectedText(beginning: text.span, byteCount: byteCount, block: block), at: block.place)
      case .damagedTail(let damage): refuseDamage(damage, after: text, of: block, into: &consumer)
      case .deadLetters(let letters):
        for letter in letters {
          consumer.countLine()
          consumer.takeOver(letter, at: block.place)
        }
        return letters.count
      }
      return 1
    }
  }

  /// Decodes lines that were made from the records of a block, and returns their number.
  mutating func decodeRecords<Consumer: EventConsumer & ~Copyable>(
    _ lines: BlockText, of block: LineBlock, into consumer: inout Consumer
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
}

/// Owns the memory of a ``CanonicalEncoder``, so that a copyable decoder can contain it.
final class EncoderStorage {
  // A check of each access for exclusivity would take longer than it is worth: only one event is encoded at a time.
  @exclusivity(unchecked) var encoder = CanonicalEncoder()
}
