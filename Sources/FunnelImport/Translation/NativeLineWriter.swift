import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes native events as lines of JSON. Not to be shared between threads.
final class NativeLineWriter {
  /// The lines so far.
  private let line: LineBuffer
  /// The length before the object that is open, and the number of its members.
  private var objectStart = 0
  private var memberCount = 0
  /// Whether members whose key is there already are passed over: a key that comes twice would make the line invalid.
  private var checksKeys = false
  /// The keys of the open object, one after another, and where each of them is.
  private let keyTexts = LineBuffer()
  private var keys: [(start: Int, count: Int)] = []
  /// The same, once there are many.
  private var manyKeys: Set<[UInt8]> = []

  /// The number of keys up to which each is compared with each.
  private static let comparedKeysMax = 24

  /// Creates a writer to the end of a buffer.
  init(_ line: LineBuffer) {
    self.line = line
  }

  /// Begins an event.
  @inline(__always)
  func begin(name: UnsafeRawBufferPointer, _ moment: Timestamp) {
    line.append("{\"name\":")
    line.appendJSONString(name)
    line.append(",\"ts\":")
    line.appendDecimal(moment.milliseconds)
  }

  /// Adds a member of the envelope.
  @inline(__always)
  func add(_ key: StaticString, _ text: UnsafeRawBufferPointer) {
    line.append(key)
    line.appendJSONString(text)
  }

  /// Begins an object of the envelope, which is not written if it stays empty.
  ///
  /// - Parameter checksKeys: Whether a key may come twice, so that only its first value counts.
  @inline(__always)
  func beginObject(_ key: StaticString, checksKeys: Bool) {
    objectStart = line.count
    memberCount = 0
    self.checksKeys = checksKeys
    if checksKeys {
      keyTexts.removeAll()
      keys.removeAll(keepingCapacity: true)
      if !manyKeys.isEmpty { manyKeys.removeAll() }
    }
    line.append(key)
  }

  /// Adds a scalar to the open object.
  ///
  /// - Parameter integer: The digits of a value that is an integer written as a string.
  @inline(__always)
  func addMember(_ key: UnsafeRawBufferPointer, _ value: ForeignValue, integer: UnsafeRawBufferPointer? = nil) {
    if checksKeys, isThere(key) { return }
    line.append(UInt8(ascii: memberCount > 0 ? "," : "{"))
    memberCount += 1
    line.appendJSONString(key)
    line.append(UInt8(ascii: ":"))
    if let integer { line.append(raw: integer) } else { value.appendJSON(to: line) }
  }

  /// Ends the open object.
  @inline(__always)
  func endObject() {
    if memberCount == 0 { line.removeAll(from: objectStart) } else { line.append(UInt8(ascii: "}")) }
  }

  /// Ends the event.
  @inline(__always)
  func end() { line.append("}\n") }

  /// Returns whether the object has a member of this key, and notes that it has.
  private func isThere(_ key: UnsafeRawBufferPointer) -> Bool {
    if keys.count > Self.comparedKeysMax { return !manyKeys.insert(Array(key)).inserted }
    for known in keys where known.count == key.count {
      if key.isEmpty || memcmp(keyTexts.bytes.baseAddress! + known.start, key.baseAddress!, key.count) == 0 { return true }
    }
    keys.append((keyTexts.count, key.count))
    keyTexts.append(raw: key)
    if keys.count > Self.comparedKeysMax {
      for known in keys { manyKeys.insert(Array(keyTexts.bytes[known.start..<known.start + known.count])) }
    }
    return false
  }
}
