package import FunnelModel
import FunnelSystem

/// Records to be written to the log: lines in their order, each ended by a line feed.
///
/// The batch stores references to lines in chunks of memory that it shares with their producer. A line is copied
/// only once, when it is gathered for its gzip member.
package struct RecordBatch: Sendable {
  /// A reference to a line, and its timestamp.
  package struct Line: Sendable {
    /// The timestamp, in milliseconds since 1970.
    package var milliseconds: Int64
    /// The offset in the chunk at which the line begins, in bytes.
    package var start: Int
    /// The length in bytes, including the line feed.
    package var byteCount: UInt32
    /// The index of the chunk.
    package var chunk: UInt32

    /// Creates a reference to a line.
    package init(milliseconds: Int64, start: Int, byteCount: UInt32, chunk: UInt32) {
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
  /// The size in bytes from which on lines are appended to a new chunk. It bounds the bytes that are copied when a chunk grows.
  private static let chunkBytesTarget = 1 << 20

  /// Creates an empty batch.
  package init() {}

  /// Creates a batch of lines in existing chunks, which may contain other lines as well.
  package init(chunks: [[UInt8]], lines: ArraySlice<Line>) {
    self.chunks = chunks
    self.lines = lines
  }

  /// The number of lines.
  package var count: Int { lines.count }
  /// Whether the batch has no lines.
  package var isEmpty: Bool { lines.isEmpty }

  /// The concatenated lines, as they are written to the log.
  package var bytes: [UInt8] {
    [UInt8](capacity: lines.reduce(0) { $0 + Int($1.byteCount) }) { gather(0..<lines.count, into: &$0) }
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

  /// Appends a line.
  ///
  /// - Parameter line: The bytes of the line without its line feed. They must not contain one.
  package mutating func append(_ line: some Collection<UInt8>, timestamp: Timestamp) {
    assert(!line.contains(UInt8(ascii: "\n")), "a line contains no line feed")
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
  /// Consecutive lines that are written to one gzip member.
  struct Section: Sendable {
    /// The indices of the lines in the batch.
    var lines: Range<Int>
    /// The length of the lines in bytes.
    var byteCount: Int
    /// The smallest and the largest timestamp of the lines.
    var timestamps: ClosedRange<Timestamp>
  }

  /// Divides the batch into sections of about `rawBytesTarget` bytes, each of at least one line.
  func sections(rawBytesTarget: Int) -> [Section] {
    var sections: [Section] = []
    var first = 0
    var byteCount = 0
    var earliest = Int64.max
    var latest = Int64.min
    func end(at line: Int) {
      let timestamps = Timestamp(milliseconds: earliest)...Timestamp(milliseconds: latest)
      sections.append(Section(lines: first..<line, byteCount: byteCount, timestamps: timestamps))
      first = line
      byteCount = 0
      earliest = .max
      latest = .min
    }
    for (index, line) in lines.enumerated() {
      if index > first, byteCount + Int(line.byteCount) > rawBytesTarget { end(at: index) }
      byteCount += Int(line.byteCount)
      earliest = min(earliest, line.milliseconds)
      latest = max(latest, line.milliseconds)
    }
    if first < lines.count { end(at: lines.count) }
    assert(sections.reduce(0) { $0 + $1.lines.count } == lines.count, "each line is in one section")
    return sections
  }

  /// Appends consecutive lines to an output, which must have room for them.
  func gather(_ range: Range<Int>, into output: inout OutputSpan<UInt8>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= lines.count, "the batch has the lines")
    var uncopied = lines[(lines.startIndex + range.lowerBound)..<(lines.startIndex + range.upperBound)]
    while let first = uncopied.popFirst() {
      var end = first.start + Int(first.byteCount)
      // Lines that are adjacent in their chunk, as most are if the input is sorted, are copied together.
      while let next = uncopied.first, next.chunk == first.chunk, next.start == end {
        end += Int(next.byteCount)
        uncopied.removeFirst()
      }
      let chunk = chunks[Int(first.chunk)]
      output.append(copying: chunk.span.extracting(first.start..<end))
    }
  }
}
