internal import CSimdJSON

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A prefix tree of the shapes of earlier records: their keys and value types in document order.
///
/// The records of one version of an app mostly differ in their values only. A record with a known shape is read by
/// comparing its keys with those of the shape, one after another. No key is looked up or checked for duplicates.
///
/// A shape consists of keys, value types, and whether a string is empty. Values are not part of it, with one exception:
/// the key of a pair in an array, as in `[{"key":"step","value":{"string_value":"welcome"}}]`, because it names a value
/// like the key of a member.
///
/// The size is bounded. If the trie is full, or a record has too many alternatives, nothing is added. Not thread-safe:
/// each worker owns one.
final class ShapeTrie {
  /// The form of a step.
  enum Form: UInt8 {
    /// A key and a value in an object.
    case member
    /// A value in an array.
    case element
    /// The end of an object or an array.
    case end
  }

  /// The type of a value, as far as shapes distinguish it.
  enum Kind: UInt8 {
    case string, emptyString, number, boolean, null, object, array
  }

  /// The index of a missing step or layout. An `Optional` would double the four bytes of an index.
  static let absent: Int32 = -1

  /// A node of the trie: one member, element or end of a container.
  struct Step: BitwiseCopyable {
    let form: Form
    let kind: Kind
    /// Whether a comma precedes the step.
    let hasComma: Bool
    /// The closing bracket or brace of an end, or 0 for any other form.
    let closer: UInt8
    /// The key with its quotes, or no bytes if the step is not a member.
    let key: Bytes
    /// The only value that a string may have, or `nil` if it may have any.
    let value: Bytes?
    /// The index of the first possible next step, or ``ShapeTrie/absent``.
    var next: Int32 = ShapeTrie.absent
    /// The index of the next alternative to this step, or ``ShapeTrie/absent``.
    var alternative: Int32 = ShapeTrie.absent
    /// The index of the layout of records that end with this step, or ``ShapeTrie/absent``.
    var layout: Int32 = ShapeTrie.absent
  }

  /// Bytes at a fixed address, valid as long as the trie. At least one readable word follows them.
  struct Bytes: BitwiseCopyable {
    let start: UnsafePointer<UInt8>
    let count: Int
  }

  /// The maximum number of steps.
  static let stepsMax = 1 << 14
  /// The maximum number of layouts.
  static let layoutsMax = 1 << 10
  /// The maximum total length of the keys in bytes.
  static let keyBytesMax = 1 << 20
  /// The maximum number of alternatives at one point. More alternatives indicate that keys contain data, such as IDs.
  static let alternativesMax = 64
  /// The maximum length in bytes of a record that is added or matched.
  static let recordBytesMax = 1 << 16
  /// The maximum number of fields of a record that is added.
  static let fieldsMax = 1 << 10
  /// The number of bytes that are compared at once.
  private static let wordBytes = 8

  /// The steps, of which the first ``stepCount`` are initialized.
  let steps = UnsafeMutablePointer<Step>.allocate(capacity: ShapeTrie.stepsMax)
  private var stepCount = 0
  private(set) var layouts: [RecordLayout] = []
  private var texts: [UnsafeMutablePointer<UInt8>] = []
  private var keyBytes = 0
  /// The fields of the last matched record.
  let fields = UnsafeMutablePointer<funnel_json_field>.allocate(capacity: ShapeTrie.fieldsMax)

  /// Creates an empty trie.
  init() {
    fields.initialize(repeating: funnel_json_field(), count: Self.fieldsMax)
  }

  deinit {
    steps.deallocate()
    for text in texts { text.deallocate() }
    fields.deallocate()
  }

  /// The index of the first possible step of a record, or ``absent`` if the trie is empty.
  var first: Int32 { stepCount > 0 ? 0 : Self.absent }

  /// Sets the layout of the records that end with a step. Returns `false` if the trie has no room for it.
  func addLayout(_ layout: RecordLayout, at step: Int32) -> Bool {
    assert(step >= 0 && step < stepCount, "the step does not exist")
    guard layouts.count < Self.layoutsMax else { return false }
    steps[Int(step)].layout = Int32(layouts.count)
    layouts.append(layout)
    return true
  }

  /// Returns the index of a step among the alternatives from `first` on, adding the step if it is missing.
  ///
  /// - Parameters:
  ///   - wanted: The content of the step.
  ///   - first: The first alternative, or ``absent``.
  ///   - link: Called with the index of an added step if `first` is ``absent``.
  /// - Returns: The index, or `nil` if the trie has no room for the step.
  func step(
    like wanted: StepText, from first: Int32, link: (Int32) -> Void
  ) -> Int32? {
    var last = Self.absent
    var candidate = first
    var count = 0
    while candidate != Self.absent {
      if isEqual(steps[Int(candidate)], wanted) { return candidate }
      last = candidate
      candidate = steps[Int(candidate)].alternative
      count += 1
    }
    guard count < Self.alternativesMax, stepCount < Self.stepsMax,
      keyBytes + wanted.key.count + (wanted.value?.count ?? 0) <= Self.keyBytesMax
    else { return nil }
    let index = Int32(stepCount)
    (steps + stepCount).initialize(
      to: Step(
        form: wanted.form, kind: wanted.kind, hasComma: wanted.hasComma, closer: wanted.closer, key: stored(wanted.key),
        value: wanted.value.map { stored($0) }))
    stepCount += 1
    if last == Self.absent { link(index) } else { steps[Int(last)].alternative = index }
    return index
  }

  /// The content of a step, with bytes of the record that is added.
  struct StepText {
    var form: Form
    var kind = Kind.null
    var hasComma = false
    var closer: UInt8 = 0
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var value: UnsafeRawBufferPointer?
  }

  private func isEqual(_ step: Step, _ wanted: StepText) -> Bool {
    guard step.form == wanted.form, step.kind == wanted.kind, step.closer == wanted.closer, Self.isSame(step.key, wanted.key)
    else { return false }
    switch (step.value, wanted.value) {
    case (nil, nil): return true
    case (let value?, let other?): return Self.isSame(value, other)
    default: return false
    }
  }

  private static func isSame(_ bytes: Bytes, _ other: UnsafeRawBufferPointer) -> Bool {
    bytes.count == other.count && (other.isEmpty || memcmp(bytes.start, other.baseAddress!, other.count) == 0)
  }

  /// Copies bytes into memory of the trie, padded with zeros.
  private func stored(_ text: UnsafeRawBufferPointer) -> Bytes {
    // Comparisons read whole words, and one more word if the length is a multiple of the word size.
    let capacity = (text.count + Self.wordBytes - 1) / Self.wordBytes * Self.wordBytes + Self.wordBytes
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    memory.initialize(repeating: 0, count: capacity)
    if let start = text.baseAddress { memcpy(memory, start, text.count) }
    texts.append(memory)
    keyBytes += text.count
    return Bytes(start: UnsafePointer(memory), count: text.count)
  }
}
