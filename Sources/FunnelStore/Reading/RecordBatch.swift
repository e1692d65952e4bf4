public import FunnelModel

/// Lines in the order in which they are written to the log, each ended by a line feed.
///
/// The lines are stored in chunks of memory shared with their producer: the batch of a day is an order over the blocks that were decoded,
/// and no line is copied before it is gathered for its gzip member.
public struct RecordBatch: Sendable {
  /// The position and the timestamp of one line.
  public struct Line: Sendable {
    /// The timestamp, in milliseconds.
    public var milliseconds: Int64
    /// The offset in its chunk at which the line begins, in bytes.
    public var start: Int
    /// The length in bytes, including the line feed.
    public var byteCount: UInt32
    /// The index of its chunk.
    public var chunk: UInt32

    public init(milliseconds: Int64, start: Int, byteCount: UInt32, chunk: UInt32) {
      self.milliseconds = milliseconds
      self.start = start
      self.byteCount = byteCount
      self.chunk = chunk
    }
  }

  /// The memory that holds the lines.
  private var chunks: [[UInt8]] = []
  /// The lines in their order.
  private var lines: ArraySlice<Line> = []
  /// The size in bytes after which appended lines go to a new chunk, so that growing a chunk never copies much.
  private static let chunkBytesTarget = 1 << 20

  /// Creates an empty batch.
  public init() {}

  /// Creates a batch of lines in existing chunks. The chunks may hold lines that do not belong to the batch.
  public init(chunks: [[UInt8]], lines: ArraySlice<Line>) {
    self.chunks = chunks
    self.lines = lines
  }

  /// The number of lines.
  public var count: Int { lines.count }
  /// Whether the batch has no lines.
  public var isEmpty: Bool { lines.isEmpty }

  /// The lines one after another, as they are written to the log.
  public var bytes: [UInt8] {
    let total = lines.reduce(0) { $0 + Int($1.byteCount) }
    return [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
      gather(0..<lines.count, into: UnsafeMutableRawBufferPointer(buffer))
      count = total
    }
  }

  /// Appends the lines of another batch. Its chunks are shared, not copied.
  mutating func append(contentsOf other: RecordBatch) {
    let firstChunk = UInt32(chunks.count)
    chunks += other.chunks
    lines += other.lines.map { line in
      var line = line
      line.chunk += firstChunk
      return line
    }
  }

  /// Appends a line, passed without its line feed. It must not contain one.
  public mutating func append(_ line: some Collection<UInt8>, timestamp: Timestamp) {
    if (chunks.last?.count ?? .max) >= Self.chunkBytesTarget { chunks.append([]) }
    let chunk = chunks.count - 1
    let start = chunks[chunk].count
    chunks[chunk].append(contentsOf: line)
    chunks[chunk].append(UInt8(ascii: "\n"))
    lines.append(
      Line(
        milliseconds: timestamp.milliseconds, start: start, byteCount: UInt32(chunks[chunk].count - start),
        chunk: UInt32(chunk)))
  }
}

extension RecordBatch {
  /// Consecutive lines that make one gzip member.
  struct Run: Sendable {
    /// The indices of the lines in the batch.
    var lines: Range<Int>
    /// The length of the lines in bytes.
    var byteCount: Int
    /// The smallest and the largest of their timestamps.
    var timestamps: ClosedRange<Timestamp>
  }

  /// Divides the batch into runs of about `rawBytesTarget` bytes, each of at least one line.
  func runs(rawBytesTarget: Int) -> [Run] {
    var runs: [Run] = []
    var (first, byteCount) = (0, 0)
    var (earliest, latest) = (Int64.max, Int64.min)
    func end(at line: Int) {
      let timestamps = Timestamp(milliseconds: earliest)...Timestamp(milliseconds: latest)
      runs.append(Run(lines: first..<line, byteCount: byteCount, timestamps: timestamps))
      (first, byteCount, earliest, latest) = (line, 0, .max, .min)
    }
    for (number, line) in lines.enumerated() {
      if number > first, byteCount + Int(line.byteCount) > rawBytesTarget { end(at: number) }
      byteCount += Int(line.byteCount)
      (earliest, latest) = (min(earliest, line.milliseconds), max(latest, line.milliseconds))
    }
    if first < lines.count { end(at: lines.count) }
    return runs
  }

  /// Copies a run of lines, one after another, into a buffer that has room for them.
  ///
  /// Lines that are adjacent in their chunk as well, as most are in input that is already sorted, are copied together.
  func gather(_ run: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) {
    var written = 0
    var rest = lines[(lines.startIndex + run.lowerBound)..<(lines.startIndex + run.upperBound)]
    while let first = rest.popFirst() {
      var end = first.start + Int(first.byteCount)
      while let next = rest.first, next.chunk == first.chunk, next.start == end {
        end += Int(next.byteCount)
        rest.removeFirst()
      }
      chunks[Int(first.chunk)].withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: buffer[written...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[first.start..<end]))
      }
      written += end - first.start
    }
  }
}
