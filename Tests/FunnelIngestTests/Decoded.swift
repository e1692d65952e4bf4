import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelSchemas

/// The result of decoding a text: records, dead letters and counts, block by block.
struct Decoded: Equatable {
  var records: [String] = []
  var letters: [DeadLetter] = []
  var lineCount = 0
  var unclaimed: [String] = []

  /// The current time in these tests.
  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  /// Decodes a text that arrives in chunks of the lengths that `nextPiece` returns.
  init(
    _ bytes: [UInt8], now: Timestamp = now, app: String? = nil, catalog: FlowCatalog = builtIn, isTrusted: Bool = false,
    blockBytesTarget: Int = 1 << 20, nextPiece: () -> Int = { .max }
  ) {
    let options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app, isTrusted: isTrusted)
    var decoder = BlockDecoder(options: options, catalog: catalog)
    InMemorySplitting.forEachBlock(
      of: bytes, file: "events.ndjson", by: .lines, blockBytesTarget: blockBytesTarget, nextPiece: nextPiece
    ) { add(decoder.decode($0)) }
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

  /// Adds the result of a block.
  mutating func add(_ block: DecodedBlock) {
    records += String(decoding: block.records, as: UTF8.self).split(separator: "\n").map(String.init)
    letters += block.deadLetters
    lineCount += block.lineCount
    unclaimed += block.events.filter { $0.unclaimed >= 0 }.map { block.unclaimedNames[Int($0.unclaimed)].name }
  }

  /// The `reason: message` of the only dead letter, `accepted` if there is only one record, or the numbers of both.
  var outcome: String {
    if letters.count == 1, records.isEmpty { return "\(letters[0].reason.rawValue): \(letters[0].message)" }
    if records.count == 1, letters.isEmpty { return "accepted" }
    return "\(records.count) records, \(letters.count) dead letters"
  }
}

/// A line of input: a valid event with changes.
enum Line {
  /// The values of a valid event's fields, as JSON.
  static let fields = ["name": #""opened""#, "ts": #""2026-11-20T10:00:00Z""#, "subject": #""s1""#, "app": #""cleaner""#]

  /// Returns a valid event with some fields' JSON replaced or added; a field whose value is empty is left out.
  static func with(_ changes: [String: String]) -> String {
    let fields = fields.merging(changes) { _, new in new }.filter { $0.value != "" }
    return "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// Returns a JSON string with a number of characters.
  static func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }
}
