/// The template by which records of one layout and one name become native lines: constant texts, each followed by a value
/// of the record.
///
/// The plan is compiled for the first such record. Later records need no lookup or comparison of keys. Not thread-safe:
/// each worker owns its plans.
final class TranslationPlan {
  /// The value that is written after a text.
  enum Value: UInt8 {
    /// Nothing: the end of the plan.
    case nothing
    /// The time of the event.
    case moment
    /// The subject as a string.
    case subject
    /// A scalar, unchanged.
    case scalar
    /// An integer that the record writes as a string, or any other scalar, unchanged.
    case integer
    /// The native form of a string or a number.
    case folded
    /// The native form of the event name. A record for which it is empty is rejected.
    case name
    /// The member `seq` with the record's position in the source, or nothing if the record has no position.
    case sequence
    /// The member `id`, or nothing if the ID is derived from the event.
    case id
  }

  /// A constant text and the value after it.
  struct Part: BitwiseCopyable {
    /// The field index of a part whose value is not a field. An `Optional` would double the four bytes.
    static let noField: Int32 = -1

    /// The offset of the text in the texts of the plan.
    fileprivate(set) var textStart: Int32
    /// The length of the text in bytes.
    fileprivate(set) var textCount: Int32 = 0
    /// The value after the text.
    fileprivate(set) var value = Value.nothing
    /// The index of the event among those of the record.
    fileprivate(set) var event: Int32
    /// The field index of the value, or ``noField``.
    fileprivate(set) var field = Part.noField
  }

  /// The name of an event.
  enum Name {
    /// The name itself.
    case literal([UInt8])
    /// The native form of the string at a path of the record.
    case value(path: String)
  }

  /// The field index of the subject.
  let subject: Int
  /// The field index of the time.
  let moment: Int
  /// The number of events that a record becomes.
  let eventCount: Int
  /// The name of each event.
  let names: [Name]
  /// The texts and values in the order in which they are written. The last value is `nothing`.
  let parts: UnsafeBufferPointer<Part>
  /// The texts of all parts, one after another.
  private let texts: LineBuffer

  fileprivate init(_ draft: TranslationPlanDraft) {
    subject = draft.subject
    moment = draft.moment
    eventCount = draft.names.count
    names = draft.names
    texts = draft.texts
    let parts = UnsafeMutableBufferPointer<Part>.allocate(capacity: draft.parts.count)
    _ = parts.initialize(from: draft.parts)
    self.parts = UnsafeBufferPointer(parts)
  }

  deinit { parts.deallocate() }

  /// Returns the text of a part.
  @inline(__always)
  func text(of part: UnsafePointer<Part>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: texts.bytes.baseAddress! + Int(part.pointee.textStart), count: Int(part.pointee.textCount))
  }
}

/// A translation plan under construction.
struct TranslationPlanDraft {
  /// The field index of the subject.
  let subject: Int
  /// The field index of the time.
  let moment: Int
  fileprivate private(set) var names: [TranslationPlan.Name] = []
  fileprivate private(set) var parts: [TranslationPlan.Part] = []
  fileprivate let texts = LineBuffer()
  /// The key of the open object, or `nil` if it is written already.
  private var objectKey: StaticString?
  /// Whether the open object has members.
  private var hasMembers = false
  /// The keys of the open object.
  private let keys: TextNumbers
  /// The next part.
  private var part = TranslationPlan.Part(textStart: 0, event: 0)

  /// Starts an empty plan.
  ///
  /// - Parameters:
  ///   - subject: The field index of the subject.
  ///   - moment: The field index of the time.
  ///   - keys: A table for the keys of the open object. Its content is replaced.
  init(subject: Int, moment: Int, keys: TextNumbers) {
    self.subject = subject
    self.moment = moment
    self.keys = keys
  }

  /// Starts an event with a constant name.
  mutating func beginEvent(name: [UInt8]) {
    names.append(.literal(name))
    append("{\"name\":")
    name.withUnsafeBytes { texts.appendJSONString($0) }
    append(",\"ts\":")
    append(.moment)
  }

  /// Starts an event whose name is the native form of a field.
  ///
  /// - Parameters:
  ///   - field: The field index of the name.
  ///   - path: The path of the field, for messages.
  mutating func beginEvent(nameField field: Int, path: String) {
    names.append(.value(path: path))
    append("{\"name\":")
    append(.name, field: field)
    append(",\"ts\":")
    append(.moment)
  }

  /// Appends a constant member of the envelope. `key` includes the comma and the colon.
  mutating func append(_ key: StaticString, _ text: [UInt8]) {
    append(key)
    text.withUnsafeBytes { texts.appendJSONString($0) }
  }

  /// Appends a member of the envelope. `key` includes the comma and the colon.
  mutating func append(_ key: StaticString, _ value: TranslationPlan.Value, field: Int? = nil) {
    append(key)
    append(value, field: field)
  }

  /// Appends a value.
  ///
  /// - Parameter field: The field index of the value, or `nil` if the value is not a field.
  mutating func append(_ value: TranslationPlan.Value, field: Int? = nil) {
    part.textCount = Int32(texts.count) - part.textStart
    part.value = value
    part.field = field.map { Int32($0) } ?? TranslationPlan.Part.noField
    parts.append(part)
    part = TranslationPlan.Part(textStart: Int32(texts.count), event: part.event)
  }

  /// Starts an object of the envelope. An empty object is not written.
  mutating func beginObject(_ key: StaticString) {
    objectKey = key
    hasMembers = false
    keys.removeAll()
  }

  /// Appends a member to the open object, unless it has a member with the key already.
  mutating func appendMember(_ key: UnsafeRawBufferPointer, _ value: TranslationPlan.Value, field: Int) {
    guard keys.find(key) == nil else { return }
    _ = keys.add(key)
    if let objectKey { append(objectKey) }
    objectKey = nil
    texts.append(UInt8(ascii: hasMembers ? "," : "{"))
    hasMembers = true
    texts.appendJSONString(key)
    texts.append(UInt8(ascii: ":"))
    append(value, field: field)
  }

  /// Finishes the open object.
  mutating func endObject() {
    if hasMembers { append("}") }
  }

  /// Finishes the event.
  mutating func endEvent() {
    append("}\n")
    part.event += 1
  }

  /// Returns the finished plan.
  consuming func finish() -> TranslationPlan {
    append(.nothing)
    return TranslationPlan(self)
  }

  private func append(_ text: StaticString) { texts.append(text) }
}
