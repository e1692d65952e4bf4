import FunnelModel

/// Writes one native event as a line of JSON.
struct NativeLineWriter {
  private var line: [UInt8] = []
  /// The length of the line before the object that is open, and whether it has members.
  private var objectStart = 0
  private var memberCount = 0
  private var names: [[UInt8]] = []
  /// Whether members whose key is there already are passed over: a key that comes twice would make the line invalid.
  var checksKeys = false
  private var keys: Set<[UInt8]> = []

  /// Begins an event.
  mutating func begin(name: [UInt8], _ moment: Timestamp) {
    line.removeAll(keepingCapacity: true)
    line.append(text: "{\"name\":")
    line.appendJSONString(utf8: name)
    line.append(text: ",\"ts\":")
    line.appendDecimal(moment.milliseconds)
    names.append(name)
  }

  /// Returns how many events of this name the record has so far, this one included.
  func occurrences(of name: [UInt8]) -> Int { names.count { $0 == name } }

  /// Adds a member of the envelope.
  mutating func add(_ key: StaticString, _ text: [UInt8]) {
    line.append(text: ",\"")
    line.append(text: key)
    line.append(text: "\":")
    line.appendJSONString(utf8: text)
  }

  /// Begins an object of the envelope, which is not written if it stays empty.
  mutating func beginObject(_ key: StaticString) {
    objectStart = line.count
    memberCount = 0
    keys.removeAll(keepingCapacity: true)
    checksKeys = true
    line.append(text: ",\"")
    line.append(text: key)
    line.append(text: "\":{")
  }

  /// Adds a scalar to the open object.
  mutating func addMember(_ key: [UInt8], _ value: ForeignValue, integer: UnsafeRawBufferPointer? = nil) {
    key.withUnsafeBytes { addMember($0, value, integer: integer) }
  }

  /// Adds a scalar to the open object.
  ///
  /// - Parameter integer: The digits of a value that is an integer written as a string.
  mutating func addMember(_ key: UnsafeRawBufferPointer, _ value: ForeignValue, integer: UnsafeRawBufferPointer? = nil) {
    if checksKeys, !keys.insert(Array(key)).inserted { return }
    if memberCount > 0 { line.append(UInt8(ascii: ",")) }
    memberCount += 1
    line.appendJSONString(utf8: key)
    line.append(UInt8(ascii: ":"))
    if let integer { line.append(contentsOf: integer) } else { value.appendJSON(to: &line) }
  }

  /// Ends the open object.
  mutating func endObject() {
    if memberCount == 0 {
      line.removeSubrange(objectStart...)
    } else {
      line.append(UInt8(ascii: "}"))
    }
  }

  /// Ends the event and appends its line.
  mutating func end(to lines: inout [UInt8]) {
    line.append(text: "}\n")
    lines.append(contentsOf: line)
  }

  /// Forgets the names of the record before.
  mutating func beginRecord() { names.removeAll(keepingCapacity: true) }
}

extension [UInt8] {
  /// Appends a JSON string, including its quotes.
  fileprivate mutating func appendJSONString(utf8 text: [UInt8]) {
    text.withUnsafeBytes { appendJSONString(utf8: $0) }
  }
}
