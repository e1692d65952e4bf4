import FunnelStore
import FunnelModel

/// Tries the dead letters of members again. Not to be shared between threads.
struct LetterTrial {
  /// What became of the letters of a member.
  struct Outcome: Sendable {
    var letters = 0
    var notReplayable = 0
    var refused = 0
    /// Lines of somebody who was forgotten since.
    var forgotten = 0
    /// What passed.
    var blocks: [DecodedBlock] = []
    /// The letters that stay, in their order; those that are refused again with the reason of today.
    var rest = RecordBatch()
    /// Whether what stays is other than what was there.
    var isChanged = false

    /// Letters that do not stay.
    var leavingCount: Int { letters - notReplayable - refused }
  }

  private typealias Entry = (letter: DeadLetter, time: Timestamp, stays: Bool)

  /// Bytes of lines that are decoded together, about.
  private static let blockBytesTarget = 1 << 20

  private let options: DecodingOptions
  private let catalog: FlowCatalog
  private let gate: SubjectGate?
  private var decoders: [String?: BlockDecoder] = [:]

  /// - Parameter options: how lines are read; the app they name is that of letters without one.
  init(options: DecodingOptions, catalog: FlowCatalog) {
    self.options = options
    self.catalog = catalog
    gate = SubjectGate(options)
  }

  /// Tries the letters of an inflated member.
  ///
  /// - Throws: `inputOutput` where a line is no dead letter.
  mutating func outcome(
    of lines: [UInt8], _ member: MemberReference, wanting wants: DecodingWants
  ) throws(FunnelError) -> Outcome {
    var entries: [Entry] = []
    try DeadLetterBox.forEach(in: lines, of: member.part) { entries.append(($0, $1, true)) }
    var outcome = Outcome(letters: entries.count)
    var numbers: [String?: [Int]] = [:]
    for (number, entry) in entries.enumerated() {
      // A line feed no line of ours has: of what it parts nobody could say any more which belongs to which.
      if entry.letter.isReplayable, !entry.letter.raw.contains(UInt8(ascii: "\n")) {
        numbers[entry.letter.defaultApp, default: []].append(number)
      } else {
        outcome.notReplayable += 1
      }
    }
    for (app, numbers) in numbers.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      var rest = numbers[...]
      while !rest.isEmpty { decode(Self.takeRun(from: &rest, of: entries), of: app, &entries, wanting: wants, &outcome) }
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

  /// Decodes the lines of some letters as one block, and notes which of them stay.
  private mutating func decode(
    _ run: [Int], of app: String?, _ entries: inout [Entry], wanting wants: DecodingWants, _ outcome: inout Outcome
  ) {
    var bytes: [UInt8] = []
    for number in run {
      bytes += entries[number].letter.raw
      // A carriage return before the line feed is taken for its part: so one that is the line's own stays.
      bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
      entries[number].stays = false
    }
    var decoder = decoders.removeValue(forKey: app) ?? decoder(for: app)
    // Lines are numbered by their place in the run.
    let place = LineBlock.Place(file: "", line: 0, byteOffset: 0)
    var block = decoder.decode(LineBlock(place: place, content: .lines, bytes: bytes), wanting: wants)
    decoders[app] = decoder
    for var refused in block.deadLetters {
      let number = run[refused.line]
      let original = entries[number].letter
      (refused.file, refused.line, refused.byteOffset) = (original.file, original.line, original.byteOffset)
      // Its file may bear the name of somebody who was forgotten, too.
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

  private func decoder(for app: String?) -> BlockDecoder {
    var options = options
    options.defaultApp = app ?? options.defaultApp
    return BlockDecoder(options: options, catalog: catalog)
  }
}
