internal import FunnelDecoding
internal import FunnelIngest
internal import FunnelModel
internal import FunnelSchemas

/// Checks the invariants of the decoder for any bytes. It is the entry point of the fuzzer in `Tests/Fuzzing`.
public final class DecodingCheck {
  private static let now = Timestamp(milliseconds: 1_795_176_000_000)
  private static let options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: "cleaner")
  /// The decoder of blocks of many lines.
  private var many: BlockDecoder
  /// The decoder of blocks of one line, and of small pieces.
  private var one: BlockDecoder
  /// The decoder of canonical records.
  private var stored: BlockDecoder

  /// Creates a check with its own decoders.
  public init() {
    guard let catalog = try? FlowCatalog(layers: [BuiltInSchemas.flowFiles]) else {
      preconditionFailure("the built-in flows are broken")
    }
    many = BlockDecoder(options: Self.options, catalog: catalog)
    one = BlockDecoder(options: Self.options, catalog: catalog)
    stored = BlockDecoder(
      options: DecodingOptions(now: Self.now, privacy: PrivacyRules(keys: [], valueKinds: []), isTrusted: true),
      catalog: catalog)
  }

  /// Decodes bytes as one block and line by line, and requires equal results. It also reads the records and the dead letters
  /// back, and requires them to be unchanged.
  public func run(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    let whole = decode(bytes, blockBytesTarget: 1 << 20, with: &many)
    let lines = decode(bytes, blockBytesTarget: 1, with: &one)
    precondition(whole.records == lines.records, "a block of lines comes to other records than its lines")
    precondition(whole.letters == lines.letters, "a block of lines comes to other dead letters than its lines")
    let again = whole.records.withUnsafeBytes { decode($0, blockBytesTarget: 1 << 20, with: &stored) }
    precondition(again.records == whole.records && again.letters.isEmpty, "records do not read back as they are")
    for letter in whole.letters {
      var line: [UInt8] = []
      letter.appendJSON(at: Self.now, to: &line)
      precondition(DeadLetter.parse(Array(line.dropLast()))?.letter == letter, "a dead letter does not read back as it is")
    }
    for csv in [CSVDetection.never, .always] { checkPieces(of: bytes, csv) }
  }

  /// Decodes bytes as an array, objects that span lines or CSV, whole and in small pieces, and requires equal results.
  private func checkPieces(of bytes: UnsafeRawBufferPointer, _ csv: CSVDetection) {
    let whole = decode(bytes, csv, blockBytesTarget: 1 << 20, pieceBytes: .max, with: &many)
    let pieces = decode(bytes, csv, blockBytesTarget: 64, pieceBytes: 7, with: &one)
    precondition(whole.records == pieces.records, "pieces come to other records than the whole")
    precondition(whole.letters == pieces.letters, "pieces come to other dead letters than the whole")
  }

  /// The canonical records and the rejected lines of some bytes.
  private struct Outcome {
    var records: [UInt8] = []
    var letters: [DeadLetter] = []

    mutating func add(_ block: DecodedBlock) {
      records += block.records
      letters += block.deadLetters
    }
  }

  /// Decodes bytes as an array, objects that span lines or CSV, read in pieces.
  private func decode(
    _ bytes: UnsafeRawBufferPointer, _ csv: CSVDetection, blockBytesTarget: Int, pieceBytes: Int,
    with decoder: inout BlockDecoder
  ) -> Outcome {
    var outcome = Outcome()
    InMemorySplitting.forEachBlock(
      of: Array(bytes), file: "fuzz", by: .detected(csv), blockBytesTarget: blockBytesTarget, nextPiece: { pieceBytes }
    ) { outcome.add(decoder.decode($0)) }
    return outcome
  }

  /// Decodes bytes as lines.
  private func decode(_ bytes: UnsafeRawBufferPointer, blockBytesTarget: Int, with decoder: inout BlockDecoder) -> Outcome {
    var outcome = Outcome()
    InMemorySplitting.forEachBlock(of: Array(bytes), file: "fuzz", by: .lines, blockBytesTarget: blockBytesTarget) {
      outcome.add(decoder.decode($0))
    }
    return outcome
  }
}
