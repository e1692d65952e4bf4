import FunnelModel

/// A growable byte buffer for lines of JSON. Not thread-safe: each worker owns its buffers.
package final class LineBuffer {
  // A check of each access for exclusivity would take longer than most appends. No method calls another object.

  /// The memory, initialized to its end. Texts are copied word by word, so a word of it follows the bytes of the buffer.
  @exclusivity(unchecked) private var storage: [UInt8]
  /// The number of bytes.
  @exclusivity(unchecked) package private(set) var count = 0

  /// The last integer in decimal. Its memory is reused.
  @exclusivity(unchecked) private var decimal: [UInt8] = []

  /// The size of the memory of a new buffer in bytes.
  private static let initialCapacity = 1 << 12

  /// Creates an empty buffer.
  package init() { storage = [UInt8](repeating: 0, count: Self.initialCapacity) }

  /// The bytes. They must not be used after the buffer is changed.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(storage.span.extracting(first: count), borrowing: self) }
  }

  /// Removes the bytes from an offset on, and keeps the memory.
  package func removeAll(from offset: Int = 0) {
    precondition(offset >= 0 && offset <= count, "only bytes that are there can be removed")
    count = offset
  }

  /// Appends a number of zero bytes.
  package func appendZeros(_ zeroCount: Int) {
    precondition(zeroCount >= 0, "the count is negative")
    makeRoom(for: zeroCount)
    for index in count..<count + zeroCount { storage[index] = 0 }
    count += zeroCount
  }

  /// Appends one byte.
  @inline(__always)
  func append(_ byte: UInt8) {
    makeRoom(for: 1)
    storage[count] = byte
    count &+= 1
  }

  /// Appends the bytes of a literal.
  @inline(__always)
  func append(_ text: StaticString) { text.withUTF8Buffer { append(copying: $0.span) } }

  /// Appends bytes as they are.
  @inline(__always)
  func append(copying bytes: Span<UInt8>) {
    makeRoom(for: bytes.count)
    var memory = storage.mutableSpan
    var target = memory.mutableBytes
    target.copyWords(of: bytes, to: count)
    count &+= bytes.count
  }

  /// Appends bytes as they are.
  func append(_ bytes: [UInt8]) { append(copying: bytes.span) }

  /// Appends a value as it is hashed for a derived ID: its depth, its kind, its key after the key's length, and its text after the
  /// text's length.
  @inline(__always)
  func appendHashed(_ depth: UInt8, _ kind: UInt8, key: Span<UInt8>, value: Span<UInt8>) {
    let markBytes = MemoryLayout<UInt16>.size
    let lengthBytes = MemoryLayout<UInt32>.size
    makeRoom(for: markBytes + key.count + lengthBytes + value.count)
    var memory = storage.mutableSpan
    var target = memory.mutableBytes
    let mark = UInt16(depth) | UInt16(kind) << 8
    target.storeBytes(of: mark.littleEndian, toByteOffset: count, as: UInt16.self)
    count &+= markBytes
    target.copyWords(of: key, to: count)
    count &+= key.count
    target.storeBytes(of: UInt32(value.count).littleEndian, toByteOffset: count, as: UInt32.self)
    count &+= lengthBytes
    target.copyWords(of: value, to: count)
    count &+= value.count
  }

  /// Appends an integer in decimal.
  func appendDecimal(_ value: Int64) {
    decimal.removeAll(keepingCapacity: true)
    decimal.appendDecimal(value)
    let text = decimal
    append(copying: text.span)
  }

  /// Appends a JSON string, including its quotes.
  func appendJSONString(_ text: Span<UInt8>) {
    let quotes = 2
    makeRoom(for: text.count + quotes)
    let plainCount = appendQuoteAndPlainBytes(of: text)
    if plainCount < text.count { appendEscaped(text.extracting(droppingFirst: plainCount)) }
    append(UInt8(ascii: "\""))
  }

  /// Appends a quote and the bytes of a text before the first word that may need an escape. Returns the number of these bytes.
  @inline(__always)
  private func appendQuoteAndPlainBytes(of text: Span<UInt8>) -> Int {
    var memory = storage.mutableSpan
    var target = memory.mutableBytes
    target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
    count &+= 1
    var offset = 0
    while offset < text.count {
      let remaining = text.count &- offset
      let isWhole = remaining >= Span<UInt8>.wordBytes
      let word = isWhole ? text.word(at: offset) : text.lastBytes(remaining)
      guard !Self.needsEscape(isWhole ? word : word | Self.spaces &<< UInt64(8 &* remaining)) else { break }
      target.storeBytes(of: word.littleEndian, toByteOffset: count &+ offset, as: UInt64.self)
      offset &+= min(remaining, Span<UInt8>.wordBytes)
    }
    count &+= offset
    return offset
  }

  /// Appends the bytes of a JSON string, escaped if necessary.
  private func appendEscaped(_ text: Span<UInt8>) {
    for index in text.indices {
      let byte = text[unchecked: index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        append(byte)
      } else {
        var quoted: [UInt8] = []
        quoted.appendJSONString(String(UnicodeScalar(byte)))
        append(copying: quoted.span.extracting(1..<quoted.count - 1))
      }
    }
  }

  /// Eight spaces, which need no escape.
  private static let spaces: UInt64 = 0x2020_2020_2020_2020

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

  /// Enlarges the memory if it has no room for a number of further bytes and the word after them.
  @inline(__always)
  private func makeRoom(for byteCount: Int) {
    let needed = count &+ byteCount &+ Span<UInt8>.wordBytes
    if needed > storage.count { grow(to: needed) }
  }

  @inline(never)
  private func grow(to byteCount: Int) {
    storage.append(contentsOf: repeatElement(0, count: max(byteCount, 2 * storage.count) - storage.count))
  }
}
