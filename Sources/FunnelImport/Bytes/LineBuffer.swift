import FunnelModel

/// A growable byte buffer for lines of JSON. Not thread-safe: each worker owns its buffers.
package final class LineBuffer {
  // A check of each access for exclusivity would take longer than most appends. No method calls another object.
  @exclusivity(unchecked) private var storage: [UInt8] = []

  /// The capacity of a new buffer in bytes.
  private static let initialCapacity = 1 << 12

  /// Creates an empty buffer.
  package init() { storage.reserveCapacity(Self.initialCapacity) }

  /// The number of bytes.
  package var count: Int { storage.count }

  /// The bytes. They must not be used after the buffer is changed.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(storage.span, borrowing: self) }
  }

  /// Removes the bytes from an offset on, and keeps the memory.
  package func removeAll(from offset: Int = 0) {
    precondition(offset >= 0 && offset <= count, "only bytes that are there can be removed")
    storage.removeSubrange(offset...)
  }

  /// Appends a number of zero bytes.
  package func appendZeros(_ count: Int) {
    precondition(count >= 0, "the count is negative")
    storage.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends one byte.
  @inline(__always)
  func append(_ byte: UInt8) { storage.append(byte) }

  /// Appends the bytes of a literal.
  @inline(__always)
  func append(_ text: StaticString) { text.withUTF8Buffer { storage.append(contentsOf: $0) } }

  /// Appends bytes as they are.
  @inline(__always)
  func append(copying bytes: Span<UInt8>) { storage.append(copying: bytes) }

  /// Appends bytes as they are.
  func append(_ bytes: [UInt8]) { storage.append(contentsOf: bytes) }

  /// Appends an integer in decimal.
  func appendDecimal(_ value: Int64) { storage.appendDecimal(value) }

  /// Appends a JSON string, including its quotes.
  func appendJSONString(_ text: Span<UInt8>) {
    // Few strings need escapes, so the bytes up to the first one that may need it are copied at once.
    storage.append(UInt8(ascii: "\""))
    var offset = 0
    while offset <= text.count &- Span<UInt8>.wordBytes, !Self.needsEscape(text.word(at: offset)) {
      offset &+= Span<UInt8>.wordBytes
    }
    storage.append(copying: text.extracting(first: offset))
    while offset < text.count {
      appendEscaped(text[unchecked: offset])
      offset &+= 1
    }
    storage.append(UInt8(ascii: "\""))
  }

  /// Appends one byte of a JSON string, escaped if necessary.
  @inline(__always)
  private func appendEscaped(_ byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { return storage.append(byte) }
    var quoted: [UInt8] = []
    quoted.appendJSONString(String(UnicodeScalar(byte)))
    storage.append(contentsOf: quoted.dropFirst().dropLast())
  }

  /// Returns whether a word may contain a control character, a quote or a backslash. False positives are possible.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    // See "Bit Twiddling Hacks", haszero and hasless: subtracting the limit from a smaller byte sets its highest bit.
    let control = (word &- ones &* 0x20) & ~word
    let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs != 0
  }
}
