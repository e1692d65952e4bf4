/// The template by which records of one layout and one name become native lines: constant texts, each followed by a value
/// of the record.
///
/// The plan is compiled for the first such record. Later records need no lookup or comparison of keys. Not thread-safe:
/// each worker owns its plans.
final class TranslationPlan {
  /// The value that is written after a text. Payloads are field indices.
  enum Value: BitwiseCopyable {
    /// Nothing: the end of an event.
    case nothing
    /// The time of the event.
    case timestamp
    /// The subject as a string.
    case subject
    /// The member `user`, or nothing if the record has none.
    case user
    /// A scalar, unchanged.
    case scalar(field: Int32)
    /// An integer that the record writes as a string, or any other scalar, unchanged.
    case integer(field: Int32)
    /// A cell of CSV: a number or a boolean if it reads as one, otherwise a string.
    case cell(field: Int32)
    /// The native form of a string or a number.
    case folded(field: Int32)
    /// The native form of the event name. A record for which it is empty is rejected.
    case name(field: Int32)
    /// The member `seq` with the record's position in the source, or nothing if the record has no position.
    case sequence
    /// The member `sent_at`, or nothing if the record has no time of sending.
    case sentAt
    /// The member `id`, or nothing if the decoder derives it.
    case id
  }

  /// A constant text and the value after it.
  struct Part: BitwiseCopyable {
    /// The range of the text in the texts of the plan.
    let text: PackedRange
    /// The value after the text.
    let value: Value
    /// The index of the event among those of the record.
    let event: Int32
  }

  /// The name of an event.
  enum Name {
    /// The name itself.
    case literal([UInt8])
    /// The native form of the string at a path of the record.
    case value(path: String)
  }

  /// The source of the user.
  struct UserSource {
    /// The field index of the ID.
    let field: Int
    /// The path of the ID.
    let path: String
    /// The field index of the device's ID. An ID that equals it is no user. `nil` if every ID is one.
    let deviceField: Int?
    /// The field index of a boolean that says, if it is `false`, that the ID is no user. `nil` if the record has none.
    var identifiedField: Int?
  }

  /// The field index of the subject.
  let subject: Int
  /// The source of the user, or `nil` if the records have none.
  let user: UserSource?
  /// The field index of the time.
  let timestamp: Int
  /// The name of each event. A record becomes as many events.
  let names: [Name]
  /// The texts and values in the order in which they are written.
  let parts: [Part]
  /// The texts of all parts, one after another.
  let texts: [UInt8]

  fileprivate init(subject: Int, user: UserSource?, timestamp: Int, names: [Name], parts: [Part], texts: [UInt8]) {
    precondition(!names.isEmpty && parts.last?.text.range.upperBound == texts.count, "the plan is complete")
    self.subject = subject
    self.user = user
    self.timestamp = timestamp
    self.names = names
    self.parts = parts
    self.texts = texts
  }
}

/// A translation plan under construction.
struct TranslationPlanBuilder {
  private var names: [TranslationPlan.Name] = []
  private var parts: [TranslationPlan.Part] = []
  private let texts = LineBuffer()
  /// The key of the open object, or `nil` if it is written already.
  private var objectKey: StaticString?
  /// Whether the open object has members.
  private var hasMembers = false
  /// The keys of the open object.
  private let keys: TextInterner

  /// Starts an empty plan.
  ///
  /// - Parameter keys: A table for the keys of the open object. Its content is replaced.
  init(keys: TextInterner) { self.keys = keys }

  /// Starts an event with a constant name.
  mutating func beginEvent(name: [UInt8]) {
    names.append(.literal(name))
    texts.append("{\"name\":")
    texts.appendJSONString(name.span)
    append(",\"ts\":", .timestamp)
  }

  /// Starts an event whose name is the native form of a field.
  ///
  /// - Parameters:
  ///   - field: The field index of the name.
  ///   - path: The path of the field, for messages.
  mutating func beginEvent(nameField field: Int, path: String) {
    names.append(.value(path: path))
    append("{\"name\":", .name(field: Int32(field)))
    append(",\"ts\":", .timestamp)
  }

  /// Appends a constant member of the envelope. `key` includes the comma and the colon.
  mutating func append(_ key: StaticString, _ text: [UInt8]) {
    texts.append(key)
    texts.appendJSONString(text.span)
  }

  /// Appends a member of the envelope. `key` includes the comma and the colon.
  mutating func append(_ key: StaticString, _ value: TranslationPlan.Value) {
    texts.append(key)
    append(value)
  }

  /// Appends a value.
  mutating func append(_ value: TranslationPlan.Value) {
    assert(!names.isEmpty, "a value belongs to an event")
    let start = parts.last?.text.range.upperBound ?? 0
    parts.append(TranslationPlan.Part(text: PackedRange(start..<texts.count), value: value, event: Int32(names.count - 1)))
  }

  /// Starts an object of the envelope. An empty object is not written.
  mutating func beginObject(_ key: StaticString) {
    objectKey = key
    hasMembers = false
    keys.removeAll()
  }

  /// Appends a member to the open object, unless it has a member with the key already.
  mutating func appendMember(_ key: Span<UInt8>, _ value: TranslationPlan.Value) {
    guard keys.findOrInsert(key).isNew else { return }
    if let objectKey { texts.append(objectKey) }
    objectKey = nil
    texts.append(UInt8(ascii: hasMembers ? "," : "{"))
    hasMembers = true
    texts.appendJSONString(key)
    texts.append(UInt8(ascii: ":"))
    append(value)
  }

  /// Finishes the open object.
  mutating func endObject() {
    if hasMembers { texts.append("}") }
  }

  /// Finishes the event.
  mutating func endEvent() { append("}\n", .nothing) }

  /// Returns the finished plan.
  ///
  /// - Parameters:
  ///   - subject: The field index of the subject.
  ///   - user: The source of the user, or `nil` if the records have none.
  ///   - timestamp: The field index of the time.
  consuming func finish(subject: Int, user: TranslationPlan.UserSource?, timestamp: Int) -> TranslationPlan {
    TranslationPlan(
      subject: subject, user: user, timestamp: timestamp, names: names, parts: parts, texts: [UInt8](copying: texts.bytes))
  }
}
