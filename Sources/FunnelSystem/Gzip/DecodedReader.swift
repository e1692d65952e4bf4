public import FunnelModel

/// Reads a file, or standard input, from its first byte to its last: a gzip file inflated, any other as it is.
///
/// Which it is, the first two bytes say, never the name.
public final class DecodedReader {
  private let file: File
  private let fileSystem: any FileSystem
  private let engine: Inflater.Engine
  private var inflater: Inflater?
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var inputRange = 0..<0
  private var endOfInput = false
  private var begun = false
  /// Bytes of a gzip file that were read, and those it inflated to.
  private var (compressedBytes, inflatedBytes) = (0, 0)
  private var overflow: [UInt8] = []
  private var overflowRange = 0..<0

  /// What is wrong with a gzip file, known once ``read(into:)`` has returned 0; nil where it is whole or plain.
  public private(set) var damage: Inflater.Damage?
  /// Whether it is a gzip file, known after the first read.
  public var isCompressed: Bool { inflater != nil }

  /// Reads an open file from where it stands.
  public init(_ file: File, fileSystem: any FileSystem = LocalFileSystem(), engine: Inflater.Engine = .fastest) {
    self.file = file
    self.fileSystem = fileSystem
    self.engine = engine
  }

  deinit { input.deallocate() }

  /// Puts the next bytes into the buffer and returns how many, at least one unless the end, or damage, is reached: then 0.
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

  private func begin() throws(FunnelError) {
    begun = true
    while inputRange.count < 2, !endOfInput { try fill() }
    if Inflater.isGzip(input[inputRange]) { inflater = Inflater(engine) }
  }

  private func inflate(with inflater: Inflater, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    while damage == nil {
      let step = inflater.inflate(UnsafeRawBufferPointer(rebasing: input[inputRange]), endOfInput: endOfInput, into: buffer)
      inputRange = (inputRange.lowerBound + step.consumed)..<inputRange.upperBound
      if case .damaged(let found) = step.status { damage = found }
      compressedBytes += step.consumed
      inflatedBytes += step.produced
      if damage == nil, inflatedBytes > Limits.inflateBytesFree, inflatedBytes / Limits.inflateRatioMax > compressedBytes {
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
    return endOfInput ? 0 : try fileSystem.read(file, into: buffer)
  }

  private func takeOverflow(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, overflowRange.count)
    buffer.copyBytes(from: overflow[overflowRange.prefix(count)])
    overflowRange = overflowRange.dropFirst(count)
    return count
  }

  /// Reads more behind what is left of the input.
  private func fill() throws(FunnelError) {
    let kept = inputRange.count
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[inputRange]))
    let count = try fileSystem.read(file, into: UnsafeMutableRawBufferPointer(rebasing: input[kept...]))
    inputRange = 0..<(kept + count)
    endOfInput = count == 0
  }
}

extension [UInt8] {
  /// `withUnsafeMutableBytes` for a body that throws one type of error.
  fileprivate mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    throwing: Failure.Type, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutableBufferPointer { (buffer) throws(Failure) in try body(UnsafeMutableRawBufferPointer(buffer)) }
  }
}
