public import FunnelImport
/// The counts of an input, before duplicates are dropped.
public struct InputCounts: Hashable, Sendable {
  /// The number of lines that were not blank.
  public var lines = 0
  /// The number of bytes, decompressed.
  public var bytes = 0
  /// The number of valid events.
  public var events = 0
  /// The number of rejected lines, by reason.
  public var rejected: [RejectionReason: Int] = [:]
  /// The first rejected lines. In an ingest, only the counts of all files together have them.
  public var firstRefusals = FirstRejections()
  /// The events by name; an ingest does not count them here.
  public var contents = LogContents()

  /// The sum of hashes of the events' subjects and times, 0 if it was not wanted. Inputs with different subjects have different ones, but
  /// for chance; it does not depend on the order of events.
  public var fingerprint: UInt64 = 0

  /// What became of foreign records besides events.
  public var imports = ImportCounts()

  public init() {}

  /// The total number of rejected lines.
  public var rejectedCount: Int { rejected.values.reduce(0, +) }
  /// The number of bad lines: rejected lines, except for those left out because their subject was forgotten.
  public var badCount: Int { rejectedCount - (rejected[.forgotten] ?? 0) }

  /// Whether there were lines, and every one of them was bad.
  public var isRefusedWhole: Bool { lines > 0 && badCount == lines }

  /// Adds the counts of a block.
  package mutating func add(_ block: borrowing DecodedBlock) {
    lines += block.lineCount
    bytes += block.byteCount
    events += block.events.count
    imports.add(block.imports)
    for letter in block.deadLetters { rejected[letter.reason, default: 0] += 1 }
    if block.forgottenCount > 0 { rejected[.forgotten, default: 0] += block.forgottenCount }
  }

  /// Adds the counts of another piece of the input.
  package mutating func add(_ other: InputCounts) {
    lines += other.lines
    bytes += other.bytes
    events += other.events
    rejected.merge(other.rejected, uniquingKeysWith: +)
    firstRefusals.add(other.firstRefusals)
    contents.add(other.contents)
    fingerprint &+= other.fingerprint
    imports.add(other.imports)
  }
}

/// The progress of a long operation.
public struct InputProgress: Hashable, Sendable {
  /// The number of events so far.
  public var events: Int
  /// The number of bytes so far, decompressed.
  public var bytes: Int
  /// The number of bytes of files on the disk so far.
  public var fileBytes: Int

  public init(events: Int, bytes: Int, fileBytes: Int) {
    self.events = events
    self.bytes = bytes
    self.fileBytes = fileBytes
  }
}
