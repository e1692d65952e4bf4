/// A byte string that another object owns, followed by at least ``paddingBytes`` readable bytes.
///
/// **Invariants** of this file, on which the module relies:
///
/// - The owner of the bytes outlives each view of them, and does not change them meanwhile.
/// - The padding is readable memory with any contents. So whole words can be read, and the bytes after the text are masked.
///   A part of a padded text is a padded text.
/// - Ranges and offsets are within the text. Debug builds assert it for each access.
struct PaddedText: BitwiseCopyable {
  /// The number of readable bytes after a text: a word that begins at its last byte ends there.
  static let paddingBytes = 7

  private let start: UnsafeRawPointer
  /// The length in bytes.
  let count: Int

  /// Creates a view of a text, which padding must follow.
  @inline(__always)
  init(_ text: BorrowedText) { self.init(text.raw) }

  /// Creates a view of bytes, which padding must follow.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address. Nothing is read from an empty text.
    start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: MemoryLayout<UInt64>.alignment).unsafelyUnwrapped
    count = bytes.count
  }

  @inline(__always)
  private init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  /// The bytes, for functions of C and of other modules.
  @inline(__always)
  var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// The text, for events.
  @inline(__always)
  var borrowed: BorrowedText { BorrowedText(raw) }

  /// The bytes.
  @inline(__always)
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeBytes: raw), borrowing: self) }
  }

  /// Whether there are no bytes.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Returns the byte at an offset.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count, "an offset is within the text")
    return start.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// Returns a part of the text.
  @inline(__always)
  subscript(range: Range<Int>) -> PaddedText {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a part of a text is within it")
    return PaddedText(start: start + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns the little-endian word at an offset. Its last bytes may be padding.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset < count, "a word begins within the text")
    return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the little-endian word at an offset, with all but its first `byteCount` bytes cleared.
  @inline(__always)
  func word(at offset: Int, byteCount: Int) -> UInt64 {
    assert(offset + byteCount <= count, "the bytes of the word are within the text")
    return word(at: offset) & ByteWords.mask(byteCount)
  }

  /// Returns the sixteen bytes at an offset.
  @inline(__always)
  func vector(at offset: Int) -> SIMD16<UInt8> {
    assert(offset >= 0 && offset + MemoryLayout<SIMD16<UInt8>>.size <= count, "a vector is within the text")
    return start.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Returns the offset of another text, which must be a part of this one.
  func offset(of part: PaddedText) -> Int {
    let offset = part.start - start
    precondition(offset >= 0 && offset + part.count <= count, "the other text is a part of this one")
    return offset
  }
}

/// A copy of a text at a fixed address, followed by ``LineParser/paddingBytes`` zeros.
final class PaddedCopy {
  /// The text, valid for the lifetime of the copy.
  let view: BorrowedText

  init(_ text: some Collection<UInt8>) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count + LineParser.paddingBytes, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    memory.copyBytes(from: text)
    view = BorrowedText(UnsafeRawBufferPointer(rebasing: memory.dropLast(LineParser.paddingBytes)))
  }

  deinit { view.baseAddress?.deallocate() }
}
