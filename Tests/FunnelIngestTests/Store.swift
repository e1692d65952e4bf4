import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelModel
import FunnelSchemas
import FunnelTestSupport

/// A store in a temporary folder into which texts are ingested.
final class Store {
  let folder: TemporaryFolder
  var catalog = Decoded.builtIn

  init() throws { folder = try TemporaryFolder() }

  /// Ingests each text as a file, in this order.
  @discardableResult
  func ingest(
    _ texts: [String], names: [String] = (0..<100).map { "\($0).ndjson" }, now: Timestamp = Decoded.now, threads: Int = 1,
    isStrict: Bool = false, commitRawBytesTarget: Int = 256 << 20
  ) throws -> IngestSummary {
    for (text, name) in zip(texts, names) { try folder.write(Array(text.utf8), to: name) }
    let options = Ingestor.Options(
      decoding: DecodingOptions(now: now, privacy: BuiltInSchemas.privacy), threads: threads, isStrict: isStrict,
      commitRawBytesTarget: commitRawBytesTarget)
    return try Ingestor(into: writer(), catalog: catalog, options: options)
      .ingest(try InputFile.files(at: zip(texts, names).map { folder.path($1) }))
  }

  /// Replays the dead letters.
  func retry(app: String? = nil, now: Timestamp = Decoded.now) throws -> DeadLetterRetry.Summary {
    let decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    return try DeadLetterRetry.run(on: writer(), catalog: catalog, options: .init(decoding: decoding))
  }

  private func writer() throws -> StoreWriter {
    try StoreWriter.open(folder.path("store"), lockTimeout: lockPatience)
  }

  /// Opens the store for reading.
  func reader() throws -> StoreReader { try StoreReader.open(folder.path("store")) }

  /// Returns the records of the log, in its order.
  func records() throws -> [String] {
    let reader = try reader()
    return try reader.members().flatMap {
      String(decoding: try reader.read($0), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// Returns the dead letters.
  func letters() throws -> [DeadLetter] { try DeadLetters.entries(of: reader()).map(\.letter) }
}
