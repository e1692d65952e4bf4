import FunnelModel

// Passing rejected lines, records and damaged input to the consumer.
extension BlockDecoder {
  /// Returns the rejection of a line that is longer than the limit.
  static func tooLong(_ byteCount: Int) -> Rejection {
    Rejection(.lineTooLong, "the line has \(byteCount) bytes; \(Limits.lineBytesMax) are allowed")
  }

  /// Rejects a line, or the record of the input that it was made from.
  func refuse<Consumer: EventConsumer & ~Copyable>(
    _ rejection: Rejection, line: BlockText, at place: LineBlock.Place, into consumer: inout Consumer
  ) {
    if let block = recordBlock {
      guard block.format == .native else {
        return refuse(rejection, imported.records[place.line], of: block, into: &consumer)
      }
      return refuse(rejection, ImportedLines.Record(line: place.line, bytes: 0..<0), line, of: block, into: &consumer)
    }
    if rejection.reason == .lineTooLong {
      consumer.refuse(rejection, RejectedText(beginning: line.span, byteCount: line.count), at: place)
    } else {
      consumer.refuse(rejection, RejectedText(raw: line.span, json: line.span), at: place)
    }
  }

  /// Rejects a record of a block.
  ///
  /// - Parameter line: The line that was made from the record, or `nil` if the line is the record's bytes.
  func refuse<Consumer: EventConsumer & ~Copyable>(
    _ rejection: Rejection, _ record: ImportedLines.Record, _ line: BlockText? = nil, of block: LineBlock,
    into consumer: inout Consumer
  ) {
    block.withText { text in
      let line = line ?? text[record.bytes]
      // Personal values are masked by the paths of the format.
      if let normalized = imported.normalized(line, format: block.format) {
        return Self.refuse(rejection, record, line.span, json: normalized.span, of: block, into: &consumer)
      }
      if let original = block.origins?.text(of: record.line) {
        Self.refuse(rejection, record, original.span, json: line.span, of: block, into: &consumer)
      } else {
        Self.refuse(rejection, record, line.span, json: line.span, of: block, into: &consumer)
      }
    }
  }

  /// Rejects a record of a block with its text in the input, which is cut if it is too long.
  private static func refuse<Consumer: EventConsumer & ~Copyable>(
    _ rejection: Rejection, _ record: ImportedLines.Record, _ raw: Span<UInt8>, json: Span<UInt8>, of block: LineBlock,
    into consumer: inout Consumer
  ) {
    if raw.count > Limits.lineBytesMax {
      consumer.refuse(
        rejection, RejectedText(beginning: raw, byteCount: raw.count, block: block), at: block.place(of: record))
    } else {
      consumer.refuse(rejection, RejectedText(raw: raw, json: json, block: block), at: block.place(of: record))
    }
  }

  /// Adds a dead letter for damaged input.
  ///
  /// - Parameter tail: The bytes before the damage. If they are a whole event, the event is decoded. Otherwise
  ///   they become the text of the dead letter.
  mutating func refuseDamage<Consumer: EventConsumer & ~Copyable>(
    _ damage: Rejection, after tail: BlockText, of block: LineBlock, into consumer: inout Consumer
  ) {
    var lost = tail
    // The beginning of a CSV record is not a line.
    if block.origins?.header == nil, !tail.isEmpty, takeTail(tail, of: block, into: &consumer) {
      consumer.countLine()
      lost = .empty
    }
    consumer.countLine()
    consumer.refuse(damage, RejectedText(raw: lost.span, json: lost.span, block: block), at: block.place)
  }

  /// Decodes the bytes before damage. Returns `false` if they are not a whole event.
  private mutating func takeTail<Consumer: EventConsumer & ~Copyable>(
    _ tail: BlockText, of block: LineBlock, into consumer: inout Consumer
  ) -> Bool {
    guard block.format == .native else { return takeImportedTail(tail, of: block, into: &consumer) }
    return (try? take(tail, into: &consumer)) != nil
  }
}
