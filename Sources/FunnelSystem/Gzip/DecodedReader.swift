package import FunnelModel

/// Reads a stream of bytes sequentially: a gzip file is inflated, any other is read unchanged.
///
/// The format is detected from the first two bytes; a file's name has no influence.
package final class DecodedReader: ByteStream {
  /// The number of bytes that are read from the stream at once.
  private static let inputBytes = 1 << 18
  /// The number of bytes that are inflated at once for a caller with a small output.
  private static let overflowBytes = 2 * Inflater.outputBytesMin

  private let stream: any ByteStream
  private let meter: InflationMeter?
  private let engine: Inflater.Engine
  /// The format of the stream.
  private enum Format {
    /// Nothing was read yet.
    case unknown
    case plain
    case gzip(Inflater)
  }

  private var format = Format.unknown
  /// The bytes of the stream that were not consumed yet.
  private let input = ByteQueue(capacity: inputBytes)
  private var endOfInput = false
  /// The number of compressed bytes consumed from a gzip file.
  private var compressedBytes = 0
  /// The number of bytes they inflated to.
  private var inflatedBytes = 0
  /// The inflated bytes that did not fit into the caller's output, because it has less room than ``Inflater/outputBytesMin``.
  private let overflow = ByteQueue()

  /// The damage of a gzip file, or `nil` if the file is intact or not compressed. Available once ``read(into:)``
  /// has appended nothing.
  package private(set) var damage: Inflater.Damage?
  /// Whether the file is a gzip file, available after the first read.
  package var isCompressed: Bool {
    if case .gzip = format { true } else { false }
  }

  /// Creates a reader that starts at the current offset of an open file.
  package convenience init(
    _ file: File, fileSystem: any FileSystem = LocalFileSystem(), engine: Inflater.Engine = .fastest
  ) {
    self.init(FileStream(file, fileSystem: fileSystem), engine: engine)
  }

  /// Creates a reader of a stream.
  ///
  /// - Parameters:
  ///   - meter: The meter of the archive that contains the stream, or `nil` for a file on the disk. The inflated
  ///     bytes are added to it.
  ///   - engine: The library that inflates.
  package init(_ stream: any ByteStream, meter: InflationMeter? = nil, engine: Inflater.Engine = .fastest) {
    self.stream = stream
    self.meter = meter
    self.engine = engine
  }

  /// Appends the next bytes to the output, or none at the end of the file or at damage.
  package func read(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    precondition(!output.isFull, "a read has room for a byte")
    if case .unknown = format { format = try detectFormat() }
    if !overflow.isEmpty { return overflow.move(into: &output) }
    guard case .gzip(let inflater) = format else { return try readPlain(into: &output) }
    if output.freeCapacity >= Inflater.outputBytesMin { return try inflate(with: inflater, into: &output) }
    try overflow.refill(addingCapacity: Self.overflowBytes) { (room) throws(FunnelError) in
      try inflate(with: inflater, into: &room)
    }
    overflow.move(into: &output)
  }

  /// Returns the format of the stream, of which it reads the first bytes.
  private func detectFormat() throws(FunnelError) -> Format {
    while input.count < Inflater.magic.count, !endOfInput { try fill() }
    let input = input
    return input.unread.starts(with: Inflater.magic) ? .gzip(Inflater(engine)) : .plain
  }

  /// Appends the next inflated bytes to the output, or none at the end or at damage.
  private func inflate(with inflater: Inflater, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    let input = input
    while damage == nil {
      let step = inflater.inflate(input.unread, endOfInput: endOfInput, into: &output)
      input.consume(step.consumed)
      compressedBytes += step.consumed
      inflatedBytes += step.produced
      meter?.inflatedBytes += step.produced
      if case .damaged(let found) = step.status { damage = found }
      if damage == nil, isExcessive {
        damage = Inflater.Damage(
          kind: .ratio, memberOffset: inflater.memberOffset, offset: compressedBytes,
          reason: "the file inflates to more than \(Limits.inflateRatioMax) times its size")
      }
      if step.produced > 0 { return }
      switch step.status {
      case .needsInput: try fill()
      case .outputFull: continue
      case .finished, .damaged: return
      }
    }
  }

  /// Whether this file, or the archive that contains it, inflates to more than the limits allow.
  private var isExcessive: Bool {
    InflationMeter.isExcessive(inflatedBytes: inflatedBytes, compressedBytes: compressedBytes) || meter?.isExcessive == true
  }

  private func readPlain(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    if !input.isEmpty { return input.move(into: &output) }
    if !endOfInput { try stream.read(into: &output) }
  }

  /// Appends the next bytes of the stream to the remaining input.
  private func fill() throws(FunnelError) {
    let added = try input.refill(addingCapacity: Self.inputBytes - input.count) { (room) throws(FunnelError) in
      try stream.read(into: &room)
    }
    endOfInput = added == 0
  }
}

/// The total compression ratio of a file and all archives nested in it, as a protection against decompression
/// bombs. Not thread-safe.
///
/// Without a shared meter, a gzip file in a zip in a zip could exceed the allowed ratio three times over.
package final class InflationMeter {
  /// The number of bytes of the file on the disk that were read.
  package internal(set) var compressedBytes = 0
  /// The number of inflated bytes, added up over all levels of nesting.
  package internal(set) var inflatedBytes = 0

  package init() {}

  /// Whether the file inflates by more than ``Limits/inflateRatioMax``, and to more than ``Limits/inflateBytesFree``.
  var isExcessive: Bool { Self.isExcessive(inflatedBytes: inflatedBytes, compressedBytes: compressedBytes) }

  /// Returns whether a number of inflated bytes exceeds the limits.
  static func isExcessive(inflatedBytes: Int, compressedBytes: Int) -> Bool {
    inflatedBytes > Limits.inflateBytesFree && inflatedBytes / Limits.inflateRatioMax > compressedBytes
  }
}
