import FunnelStore
import FunnelModel

/// Retries the dead letters of members. It must not be shared between threads.
struct DeadLetterTrial {
  /// The result of retrying the letters of a member.
  struct Outcome: Sendable {
    var letters = 0
    var notReplayable = 0
    var refused = 0
    /// The number of lines of subjects who have been forgotten since.
    var forgotten = 0
    /// The decoded events.
    var blocks: [DecodedBlock] = []
    /// The letters that stay, in their order; a letter that is rejected again has the new reason.
    var rest = RecordBatch()
    /// Whether the letters that stay differ from those that were there.
    var isChanged = false

    /// The number of letters that do not stay.
    var leavingCount: Int { letters - notReplayable - refused }
  }

  private typealias Entry = (letter: DeadLetter, time: Timestamp, stays: Bool)

  /// What letters must have in common to be decoded together.
  private struct Origin: Hashable, Comparable {
    var app: String?
    var format: ImportFormat
    var header: [UInt8]?

    init(_ letter: DeadLetter) {
      (app, format, header) = (letter.defaultApp, letter.format, letter.header)
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
  private let gate: SubjectPolicy?
  private var decoders: [String?: BlockDecoder] = [:]

  /// Creates a trial.
  ///
  /// - Parameter options: The decoding options; their default app applies to letters without one.
  init(options: DecodingOptions, catalog: FlowCatalog) {
    self.options = options
    self.catalog = catalog
    gate = SubjectPolicy(options)
  }

  /// Retries the letters of an inflated member.
  ///
  /// - Throws: `inputOutput` if a line is not a dead letter.
  mutating func outcome(
    of lines: [UInt8], _ member: MemberReference, wanting wants: DecodingWants
  ) throws(FunnelError) -> Outcome {
    var entries: [Entry] = []
    try DeadLetters.forEach(in: lines, of: member.part) { letter, time, _ in entries.append((letter, time, true)) }
    var outcome = Outcome(letters: entries.count)
    var numbers: [Origin: [Int]] = [:]
    for (number, entry) in entries.enumerated() {
      // An ingested line never contains a line feed; one here would shift the line numbers by which results are matched to letters.
      if entry.letter.isReplayable, entry.letter.header != nil || !entry.letter.raw.contains(UInt8(ascii: "\n")) {
        numbers[Origin(entry.letter), default: []].append(number)
      } else {
        outcome.notReplayable += 1
      }
    }
    for (origin, numbers) in numbers.sorted(by: { $0.key < $1.key }) {
      var rest = numbers[...]
      while !rest.isEmpty { decode(Self.takeRun(from: &rest, of: entries), of: origin, &entries, wanting: wants, &outcome) }
    }
    for entry in entries where entry.stays {
      var line: [UInt8] = []
      entry.letter.appendJSON(at: entry.time, to: &line)
      outcome.rest.append(line.dropLast(), timestamp: entry.time)
    }
    outcome.isChanged = outcome.rest.bytes != lines
    return outcome
  }

  private static func takeRun(from rest: inout ArraySlice<Int>, of entries: [Entry]) -> [Int] {
    var run: [Int] = []
    var bytes = 0
    while bytes < blockBytesTarget, run.count < Limits.blockLinesMax, let number = rest.popFirst() {
      run.append(number)
      bytes += entries[number].letter.raw.count
    }
    return run
  }

  /// Decodes the lines of some letters as one block, and records which of them stay.
  private mutating func decode(
    _ run: [Int], of origin: Origin, _ entries: inout [Entry], wanting wants: DecodingWants, _ outcome: inout Outcome
  ) {
    for number in run { entries[number].stays = false }
    let app = origin.app
    var decoder = decoders.removeValue(forKey: app) ?? decoder(for: app)
    var block = decoder.decode(Self.block(of: run.map { entries[$0].letter.raw }, origin), wanting: wants)
    decoders[app] = decoder
    for var refused in block.deadLetters {
      let number = run[refused.line]
      let original = entries[number].letter
      (refused.file, refused.line, refused.byteOffset) = (original.file, original.line, original.byteOffset)
      // The file name may contain a forgotten subject, too.
      if let gate, gate.screened(refused) == nil {
        outcome.forgotten += 1
      } else {
        (entries[number].letter, entries[number].stays) = (refused, true)
        outcome.refused += 1
      }
    }
    block.deadLetters = []
    outcome.forgotten += block.forgottenCount
    outcome.blocks.append(block)
  }

  /// Returns a block of lines, which are numbered by their index.
  private static func block(of lines: [[UInt8]], _ origin: Origin) -> LineBlock {
    if let header = origin.header { return CSVReplay.block(of: lines, header: header) }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line
      // The decoder strips one carriage return before the line feed; the added one preserves a carriage return of the line itself.
      bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }
    let place = LineBlock.Place(file: "", line: 0, byteOffset: 0)
    var block = LineBlock(place: place, content: .lines, bytes: bytes)
    block.format = origin.format
    return block
  }

  private func decoder(for app: String?) -> BlockDecoder {
    var options = options
    options.defaultApp = app ?? options.defaultApp
    return BlockDecoder(options: options, catalog: catalog)
  }
}
