/// What reading an input came to, before duplicates are told apart.
public struct InputCounts: Hashable, Sendable {
  /// Lines that were not blank.
  public var lines = 0
  /// Bytes, decompressed.
  public var bytes = 0
  /// Valid events.
  public var events = 0
  /// Refused lines by reason.
  public var rejected: [RejectReason: Int] = [:]
  /// The first refused lines; of an ingest that of all files together alone has them.
  public var firstRefusals = FirstRefusals()
  /// The first files that are JSON, but not one object a line.
  public private(set) var misshapenFiles: [MisshapenFile] = []
  /// What events there are; an ingest does not count them here.
  public var contents = LogContents()

  public init() {}

  /// Refused lines in all.
  public var rejectedCount: Int { rejected.values.reduce(0, +) }
  /// Refused lines that are bad: not those which were left out because their subject was forgotten.
  public var badCount: Int { rejectedCount - (rejected[.forgotten] ?? 0) }

  /// Whether there were lines, and every one was refused.
  public var isRefusedWhole: Bool { lines > 0 && badCount == lines }

  /// Adds what a block came to.
  package mutating func add(_ block: borrowing DecodedBlock) {
    lines += block.lineCount
    bytes += block.byteCount
    events += block.events.count
    for letter in block.deadLetters { rejected[letter.reason, default: 0] += 1 }
    if block.forgottenCount > 0 { rejected[.forgotten, default: 0] += block.forgottenCount }
    if let file = block.misshapenFile { add(file) }
  }

  /// Adds what another part of the input came to.
  package mutating func add(_ other: InputCounts) {
    lines += other.lines
    bytes += other.bytes
    events += other.events
    rejected.merge(other.rejected, uniquingKeysWith: +)
    firstRefusals.add(other.firstRefusals)
    for file in other.misshapenFiles { add(file) }
    contents.add(other.contents)
  }

  /// Takes in a file whose first line tells what it is.
  mutating func add(_ file: MisshapenFile) {
    let place = misshapenFiles.firstIndex { file.fileNumber < $0.fileNumber } ?? misshapenFiles.count
    misshapenFiles.insert(file, at: place)
    if misshapenFiles.count > MisshapenFile.countMax { misshapenFiles.removeLast() }
  }
}

/// How far a long run came.
public struct InputProgress: Hashable, Sendable {
  /// Events so far.
  public var events: Int
  /// Bytes so far, decompressed.
  public var bytes: Int
  /// Bytes of files on the disk so far.
  public var fileBytes: Int

  public init(events: Int, bytes: Int, fileBytes: Int) {
    self.events = events
    self.bytes = bytes
    self.fileBytes = fileBytes
  }
}
