import FunnelModel

/// The encoding of one line of the journal; ``Journal`` documents the format.
enum JournalLine {
  /// The reason why bytes are not a valid line of a journal, as a clause with "it" for the line.
  struct Mistake: Error, Hashable {
    var reason: String
  }

  /// Returns the bytes of a commit's line without its line feed, and the commit with its hash filled in.
  static func format(_ unsigned: Commit) -> (line: [UInt8], commit: Commit) {
    var line: [UInt8] = []
    line.append(text: "{\"v\":\(version(for: unsigned)),\"commit\":\(unsigned.number),\"kind\":\"\(unsigned.kind)\"")
    if let first = unsigned.continues { line.append(text: ",\"continues\":\(first)") }
    line.append(text: ",\"at\":\"\(unsigned.at)\"")
    line.append(text: ",\"events\":\(unsigned.events),\"rejected\":\(unsigned.rejected)")
    line.append(text: ",\"first_ts\":")
    line.append(unsigned.timestamps?.lowerBound)
    line.append(text: ",\"last_ts\":")
    line.append(unsigned.timestamps?.upperBound)
    line.append(text: ",\"appended\":[")
    for (index, extent) in unsigned.appended.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      line.append(text: "{\"path\":\"\(extent.logFile.path)\",\"offset\":\(extent.offset),\"bytes\":\(extent.bytes)")
      line.append(text: ",\"raw_bytes\":\(extent.rawBytes),\"events\":\(extent.records)")
      if !extent.origins.isEmpty {
        let origins = extent.origins.map { "[\($0.commit),\($0.records)]" }.joined(separator: ",")
        line.append(text: ",\"origins\":[\(origins)]")
      }
      line.append(text: ",\"sha256\":\"\(extent.sha256)\"}")
    }
    line.append(text: "],\"removed\":[")
    line.append(text: unsigned.removed.map { "\"\($0.path)\"" }.joined(separator: ","))
    line.append(text: "],\"prev\":\"\(unsigned.previousHash)\"")
    var commit = unsigned
    commit.hash = SealedLine.seal(&line)
    return (line, commit)
  }

  /// Returns the version of a commit's line: the oldest that can encode the commit.
  private static func version(for commit: Commit) -> Int {
    commit.continues != nil || commit.appended.contains { !$0.origins.isEmpty } ? Journal.version : Journal.firstVersion
  }

  /// Returns the version of a line without parsing its remainder, or `nil` if the line does not begin with a version.
  static func version(of line: ArraySlice<UInt8>) -> Int? {
    var scanner = LineScanner(line)
    guard scanner.skip("{\"v\":"), let version = scanner.integer(), scanner.skip(",") else { return nil }
    return version
  }

  /// Parses a line without its line feed and checks its hash.
  static func parse(_ line: ArraySlice<UInt8>) throws(Mistake) -> Commit {
    let (body, hash) = try SealedLine.open(line)
    var scanner = LineScanner(body)
    guard let commit = commit(from: &scanner, hash: hash), scanner.isAtEnd else {
      throw Mistake(reason: "it is not in the form of a commit")
    }
    return commit
  }

  private static func commit(from scanner: inout LineScanner, hash: String) -> Commit? {
    guard scanner.skip("{\"v\":"), let version = scanner.integer(),
      scanner.skip(",\"commit\":"), let number = scanner.integer(),
      scanner.skip(",\"kind\":"), let kind = scanner.string(),
      let continues = scanner.optionalInteger(",\"continues\":"),
      scanner.skip(",\"at\":"), let at = scanner.timestamp(),
      scanner.skip(",\"events\":"), let events = scanner.integer(),
      scanner.skip(",\"rejected\":"), let rejected = scanner.integer(),
      let timestamps = timestamps(from: &scanner),
      scanner.skip(",\"appended\":"), let appended = scanner.array(of: extent(from:)),
      scanner.skip(",\"removed\":"), let removed = scanner.array(of: { $0.string().flatMap { LogFileName(path: $0) } }),
      scanner.skip(",\"prev\":\""), let previousHash = scanner.hash(), scanner.skip("\"")
    else { return nil }
    let commit = Commit(
      number: number, kind: Commit.Kind(kind), continues: continues.value, at: at, timestamps: timestamps.value,
      appended: appended,
      removed: removed, previousHash: previousHash, hash: hash)
    let isConsistent = commit.events == events && commit.rejected == rejected && version == Self.version(for: commit)
    return isConsistent && continues.value.map { $0 > 0 && $0 < number } ?? true
      && appended.allSatisfy { $0.hasOrigins(before: number) }
      ? commit : nil
  }

  /// Consumes the timestamps of the first and the last event. Returns `nil` if only one is present, or if they are not in order.
  private static func timestamps(from scanner: inout LineScanner) -> LineScanner.Field<ClosedRange<Timestamp>>? {
    guard scanner.skip(",\"first_ts\":"), let first = scanner.optionalTimestamp(),
      scanner.skip(",\"last_ts\":"), let last = scanner.optionalTimestamp()
    else { return nil }
    switch (first, last) {
    case (.absent, .absent): return .absent
    case (.present(let first), .present(let last)) where first <= last: return .present(first...last)
    default: return nil
    }
  }

  private static func extent(from scanner: inout LineScanner) -> Extent? {
    guard scanner.skip("{\"path\":"), let logFile = scanner.string().flatMap({ LogFileName(path: $0) }),
      scanner.skip(",\"offset\":"), let offset = scanner.integer(),
      scanner.skip(",\"bytes\":"), let bytes = scanner.integer(),
      scanner.skip(",\"raw_bytes\":"), let rawBytes = scanner.integer(),
      scanner.skip(",\"events\":"), let records = scanner.integer(), let origins = origins(from: &scanner),
      scanner.skip(",\"sha256\":\""), let sha256 = scanner.hash(), scanner.skip("\"}")
    else { return nil }
    return Extent(
      logFile: logFile, offset: offset, bytes: bytes, rawBytes: rawBytes, records: records, sha256: sha256, origins: origins)
  }

  /// Consumes the origins of an extent. Returns an empty array if the key is absent, or `nil` if the value is invalid.
  private static func origins(from scanner: inout LineScanner) -> [RecordOrigin]? {
    guard scanner.skip(",\"origins\":") else { return [] }
    let origins = scanner.array { scanner -> RecordOrigin? in
      guard scanner.skip("["), let commit = scanner.integer(), scanner.skip(","), let records = scanner.integer(),
        scanner.skip("]")
      else { return nil }
      return RecordOrigin(commit: commit, records: records)
    }
    return origins?.isEmpty ?? true ? nil : origins
  }
}

extension Extent {
  /// Returns whether the origins are valid: they add up to the extent's records, and name no commit after `number`.
  fileprivate func hasOrigins(before number: Int) -> Bool {
    guard !origins.isEmpty else { return true }
    return origins.recordCount == records && origins.allSatisfy { $0.records > 0 && $0.commit > 0 && $0.commit <= number }
  }
}

extension [UInt8] {
  /// Appends a timestamp as a JSON string, or null.
  fileprivate mutating func append(_ timestamp: Timestamp?) {
    append(text: timestamp.map { "\"\($0)\"" } ?? "null")
  }
}
