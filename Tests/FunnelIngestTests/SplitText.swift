import FunnelDecoding
import FunnelIngest

/// The records into which a text is split, as the file of a name would be.
struct SplitText: Equatable {
  struct Record: Equatable {
    var text: String
    var line: Int
    var byteOffset: Int
    /// The text in the input, if the record is not a piece of it.
    var raw: String?
    var rejection: String?
  }

  var records: [Record] = []
  /// The text of blocks whose lines are lines of the input.
  var lines = ""
  /// Lengths and places of records that are too long.
  var overlong: [Record] = []
  /// What was left before the damage.
  var tails: [Record] = []
  var blockCount = 0

  init(
    _ bytes: [UInt8], file: String = "events.json", csv: CSVDetection = .byName, blockBytesTarget: Int = 1 << 20,
    damage: Rejection? = nil, nextPiece: () -> Int = { .max }
  ) {
    InMemorySplitting.forEachBlock(
      of: bytes, file: file, by: .detected(csv), blockBytesTarget: blockBytesTarget, damage: damage, nextPiece: nextPiece
    ) { take($0) }
  }

  init(_ text: String, file: String = "events.json", blockBytesTarget: Int = 1 << 20, damage: Rejection? = nil) {
    self.init(Array(text.utf8), file: file, blockBytesTarget: blockBytesTarget, damage: damage)
  }

  private mutating func take(_ block: LineBlock) {
    blockCount += 1
    let text = block.withBytes { String(decoding: $0, as: UTF8.self) }
    let whole = Record(text: text, line: block.place.line, byteOffset: block.place.byteOffset)
    switch block.content {
    case .overlongLine(let total): overlong.append(Record(text: "\(total)", line: whole.line, byteOffset: whole.byteOffset))
    case .damagedTail(let damage):
      tails.append(Record(text: text, line: whole.line, byteOffset: whole.byteOffset, rejection: damage.message))
    case .deadLetters: preconditionFailure("only files of dead letters have them")
    case .lines:
      guard let origins = block.origins else { return lines += text }
      precondition(text.hasSuffix("\n"))
      let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
      precondition(lines.count == origins.records.count, "a record is not one line: \(text)")
      for (index, line) in lines.enumerated() {
        let record = origins.records[index]
        let raw = origins.text(of: index).map { String(decoding: $0, as: UTF8.self) }
        records.append(
          Record(
            text: String(line), line: record.line, byteOffset: record.byteOffset, raw: raw,
            rejection: record.rejection?.message))
      }
    }
  }

  /// Compares what came out, not in how many blocks.
  static func == (left: SplitText, right: SplitText) -> Bool {
    (left.records, left.lines, left.overlong, left.tails) == (right.records, right.lines, right.overlong, right.tails)
  }
}
