public import FunnelModel

/// Reads a stream of bytes sequentially: a gzip file is inflated, any other is read unchanged.
///
/// The format is detected from the first two bytes; a file's name has no influence.
public final class DecodedReader: ByteStream {
  /// The number of bytes that are read from the stream at once.
  private static let inputBytes = 1 << 18

  private let stream: any ByteStream
  private let meter: InflationMeter?
  private let engine: Inflater.Engine
  /// The inflater of a gzip file, or `nil` if the file is not compressed or not read yet.
  private var inflater: Inflater?
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputBytes, alignment: 16)
  /// The range of the input that was not consumed yet.
  private var inputRange = 0..<0
  private var endOfInput = false
  private var begun = false
  /// The number of compressed bytes consumed from a gzip file.
  private var compressedBytes = 0
  /// The number of bytes they inflated to.
  private var inflatedBytes = 0
  /// The buffer that is inflated into if the caller's is smaller than ``Inflater/outputBytesMin``.
  private var overflow: [UInt8] = []
  /// The range of that buffer that was not returned yet.
  private var overflowRange = 0..<0

  /// The damage of a gzip file, or `nil` if the file is intact or not compressed. Available once ``read(into:)``
  /// has returned 0.
  public private(set) var damage: Inflater.Damage?
  /// Whether the file is a gzip file, available after the first read.
  public var isCompressed: Bool { inflater != nil }

  /// Creates a reader that starts at the current offset of an open file.
  public convenience init(
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
  public init(_ stream: any ByteStream, meter: InflationMeter? = nil, engine: Inflater.Engine = .fastest) {
    self.stream = stream
    self.meter = meter
    self.engine = engine
  }

  deinit { input.deallocate() }

  /// Reads the next bytes into the buffer. Returns the number of bytes read, or 0 at the end of the file or at damage.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    if !begun { try begin() }
    if !overflowRange.isEmpty { return takeOverflow(into: buffer) }
    guard let inflater else { return try readPlain(into: buffer) }
    if buffer.count >= Inflater.outputBytesMin { return try inflate(with: inflater, into: buffer) }
    if overflow.isEmpty { overflow = [UInt8](repeating: 0, count: 2 * Inflater.outputBytesMin) }
    let count = try overflow.withUnsafeMutableBytes(throwing: FunnelError.self) { (space) throws(FunnelError) in
      try inflate(with: inflater, into: space)
    }
    overflowRange = 0..<count
    return takeOverflow(into: buffer)
  }

  /// Detects the format.
  private func begin() throws(FunnelError) {
    begun = true
    while inputRange.count < Inflater.magic.count, !endOfInput { try fill() }
    if Inflater.isGzip(input[inputRange]) { inflater = Inflater(engine) }
  }

  private func inflate(with inflater: Inflater, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    while damage == nil {
      let step = inflater.inflate(UnsafeRawBufferPointer(rebasing: input[inputRange]), endOfInput: endOfInput, into: buffer)
      inputRange = (inputRange.lowerBound + step.consumed)..<inputRange.upperBound
      if case .damaged(let found) = step.status { damage = found }
      compressedBytes += step.consumed
      inflatedBytes += step.produced
      meter?.inflatedBytes += step.produced
      let isExcessive = InflationMeter.isExcessive(inflatedBytes: inflatedBytes, compressedBytes: compressedBytes)
      if damage == nil, isExcessive || meter?.isExcessive == true {
        damage = Inflater.Damage(
          kind: .ratio, memberOffset: inflater.memberOffset, offset: compressedBytes,
          reason: "the file inflates to more than \(Limits.inflateRatioMax) times its size")
      }
      if step.produced > 0 { return step.produced }
      switch step.status {
      case .needsInput: try fill()
      case .outputFull: continue
      case .finished, .damaged: return 0
      }
    }
    return 0
  }

  private func readPlain(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    guard inputRange.isEmpty else {
      let count = min(buffer.count, inputRange.count)
      buffer.copyBytes(from: input[inputRange.prefix(count)])
      inputRange = inputRange.dropFirst(count)
      return count
    }
    return endOfInput ? 0 : try stream.read(into: buffer)
  }

  private func takeOverflow(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, overflowRange.count)
    buffer.copyBytes(from: overflow[overflowRange.prefix(count)])
    overflowRange = overflowRange.dropFirst(count)
    return count
  }

  /// Moves the remaining input to the start of the buffer, and appends the next bytes of the stream to it.
  private func fill() throws(FunnelError) {
    let kept = inputRange.count
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[inputRange]))
    let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: input[kept...]))
    inputRange = 0..<(kept + count)
    endOfInput = count == 0
  }
}
