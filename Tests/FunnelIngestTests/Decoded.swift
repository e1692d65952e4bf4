import FunnelIngest
import FunnelModel
import FunnelSchemas

/// What ingest makes of a text: records, dead letters and counts, as one block after the other gives them.
struct Decoded: Equatable {
  var records: [String] = []
  var letters: [DeadLetter] = []
  var lineCount = 0
  var unclaimed: [String] = []

  /// The present of all these tests.
  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  /// Decodes a text, handed over in pieces of the lengths that `nextPiece` gives.
  init(
    _ bytes: [UInt8], now: Timestamp = now, app: String? = nil, catalog: FlowCatalog = builtIn, isTrusted: Bool = false,
    blockBytesTarget: Int = 1 << 20, nextPiece: () -> Int = { .max }
  ) {
    let options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app, isTrusted: isTrusted)
    var decoder = BlockDecoder(options: options, catalog: catalog)
    bytes.withUnsafeBytes {
      LineSplitter.forEachBlock(
        of: $0, file: "events.ndjson", blockBytesTarget: blockBytesTarget, nextPiece: nextPiece
      ) { add(decoder.decode($0)) }
    }
  }

  init(_ text: String, now: Timestamp = now, app: String? = nil, catalog: FlowCatalog = builtIn, isTrusted: Bool = false) {
    self.init(Array(text.utf8), now: now, app: app, catalog: catalog, isTrusted: isTrusted)
  }

  /// The built-in flows.
  static let builtIn: FlowCatalog = {
    guard let catalog = try? FlowCatalog(layers: [BuiltInSchemas.flowFiles]) else {
      preconditionFailure("the flows are broken")
    }
    return catalog
  }()

  /// Takes in what a block came to.
  mutating func add(_ block: DecodedBlock) {
    records += String(decoding: block.records, as: UTF8.self).split(separator: "\n").map(String.init)
    letters += block.deadLetters
    lineCount += block.lineCount
    unclaimed += block.events.filter { $0.unclaimed >= 0 }.map { block.unclaimedNames[Int($0.unclaimed)].name }
  }

  /// `reason: message` of the only dead letter, or the only record, or what else there is.
  var outcome: String {
    if letters.count == 1, records.isEmpty { return "\(letters[0].reason.rawValue): \(letters[0].message)" }
    if records.count == 1, letters.isEmpty { return "accepted" }
    return "\(records.count) records, \(letters.count) dead letters"
  }
}

/// A line of input: a sound event, changed.
enum Line {
  /// The values of a sound event's fields, as JSON.
  static let fields = ["name": #""opened""#, "ts": #""2026-11-20T10:00:00Z""#, "subject": #""s1""#, "app": #""cleaner""#]

  /// A sound event with some fields' JSON replaced or added, or left out where the value is empty.
  static func with(_ changes: [String: String]) -> String {
    let fields = fields.merging(changes) { _, new in new }.filter { $0.value != "" }
    return "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// A JSON string of so many bytes.
  static func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }
}
