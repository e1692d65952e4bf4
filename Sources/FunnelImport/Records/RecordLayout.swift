import FunnelModel

/// The layout of a record: the field of each slot, the fields that become properties, and the fields that are left out.
///
/// Records with the same keys in the same order and with values of the same types share one layout. Not thread-safe:
/// each worker owns its layouts.
final class RecordLayout {
  /// A field that becomes a property, and the key of the property.
  struct Property: BitwiseCopyable {
    var field: Int32
    /// The offset of the property's key in ``RecordLayout/keys``.
    fileprivate var keyStart: Int32 = 0
    /// The length of that key in bytes, or 0 if the property has the key of its field.
    fileprivate var keyCount: Int32 = 0
  }

  /// A field that contains the ID of a person, a device or a session, and its node in the field tree.
  struct Identity: BitwiseCopyable {
    var node: Int32
    var field: Int32
  }

  /// Whether later records share the layout.
  enum Lifetime {
    /// The layout stays, and stores translation plans.
    case shared
    /// The next record overwrites the layout.
    case scratch
  }

  /// The field index of each slot.
  @exclusivity(unchecked) private var slots: [PackedIndex]
  /// The fields that become properties.
  private(set) var properties: [Property] = []
  /// The property keys that are joined from several keys, one after another.
  private var keys: [UInt8] = []
  /// The nodes whose values are left out.
  private(set) var leftOut: [Int32] = []
  /// The fields with IDs. The translator leaves out all but the subject.
  private(set) var identities: [Identity] = []
  /// The string fields at paths of objects. Such a string may contain an object as JSON text.
  private(set) var texts: [Int32] = []
  /// The IDs of the left-out paths without a node, each once (see ``RecordWalker/unknownPaths``).
  private(set) var unknownLeftOut: [Int] = []
  let lifetime: Lifetime
  /// The number of records with left-out values that are not yet counted, and the field indices of their subject and user.
  @exclusivity(unchecked) var uncounted: (records: Int, subject: Int, user: Int?) = (0, 0, nil)
  /// The order in which the values are hashed, or `nil` if no ID was derived so far.
  private var hashOrder: RecordHashOrder?

  /// Creates an empty layout for the slots of an import plan.
  init(slotCount: Int, _ lifetime: Lifetime) {
    slots = [PackedIndex](repeating: .none, count: slotCount)
    self.lifetime = lifetime
  }

  /// Whether the joined keys exceed the size of a line.
  var isTooLong: Bool {
    // Nested objects repeat the keys of their ancestors, so the joined keys can be longer than the record.
    keys.count > Limits.lineBytesMax
  }

  /// Returns the field index of a slot, or `nil` if the record has no value for it.
  @inline(__always)
  func field(_ slot: Int) -> Int? { slots[slot].value }

  /// Returns the key of a property.
  @inline(__always)
  func withKey<Result>(
    of property: Property, in fields: ImportedFields, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    guard property.keyCount > 0 else { return body(fields[Int(property.field)].key) }
    let keys = keys
    let start = Int(property.keyStart)
    return body(keys.span.extracting(start..<start + Int(property.keyCount)))
  }

  // MARK: Building

  /// Removes all fields and keys.
  func removeAll() {
    for slot in slots.indices { slots[slot] = .none }
    properties.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    leftOut.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    unknownLeftOut.removeAll(keepingCapacity: true)
    hashOrder = nil
  }

  /// Returns the order in which the values of records with this layout are hashed for an ID.
  ///
  /// - Parameters:
  ///   - fields: The fields of such a record.
  ///   - stamps: The members that are left out, the same in each call.
  func hashOrder(of fields: ImportedFields, without stamps: RecordStamps) -> RecordHashOrder {
    if let hashOrder { return hashOrder }
    precondition(lifetime == .scratch, "a shared layout gets its order when it is learned")
    let order = RecordHashOrder(of: fields, without: stamps)
    hashOrder = order
    return order
  }

  /// Sets the order in which the values of records with this layout are hashed.
  func setHashOrder(_ order: RecordHashOrder) { hashOrder = order }

  /// Sets the field of a slot.
  func setField(_ field: Int, of slot: Int) { slots[slot] = PackedIndex(field) }

