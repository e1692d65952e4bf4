package import FunnelImport

/// The counts of an input, before duplicates are dropped.
package struct InputCounts: Hashable, Sendable {
  /// The number of lines that were not blank.
  package var lines = 0
  /// The number of bytes, decompressed.
  package var bytes = 0
  /// The number of valid events.
  package var events = 0
  /// The number of valid events that are equal to others by their IDs, and were counted once. 0 unless they were looked for.
  package var duplicates = 0
  /// The number of rejected lines, by reason.
  package var rejected: [RejectionReason: Int] = [:]
  /// The number of lines that another process had rejected before, such as `funnel collect`. They are among ``rejected``.
  package var takenOver = 0
  /// A few of the rejected lines. In an ingest, only the total of all files contains them.
  package var firstRefusals = FirstRejections()
  /// The number of events by type. Empty in an ingest.
  package var contents = LogContents()

  /// The sum of hashes of the events' subjects and times, or 0 if it is not wanted. It does not depend on the
  /// order of events. Inputs with different subjects or times have different fingerprints with high
  /// probability.
  package var fingerprint: UInt64 = 0

  /// The counts of imported records.
  package var imports = ImportCounts()

  /// Creates counts of zero.
  package init() {}

  /// The total number of rejected lines.
  package var rejectedCount: Int { rejected.values.reduce(0, +) }
  /// The number of invalid lines: rejected lines, except those of forgotten subjects.
  package var badCount: Int { rejectedCount - (rejected[.forgotten] ?? 0) }

  /// Whether every line is invalid, and there is at least one. Lines that were rejected before do not count.
  package var isRefusedWhole: Bool { lines > takenOver && badCount == lines }

  /// Adds the counts of a block, except ``contents``, ``firstRefusals`` and ``fingerprint``.
  package mutating func add(_ block: borrowing DecodedBlock) {
    lines += block.lineCount
    bytes += block.byteCount
    events += block.events.count
    imports.add(block.imports)
    takenOver += block.takenOverCount
    for letter in block.deadLetters { rejected[letter.reason, default: 0] += 1 }
    if block.forgottenCount > 0 { rejected[.forgotten, default: 0] += block.forgottenCount }
  }

  /// Adds the counts of another part of the input.
  package mutating func add(_ other: InputCounts) {
    lines += other.lines
    duplicates += other.duplicates
    bytes += other.bytes
    events += other.events
    rejected.merge(other.rejected, uniquingKeysWith: +)
    firstRefusals.add(other.firstRefusals)
    contents.add(other.contents)
    fingerprint &+= other.fingerprint
    imports.add(other.imports)
    takenOver += other.takenOver
  }
}

/// The progress of reading an input.
package struct InputProgress: Hashable, Sendable {
  /// The number of events so far.
  package var events: Int
  /// The number of bytes so far, decompressed.
  package var bytes: Int
  /// The number of bytes so far, as they are on the disk.
  package var fileBytes: Int

  /// Creates a progress.
  package init(events: Int, bytes: Int, fileBytes: Int) {
    self.events = events
    self.bytes = bytes
    self.fileBytes = fileBytes
  }
}
