public import FunnelModel

/// Lines in the order they are to stand in the log, each ended by a line feed.
///
/// The lines lie in chunks of memory that whoever made them goes on sharing: a batch of a day is an order over the blocks that were
/// decoded, and no line is copied before it is gathered for its gzip member.
public struct RecordBatch: Sendable {
  /// One line: where it lies, and its timestamp.
  public struct Line: Sendable {
    /// Its timestamp, in milliseconds.
    public var milliseconds: Int64
    /// Where in its chunk it begins.
    public var start: Int
    /// Its length in bytes, its line feed included.
    public var byteCount: UInt32
    /// The number of its chunk.
    public var chunk: UInt32

    public init(milliseconds: Int64, start: Int, byteCount: UInt32, chunk: UInt32) {
      self.milliseconds = milliseconds
      self.start = start
      self.byteCount = byteCount
      self.chunk = chunk
    }
  }

  /// Where the lines lie.
  private var chunks: [[UInt8]] = []
  /// The lines in their order.
  private var lines: ArraySlice<Line> = []
  /// Bytes after which lines that are appended go to a new chunk, so that a chunk never grows much while it is copied.
  private static let chunkBytesTarget = 1 << 20

  /// No lines.
  public init() {}

  /// Lines of chunks that stand ready; chunks may hold lines that the batch does without.
  public init(chunks: [[UInt8]], lines: ArraySlice<Line>) {
    self.chunks = chunks
    self.lines = lines
  }

  /// Number of lines.
  public var count: Int { lines.count }
  /// Whether there are none.
  public var isEmpty: Bool { lines.isEmpty }

  /// All lines one after another, as they are to stand in the log.
  public var bytes: [UInt8] {
    let total = lines.reduce(0) { $0 + Int($1.byteCount) }
    return [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
      gather(0..<lines.count, into: UnsafeMutableRawBufferPointer(buffer))
      count = total
    }
  }

  /// Appends the lines of another batch; its chunks are shared, not copied.
  mutating func append(contentsOf other: RecordBatch) {
    let firstChunk = UInt32(chunks.count)
    chunks += other.chunks
    lines += other.lines.map { line in
      var line = line
      line.chunk += firstChunk
      return line
    }
  }

  /// Appends a line, given without its line feed. It must not hold one.
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
  /// A run of lines that makes one gzip member.
  struct Run: Sendable {
    /// The lines, counted from the batch's first.
    var lines: Range<Int>
    /// Their length in bytes.
    var byteCount: Int
    /// The smallest and the largest of their timestamps.
    var timestamps: ClosedRange<Timestamp>
  }

  /// Cuts the batch into runs of about `rawBytesTarget` bytes each, at least one line in each.
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
  /// Neighbours that are neighbours in their chunk as well, as most are in a log that was sorted when it came, are copied at once.
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
