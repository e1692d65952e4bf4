public import FunnelModel

/// What a commit is to add to the store, and to take away.
///
///     var batch = CommitBatch(kind: "ingest", at: now)
///     batch.events[timestamp.day, default: RecordBatch()].append(line, timestamp: timestamp)
///     let commit = try writer.commit(batch)
public struct CommitBatch: Sendable {
  /// What makes the commit, in lower-case letters and underscores: `ingest`, `retry`, …
  public var kind: String
  /// When it is made.
  public var at: Timestamp
  /// The events, by the UTC day of their timestamps, in the order they are to stand in the log.
  public var events: [CivilDate: RecordBatch] = [:]
  /// The lines that were refused, by the UTC day of the ingest.
  public var deadLetters: [CivilDate: RecordBatch] = [:]
  /// Parts that this commit takes away: dead letters that were replayed, parts written anew. What is to stay of them must be in
  /// `events` or `deadLetters`; it goes to other parts.
  public var removed: [PartName] = []

  /// Makes a batch with nothing in it.
  public init(kind: String, at: Timestamp) {
    precondition(!kind.isEmpty && kind.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }, "a kind is written a-z and _")
    self.kind = kind
    self.at = at
  }

  /// Whether committing it would change nothing.
  public var isEmpty: Bool {
    removed.isEmpty && events.values.allSatisfy(\.isEmpty) && deadLetters.values.allSatisfy(\.isEmpty)
  }
}

/// Lines one after another, each ended by a line feed, and their timestamps.
public struct RecordBatch: Sendable {
  /// The lines.
  public private(set) var bytes: [UInt8] = []
  /// For each line, where in `bytes` it ends, its line feed included.
  public private(set) var ends: [Int] = []
  /// For each line, its timestamp in milliseconds.
  public private(set) var milliseconds: [Int64] = []

  /// No lines.
  public init() {}

  /// Takes over lines that stand ready: `bytes` is all of them with their line feeds, `ends` and `milliseconds` have one element for each.
  public init(bytes: [UInt8], ends: [Int], milliseconds: [Int64]) {
    precondition(ends.count == milliseconds.count && (ends.last ?? 0) == bytes.count, "lines, ends and timestamps must match")
    self.bytes = bytes
    self.ends = ends
    self.milliseconds = milliseconds
  }

  /// Number of lines.
  public var count: Int { ends.count }
  /// Whether there are none.
  public var isEmpty: Bool { ends.isEmpty }

  /// Appends a line, given without its line feed. It must not hold one.
  public mutating func append(_ line: some Collection<UInt8>, timestamp: Timestamp) {
    bytes.append(contentsOf: line)
    bytes.append(UInt8(ascii: "\n"))
    ends.append(bytes.count)
    milliseconds.append(timestamp.milliseconds)
  }

  /// Runs of lines of about `rawBytesTarget` bytes each, at least one line in each.
  func split(rawBytesTarget: Int) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var first = 0
    for line in ends.indices where line > first && ends[line] - start(of: first) > rawBytesTarget {
      runs.append(first..<line)
      first = line
    }
    if first < ends.count { runs.append(first..<ends.count) }
    return runs
  }

  /// Where the bytes of a run of lines stand.
  func byteRange(of lines: Range<Int>) -> Range<Int> { start(of: lines.lowerBound)..<ends[lines.upperBound - 1] }

  /// The smallest and largest timestamp of a run of lines, which is not empty.
  func timestamps(of lines: Range<Int>) -> ClosedRange<Timestamp> {
    var (first, last) = (Int64.max, Int64.min)
    for value in milliseconds[lines] { (first, last) = (min(first, value), max(last, value)) }
    return Timestamp(milliseconds: first)...Timestamp(milliseconds: last)
  }

  private func start(of line: Int) -> Int { line == 0 ? 0 : ends[line - 1] }
}
