import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelSchemas
import FunnelSystem
import FunnelTestSupport

/// A store with small members and parts, from which subjects are erased.
final class ErasedStore {
  let folder: TemporaryFolder
  private var ingests = 0

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path("store") }

  /// Ingests lines as one file.
  @discardableResult
  func ingest(_ lines: [String], threads: Int = 1, isStrict: Bool = false) throws -> IngestSummary {
    ingests += 1
    let text = lines.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    try folder.write(Array(text.utf8), to: "\(ingests).ndjson")
    return try ingest(files: ["\(ingests).ndjson"], threads: threads, isStrict: isStrict)
  }

  @discardableResult
  func ingest(
    files: [String], app: String? = nil, now: Timestamp = Decoded.now, threads: Int = 1, isStrict: Bool = false
  ) throws -> IngestSummary {
    let writer = try writer()
    var decoding = try decoding(of: writer, now: now)
    decoding.defaultApp = app
    let options = Ingestor.Options(decoding: decoding, threads: threads, isStrict: isStrict)
    return try Ingestor(into: writer, catalog: Decoded.builtIn, options: options)
      .ingest(try InputFile.files(at: files.map { folder.path($0) }))
  }

  @discardableResult
  func retry(
    on writer: StoreWriter, now: Timestamp, threads: Int = 1, commitRawBytesTarget: Int = Limits.commitRawBytesTarget
  ) throws -> DeadLetterRetry.Summary {
    let options = Ingestor.Options(
      decoding: try decoding(of: writer, now: now), threads: threads, commitRawBytesTarget: commitRawBytesTarget)
    return try DeadLetterRetry.run(on: writer, catalog: Decoded.builtIn, options: options)
  }

  @discardableResult
  func forget(_ subjects: [String], threads: Int = 1, includesUsers: Bool = false) throws -> Erasure.Plan {
    let writer = try writer(threads: threads)
    let erasure = Erasure(of: subjects, key: nil, includesUsers: includesUsers)
    let plan = try erasure.plan(in: writer.reader, at: Decoded.now, threads: threads)
    _ = try erasure.apply(plan, on: writer, at: Decoded.now, threads: threads)
    return plan
  }

  func writer(threads: Int = 1) throws -> StoreWriter {
    var options = StoreWriter.Options()
    options.threads = threads
    options.memberRawBytesTarget = 700
    options.logFileBytesTarget = 900
    return try StoreWriter.open(
      path, lockTimeout: lockPatience, options: options, fileSystem: FaultyFileSystem())
  }

  func reader() throws -> StoreReader { try StoreReader.open(path) }

  func lines(of area: LogFileName.Area) throws -> [String] {
    try members(of: area).flatMap { $0.text.split(separator: "\n").map(String.init) }
  }

  func letters() throws -> [DeadLetters.Entry] { try letters(of: reader()) }

  func letters(of reader: StoreReader) throws -> [DeadLetters.Entry] {
    // An erasure changes the numbers of parts, and the stores that are compared have other folders and line numbers.
    try DeadLetters.entries(of: reader).map { entry in
      var entry = entry
      entry.part.number = 0
      entry.letter.file = entry.letter.file.split(separator: "/").last.map(String.init) ?? ""
      (entry.letter.line, entry.letter.byteOffset) = (0, 0)
      return entry
    }
  }

  struct Member {
    var text: String
    var bytes: [UInt8]
  }

  func members(of area: LogFileName.Area) throws -> [Member] {
    let reader = try reader()
    return try reader.members(of: area).map { member in
      let part = try folder.contents("store/\(member.logFile.path)")
      return Member(
        text: String(decoding: try reader.read(member), as: UTF8.self),
        bytes: Array(part[member.offset..<(member.offset + member.header.memberBytes)]))
    }
  }

  private func decoding(of writer: StoreWriter, now: Timestamp = Decoded.now) throws -> DecodingOptions {
    var decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy)
    decoding.forgotten = try Tombstones(of: writer.reader)
    return decoding
  }
}
