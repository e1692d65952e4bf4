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
    var keyStart: Int32 = 0
    /// The length of that key in bytes, or 0 if the property has the key of its field.
    var keyCount: Int32 = 0
  }

  /// A field that contains the ID of a person, a device or a session, and its node in the field tree.
  struct Identity: BitwiseCopyable {
    var node: Int32
    var field: Int32
  }

  /// The field index of a slot without a value. An `Optional` would double the four bytes of a slot.
  static let absent: Int32 = -1

  /// The field index of each slot, or ``absent``.
  let slots: UnsafeMutablePointer<Int32>
  private let slotCount: Int
  /// The fields that become properties.
  var properties: [Property] = []
  /// The property keys that are joined from several keys, one after another.
  let keys = LineBuffer()
  /// The nodes whose values are left out.
  var leftOut: [Int32] = []
  /// The fields with IDs. The translator leaves out all but the subject.
  var identities: [Identity] = []
  /// The string fields at paths of objects. Such a string may contain an object as JSON text.
  var texts: [Int32] = []
  /// The numbers of the left-out paths without a node, each once (see ``RecordWalker/unknownPaths``).
  var unknownLeftOut: [Int] = []

  /// Whether the joined keys exceed the size of a line.
  var isTooLong: Bool {
    // Nested objects repeat the keys of their ancestors, so the joined keys can be longer than the record.
    keys.count > Limits.lineBytesMax
  }

  /// Whether the next record overwrites the layout. ``keep(_:of:_:)`` then stores no translation plan.
  private let isReused: Bool

  /// Creates an empty layout.
  ///
  /// - Parameters:
  ///   - slotCount: The number of slots of the import plan.
  ///   - isReused: Whether the next record overwrites the layout.
  init(slotCount: Int, isReused: Bool) {
    self.slotCount = slotCount
    self.isReused = isReused
    slots = .allocate(capacity: max(slotCount, 1))
    slots.initialize(repeating: Self.absent, count: max(slotCount, 1))
  }

  deinit { slots.deallocate() }

  /// Removes all fields and keys.
  func removeAll() {
    slots.update(repeating: Self.absent, count: slotCount)
    properties.removeAll(keepingCapacity: true)
    keys.removeAll()
    leftOut.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    unknownLeftOut.removeAll(keepingCapacity: true)
  }

  // MARK: Translation plans

  /// An event name and a choice among its rules, by their numbers.
  private struct PlanKey: Hashable {
    var name: Int
    var choice: Int
  }

  private var plans: [PlanKey: TranslationPlan] = [:]
  /// The plan of the last lookup. Most layouts have few names, so it often serves the next record too.
  private var last: (key: PlanKey, plan: TranslationPlan)?

  /// Returns the stored translation plan for an event name, or `nil` if there is none.
  @inline(__always)
  func program(of name: EventNames.Entry, _ choice: RuleChoice) -> TranslationPlan? {
    guard let number = choice.number else { return nil }
    let key = PlanKey(name: name.number, choice: number)
    if let last, last.key == key { return last.plan }
    guard let plan = plans[key] else { return nil }
    last = (key, plan)
    return plan
  }

  /// Stores the translation plan for an event name. Returns `false` if the layout or the choice can't be identified
  /// again.
  func keep(_ plan: TranslationPlan, of name: EventNames.Entry, _ choice: RuleChoice) -> Bool {
    guard !isReused, let number = choice.number else { return false }
    plans[PlanKey(name: name.number, choice: number)] = plan
    return true
  }
}

/// A parsed record and its layout. Valid until the next record is read.
struct ImportedRecord {
  let fields: ImportedFields
  let layout: RecordLayout

  /// Returns the field index of a slot, or `nil` if the record has no value for it.
  @inline(__always)
  func field(_ slot: Int) -> Int? {
    let field = layout.slots[slot]
    return field == RecordLayout.absent ? nil : Int(field)
  }

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

  /// Returns the key of a property.
  @inline(__always)
  func key(of property: RecordLayout.Property) -> UnsafeRawBufferPointer {
    guard property.keyCount > 0 else { return fields[Int(property.field)].key }
    let start = Int(property.keyStart)
    return UnsafeRawBufferPointer(rebasing: layout.keys.bytes[start..<start + Int(property.keyCount)])
  }
}
