import FunnelImport
import FunnelModel

// Decoding of imported records: each is translated to native lines, which are decoded like lines of native input.
extension BlockDecoder {
  /// Decodes the imported records of a block, one a line, and returns the number of its lines.
  mutating func decodeImported<Consumer: EventConsumer & ~Copyable>(
    _ text: BlockText, of block: LineBlock, into consumer: inout Consumer
  ) -> Int {
    imported.removeAll()
    var start = 0
    var lineCount = 0
    while start < text.count {
      let end = text.firstOffset(of: Byte.lineFeed, in: start..<text.count) ?? text.count
      translate(text, start..<end, line: lineCount, of: block, into: &consumer)
      start = end + 1
      lineCount += 1
    }
    takeLines(of: block, into: &consumer)
    return lineCount
  }

  /// Decodes the bytes before damage. Returns `false` if they are not a whole record.
  mutating func takeImportedTail<Consumer: EventConsumer & ~Copyable>(
    _ tail: BlockText, of block: LineBlock, into consumer: inout Consumer
  ) -> Bool {
    imported.removeAll()
    let record = ImportedLines.Record(line: 0, bytes: 0..<tail.count)
    guard case .taken = outcome(of: tail, record, format: block.format) else { return false }
    takeLines(of: block, into: &consumer)
    return true
  }

  /// Decodes the native lines of a block's records, and adds the counts of the translation.
  private mutating func takeLines<Consumer: EventConsumer & ~Copyable>(of block: LineBlock, into consumer: inout Consumer) {
    imported.withLines { lines in _ = decodeRecords(lines, of: block, into: &consumer) }
    consumer.add(imported.takeCounts(of: block))
  }

  /// Translates the record in a range of a block, or rejects it.
  private mutating func translate<Consumer: EventConsumer & ~Copyable>(
    _ text: BlockText, _ range: Range<Int>, line: Int, of block: LineBlock, into consumer: inout Consumer
  ) {
    let whole = text[range].trimmingSuffix(Byte.carriageReturn)
    let content = withoutLeadingZeros(whole, in: &consumer)
    let end = range.lowerBound + whole.count
    let record = ImportedLines.Record(line: line, bytes: end - content.count..<end)
    let rejection = block.rejection(ofLine: line)
    guard rejection != nil || !content.isBlank else { return }
    consumer.countLine()
    if let rejection { return refuse(rejection, record, of: block, into: &consumer) }
    guard content.count <= Limits.lineBytesMax else {
      return refuse(Self.tooLong(content.count), record, of: block, into: &consumer)
    }
    switch outcome(of: content, record, format: block.format) {
    case .taken: return
    case .refused(let rejection): refuse(rejection, record, of: block, into: &consumer)
    case .unreadable: refuse(diagnosis(of: content), record, of: block, into: &consumer)
    }
  }

  /// Translates one record to native lines.
  private mutating func outcome(
    of text: BlockText, _ record: ImportedLines.Record, format: ImportFormat
  ) -> ImportedLines.Outcome {
    imported.append(text, record, format: format) { line in
      do throws(Rejection) {
        _ = try validate(line)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Returns the rejection of a record that is not one JSON object.
  private mutating func diagnosis(of text: BlockText) -> Rejection {
    // The decoder of native events parses by the same rules, and composes the message.
    do throws(Rejection) {
      _ = try validate(text)
    } catch {
      return error
    }
    return Rejection(.invalidJSON, "the record is not one JSON object")
  }
}

extension LineBlock {
  /// Returns the position of a record in the input.
  func place(of record: ImportedLines.Record) -> Place {
    var place = place
    if let origins {
      place.line = origins.records[record.line].line
      place.byteOffset = origins.records[record.line].byteOffset
    } else {
      place.line += record.line
      place.byteOffset += record.bytes.lowerBound
    }
    return place
  }

  /// Returns the rejection of a line by its splitter, or `nil` if the line may be an event.
  func rejection(ofLine line: Int) -> Rejection? { origins?.records[line].rejection }
}
