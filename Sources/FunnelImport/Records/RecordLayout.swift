import FunnelModel

/// The layout of a record: the field of each slot, the fields that become properties, and the fields that are left out.
///
/// Records of one layout, which have the same keys in the same order and values of the same kinds, share it. Not to be shared between
/// threads.
final class RecordLayout {
  /// A property: the index of its field, and its key.
  struct Property: BitwiseCopyable {
    var field: Int32
    /// The range of the key in the joined keys; an empty one stands for the key of the field itself.
    var keyStart: Int32 = 0
    var keyCount: Int32 = 0
  }

  /// A field that is an id of a person, a device or a session, and its node.
  struct Identity: BitwiseCopyable {
    var node: Int32
    var field: Int32
  }

  /// The index of each slot's field; -1 for an absent value.
  let slots: UnsafeMutablePointer<Int32>
  private let slotCount: Int
  var properties: [Property] = []
  /// The keys that are joined from several, one after another.
  let keys = LineBuffer()
  /// The nodes whose values are left out.
  var leftOut: [Int32] = []
  /// The ids: all but the subject are left out.
  var identities: [Identity] = []
  /// The fields of texts that stand where objects could: they may hold them.
  var texts: [Int32] = []
  /// The paths without a node whose values are left out, each once, as numbers of ``RecordWalker/unknownPaths``.
  var unknownLeftOut: [Int] = []

  /// Whether joined keys take more bytes than a line may have: objects in objects repeat their keys.
  var isTooLong: Bool { keys.count > Limits.lineBytesMax }

  /// Whether the next record overwrites the layout. Then ``keep(_:of:_:)`` keeps no program, which would be another record's.
  private let isReused: Bool

  init(slotCount: Int, isReused: Bool) {
    (self.slotCount, self.isReused) = (slotCount, isReused)
    slots = .allocate(capacity: max(slotCount, 1))
    slots.initialize(repeating: -1, count: max(slotCount, 1))
  }

  deinit { slots.deallocate() }

  /// Forgets what was found.
  func removeAll() {
    slots.update(repeating: -1, count: slotCount)
    properties.removeAll(keepingCapacity: true)
    keys.removeAll()
    leftOut.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    unknownLeftOut.removeAll(keepingCapacity: true)
  }

  // MARK: Programs

  /// A name and a choice among its rules.
  private struct ProgramKey: Hashable {
    var name: Int
    var choice: Int
  }

  private var programs: [ProgramKey: TranslationPlan] = [:]
  /// The program of the last record, since the names of most layouts are few.
  private var last: (key: ProgramKey, program: TranslationPlan)?

  /// Returns the program for records of a name, or nil if it is not known.
  @inline(__always)
  func program(of name: EventNames.Entry, _ choice: RuleChoice) -> TranslationPlan? {
    guard let number = choice.number else { return nil }
    let key = ProgramKey(name: name.number, choice: number)
    if let last, last.key == key { return last.program }
    guard let program = programs[key] else { return nil }
    last = (key, program)
    return program
  }

  /// Keeps the program for records of a name, and returns whether it can be found again.
  func keep(_ program: TranslationPlan, of name: EventNames.Entry, _ choice: RuleChoice) -> Bool {
    guard !isReused, let number = choice.number else { return false }
    programs[ProgramKey(name: name.number, choice: number)] = program
    return true
  }
}

/// A record that was read: its fields, and what they are. Valid until the next one is read.
struct ImportedRecord {
  let fields: ImportedFields
  let layout: RecordLayout

  /// Returns the field that a slot took, or nil if it has none.
  @inline(__always)
  func field(_ slot: Int) -> Int? {
    let field = layout.slots[slot]
    return field < 0 ? nil : Int(field)
  }

  /// Returns the field that a slot took, or nil if it has none or its value counts as absent.
  @inline(__always)
  func present(_ slot: Int) -> Int? {
    guard let field = field(slot), !fields[field].isAbsent else { return nil }
    return field
  }

  /// Returns the first of several slots that has a value.
  func firstPresent(_ slots: [Int]) -> Int? {
    for slot in slots { if let field = present(slot) { return field } }
    return nil
  }

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
