import FunnelDecoding
import FunnelStore
import FunnelModel

/// Decodes the dead letters of gzip members again. Not thread-safe: each worker owns one.
struct DeadLetterTrial {
  /// The result of retrying the letters of a gzip member.
  struct Outcome: Sendable {
    /// The number of letters.
    var letters = 0
    /// The number of letters without a complete line.
    var notReplayable = 0
    /// The number of letters that are rejected again.
    var refused = 0
    /// The number of letters of subjects that were forgotten after the rejection.
    var forgotten = 0
    /// The decoded events.
    var blocks: [DecodedBlock] = []
    /// The remaining letters in their order. A letter that is rejected again has the new reason.
    var remaining = RecordBatch()
    /// Whether the remaining letters differ from the stored ones.
    var isChanged = false

    /// The number of letters to remove.
    var leavingCount: Int { letters - notReplayable - refused }
  }

  /// A letter, and whether it remains in the store.
  private struct Entry {
    var letter: DeadLetter
    /// The time of the rejection.
    let time: Timestamp
    /// Whether the letter is not replayable or is rejected again.
    var stays = true
  }

  /// The properties that letters share if they are decoded as one block.
  private struct Origin: Hashable, Comparable {
    var app: String?
    var format: ImportFormat
    var header: [UInt8]?

    init(_ letter: DeadLetter) {
      app = letter.defaultApp
      format = letter.format
      header = letter.header
    }

    static func < (lhs: Origin, rhs: Origin) -> Bool {
      (lhs.app ?? "", lhs.format.rawValue, String(decoding: lhs.header ?? [], as: UTF8.self))
        < (rhs.app ?? "", rhs.format.rawValue, String(decoding: rhs.header ?? [], as: UTF8.self))
    }
  }

  /// The approximate size in bytes of the lines that are decoded together.
  private static let blockBytesTarget = 1 << 20

  private let options: DecodingOptions
  private let catalog: FlowCatalog
  private let subjectPolicy: SubjectPolicy?
  private var decoders: [String?: BlockDecoder] = [:]

  /// Creates a trial.
  ///
  /// - Parameter options: The decoding options. Their default app applies to letters without one.
  init(options: DecodingOptions, catalog: FlowCatalog) {
    self.options = options
    self.catalog = catalog
    subjectPolicy = SubjectPolicy(options)
  }

  /// Retries the letters of an inflated gzip member.
  ///
  /// - Throws: `inputOutput` if a line is not a dead letter.
  mutating func outcome(
    of lines: [UInt8], _ member: MemberReference, wanting wants: DecodingWants
  ) throws(FunnelError) -> Outcome {
    var entries: [Entry] = []
    try DeadLetters.forEach(in: lines, of: member.logFile) { letter, time, _ in
      entries.append(Entry(letter: letter, time: time))
    }
    var outcome = Outcome(letters: entries.count)
    var indices: [Origin: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      // An ingested line has no line feed. One in a letter would shift the line numbers that map rejections to letters.
      if entry.letter.isReplayable, entry.letter.header != nil || !entry.letter.raw.contains(UInt8(ascii: "\n")) {
        indices[Origin(entry.letter), default: []].append(index)
      } else {
        outcome.notReplayable += 1
      }
    }
    for (origin, indices) in indices.sorted(by: { $0.key < $1.key }) {
      var remaining = indices[...]
      while !remaining.isEmpty {
        decode(Self.removeChunk(from: &remaining, of: entries), of: origin, &entries, wanting: wants, &outcome)
      }
    }
    for entry in entries where entry.stays {
      var line: [UInt8] = []
      entry.letter.appendJSON(at: entry.time, to: &line)
      outcome.remaining.append(line.dropLast(), timestamp: entry.time)
    }
    outcome.isChanged = outcome.remaining.bytes != lines
    return outcome
  }

  /// Removes and returns the indices of the next letters to decode as one block.
  private static func removeChunk(from indices: inout ArraySlice<Int>, of entries: [Entry]) -> [Int] {
    var chunk: [Int] = []
    var bytes = 0
    while bytes < blockBytesTarget, chunk.count < Limits.blockLinesMax, let index = indices.popFirst() {
      chunk.append(index)
      bytes += entries[index].letter.raw.count
    }
    return chunk
  }

  /// Decodes the lines of some letters as one block, and marks the letters that are rejected again.
  private mutating func decode(
    _ chunk: [Int], of origin: Origin, _ entries: inout [Entry], wanting wants: DecodingWants, _ outcome: inout Outcome
  ) {
    for index in chunk { entries[index].stays = false }
    let app = origin.app
    var decoder = decoders.removeValue(forKey: app) ?? decoder(for: app)
    var block = decoder.decode(Self.block(of: chunk.map { entries[$0].letter.raw }, origin), wanting: wants)
    decoders[app] = decoder
    for var rejected in block.deadLetters {
      let index = chunk[rejected.line]
      let original = entries[index].letter
      rejected.file = original.file
      rejected.line = original.line
      rejected.byteOffset = original.byteOffset
      // The file name may contain a forgotten subject too.
      if let subjectPolicy, subjectPolicy.screened(rejected) == nil {
        outcome.forgotten += 1
      } else {
        entries[index].letter = rejected
        entries[index].stays = true
        outcome.refused += 1
      }
    }
    block.deadLetters = []
    outcome.forgotten += block.forgottenCount
    outcome.blocks.append(block)
  }

  /// Returns a block of lines. The line number of each is its index.
  private static func block(of lines: [[UInt8]], _ origin: Origin) -> LineBlock {
    if let header = origin.header { return CSVReplay.block(of: lines, header: header) }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line
      // The decoder removes one carriage return before a line feed. The added one protects a carriage return of the line.
      bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }
    let place = LineBlock.Place(file: "", line: 0, byteOffset: 0)
    var block = LineBlock(place: place, content: .lines, bytes: bytes)
    block.format = origin.format
    return block
  }

  /// Returns a decoder with a default app, or with that of the options if `app` is `nil`.
  private func decoder(for app: String?) -> BlockDecoder {
    var options = options
    options.defaultApp = app ?? options.defaultApp
    return BlockDecoder(options: options, catalog: catalog)
  }
}
