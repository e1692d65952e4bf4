/// How the records of one layout become native lines: what is written for all of them, and between it what each record tells itself.
///
/// It is made when the first record of a layout with a name comes, and run for each: no key is looked up for a record, and no key is
/// compared with others. Not to be shared between threads.
final class TranslationPlan {
  /// What is written behind a text.
  enum Value: UInt8 {
    /// Nothing: the program is over.
    case nothing
    /// The time of the event.
    case moment
    /// The subject as a string.
    case subject
    /// A scalar as it is.
    case scalar
    /// The digits of an integer that is written as a string, or else the scalar as it is.
    case integer
    /// A string or a number as the native form of a name.
    case folded
    /// The same as the name of the event, which can't be empty.
    case name
    /// The `seq` by which the source orders its records, after its key; nothing if the record has none.
    case sequence
    /// The id of the event, behind its key; nothing if it is to be derived from the event itself.
    case id
  }

  /// A text, and the value behind it.
  struct Part: BitwiseCopyable {
    fileprivate(set) var textStart: Int32
    fileprivate(set) var textCount: Int32 = 0
    fileprivate(set) var value = Value.nothing
    /// The number of the event among those that the record becomes.
    fileprivate(set) var event: Int32
    /// The field of the value, if it is one.
    fileprivate(set) var field: Int32 = -1
  }

  /// The name of an event.
  enum Name {
    case literal([UInt8])
    /// The native form of the string at a path.
    case value(path: String)
  }

  /// The fields of the subject and the time.
  let subject: Int
  let moment: Int
  /// The number of events that a record becomes.
  let eventCount: Int
  /// The name of each event.
  let names: [Name]
  let parts: UnsafeBufferPointer<Part>
  private let texts: LineBuffer

  fileprivate init(_ draft: TranslationPlanDraft) {
    (subject, moment) = (draft.subject, draft.moment)
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

/// A program as it is made.
struct TranslationPlanDraft {
  let subject: Int
  let moment: Int
  fileprivate private(set) var names: [TranslationPlan.Name] = []
  fileprivate private(set) var parts: [TranslationPlan.Part] = []
  fileprivate let texts = LineBuffer()
  /// The key of the object that is open, if nothing was written of it yet, and whether it has members.
  private var objectKey: StaticString?
  private var hasMembers = false
  private let keys: TextNumbers
  private var part = TranslationPlan.Part(textStart: 0, event: 0)

  /// Begins a program.
  ///
  /// - Parameters:
  ///   - subject: The field of the subject.
  ///   - moment: The field of the time.
  ///   - keys: Where the keys of an object are kept while it is open.
  init(subject: Int, moment: Int, keys: TextNumbers) {
    (self.subject, self.moment, self.keys) = (subject, moment, keys)
  }

  /// Begins an event with a name.
  mutating func beginEvent(name: [UInt8]) {
    names.append(.literal(name))
    append("{\"name\":")
    name.withUnsafeBytes { texts.appendJSONString($0) }
    append(",\"ts\":")
    append(.moment)
  }

  /// Begins an event whose name is the native form of a field.
  mutating func beginEvent(nameField field: Int, path: String) {
    names.append(.value(path: path))
    append("{\"name\":")
    append(.name, field: field)
    append(",\"ts\":")
    append(.moment)
  }

  /// Appends a member of the envelope.
  mutating func append(_ key: StaticString, _ text: [UInt8]) {
    append(key)
    text.withUnsafeBytes { texts.appendJSONString($0) }
  }

  mutating func append(_ key: StaticString, _ value: TranslationPlan.Value, field: Int = -1) {
    append(key)
    append(value, field: field)
  }

  /// Appends a value that writes its own key, or nothing.
  mutating func append(_ value: TranslationPlan.Value, field: Int = -1) {
    part.textCount = Int32(texts.count) - part.textStart
    (part.value, part.field) = (value, Int32(field))
    parts.append(part)
    part = TranslationPlan.Part(textStart: Int32(texts.count), event: part.event)
  }

  /// Begins an object of the envelope, which is not written if it stays empty.
  mutating func beginObject(_ key: StaticString) {
    objectKey = key
    hasMembers = false
    keys.removeAll()
  }

  /// Appends a scalar to the open object, unless it has the key already: the first value counts.
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

  /// Ends the open object.
  mutating func endObject() {
    if hasMembers { append("}") }
  }

  /// Ends the event.
  mutating func endEvent() {
    append("}\n")
    part.event += 1
  }

  /// Ends the program.
  consuming func finish() -> TranslationPlan {
    append(.nothing)
    return TranslationPlan(self)
  }

  private func append(_ text: StaticString) { texts.append(text) }
}