  /// Adds a field that becomes a property with the key of the field.
  func addProperty(_ field: Int) { properties.append(Property(field: Int32(field))) }

  /// Adds a field that becomes a property with a key of its own, unless the joined keys are too long already.
  func addProperty(_ field: Int, key: Span<UInt8>) {
    guard !isTooLong else { return }
    properties.append(Property(field: Int32(field), keyStart: Int32(keys.count), keyCount: Int32(key.count)))
    keys.append(copying: key)
  }

  /// Adds a node whose value is left out.
  func leaveOut(node: Int) { leftOut.append(Int32(node)) }

  /// Adds a left-out path without a node.
  ///
  /// - Parameters:
  ///   - id: The ID of the path, or `nil` if the layout has it already.
  ///   - key: The joined keys, which count towards the size that ``isTooLong`` limits.
  func leaveOut(unknownPath id: Int?, joined key: [UInt8] = []) {
    if let id { unknownLeftOut.append(id) }
    keys += key
  }

  /// Adds a field with an ID.
  func addIdentity(_ field: Int, node: Int) { identities.append(Identity(node: Int32(node), field: Int32(field))) }

  /// Adds a string at the path of an object.
  func addText(_ field: Int) { texts.append(Int32(field)) }

  // MARK: Translation plans

  /// An event name and a choice among its rules, by their IDs.
  private struct PlanKey: Hashable {
    var name: Int
    var choice: Int
  }

  private var plans: [PlanKey: TranslationPlan] = [:]
  /// The plans of the last lookups, each in a slot of its event name. Most layouts have few names.
  @exclusivity(unchecked) private var recent = [(key: PlanKey, plan: TranslationPlan)?](repeating: nil, count: recentCount)
  /// The number of slots, a power of two.
  private static let recentCount = 16

  /// Returns the stored translation plan for an event name, or `nil` if there is none.
  @inline(__always)
  func plan(of name: EventNames.Entry, _ choice: RuleChoice) -> TranslationPlan? {
    guard let choiceID = choice.id else { return nil }
    let key = PlanKey(name: name.id, choice: choiceID)
    let slot = name.id & (Self.recentCount - 1)
    if let recent = recent[slot], recent.key == key { return recent.plan }
    guard let plan = plans[key] else { return nil }
    recent[slot] = (key, plan)
    return plan
  }

  /// Stores the translation plan for an event name. Returns `false` if the layout or the choice can't be identified again.
  func store(_ plan: TranslationPlan, of name: EventNames.Entry, _ choice: RuleChoice) -> Bool {
    guard lifetime == .shared, let choiceID = choice.id else { return false }
    plans[PlanKey(name: name.id, choice: choiceID)] = plan
    return true
  }
}

/// A parsed record and its layout. Valid until the next record is read.
struct ImportedRecord: ~Escapable {
  let fields: ImportedFields
  let layout: RecordLayout

  /// Creates a record of fields and their layout.
  @_lifetime(copy fields)
  init(_ fields: ImportedFields, _ layout: RecordLayout) {
    self.fields = fields
    self.layout = layout
  }

  /// Returns the field index of a slot, or `nil` if the record has no value for it.
  @inline(__always)
  func field(_ slot: Int) -> Int? { layout.field(slot) }

  /// Returns the field index of a slot, or `nil` if its value is missing, null or an empty string.
  @inline(__always)
  func present(_ slot: Int) -> Int? {
    guard let field = field(slot), !fields[field].isAbsent else { return nil }
    return field
  }

  /// Returns the field index of the first slot that has a value, or `nil` if none has one.
  func firstPresent(_ slots: [Int]) -> Int? {
    for slot in slots { if let field = present(slot) { return field } }
    return nil
  }

  /// Returns the field index of the first candidate that has a value, or `nil` if none has one.
  func firstPresent(_ candidates: [ImportPlan.Candidate]) -> Int? {
    for candidate in candidates { if let field = present(candidate.slot) { return field } }
    return nil
  }

  /// Returns the string in a slot, or `nil` if it is missing, empty or another value.
  @_lifetime(copy self)
  func text(_ slot: Int) -> Span<UInt8>? {
    guard let field = field(slot), let text = fields[field].string, !text.isEmpty else { return nil }
    return text
  }
}
