internal import CSimdJSON

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The layouts of the records seen before, as a prefix tree of the tokens they have in common.
///
/// The records that one version of an app sends differ in little but their values. A record whose keys come in the order of a known layout
/// is read by comparing them with that layout's, one after the other: no key is looked up, and no key is checked for coming twice.
///
/// A layout distinguishes the kinds of values, and whether a string is empty, but no values. The one exception is the key of a pair in an
/// array, as in `[{"key":"step","value":{"string_value":"welcome"}}]`, which names a value as the key of a member does. The size is
/// bounded: once the tree is full, or a record is too unlike others, nothing is added. Not to be shared between threads.
final class ShapeTrie {
  /// The form of a step.
  enum Form: UInt8 {
    /// A key and a value, in an object.
    case member
    /// A value in an array.
    case element
    /// The end of an object or an array.
    case end
  }

  /// The kind of a value, as far as layouts distinguish it.
  enum Kind: UInt8 {
    case string, emptyString, number, boolean, null, object, array
  }

  /// One step on the way from the beginning of a record to its end.
  struct Step: BitwiseCopyable {
    let form: Form
    let kind: Kind
    /// Whether a comma comes first.
    let hasComma: Bool
    /// The bracket or brace of an end.
    let closer: UInt8
    /// The key between its quotes, followed by zeros up to a whole word and one word more; empty but for a member.
    let key: Bytes
    /// The only value that a string may have; nil if it may have any.
    let value: Bytes?
    /// The first of the steps that may follow, -1 for none.
    var next: Int32 = -1
    /// Another step that may come instead of this one, -1 for none.
    var alternative: Int32 = -1
    /// The number of the layout of a record that ends here, -1 for none.
    var layout: Int32 = -1
  }

  /// Bytes that stay where they are as long as the tree does.
  struct Bytes: BitwiseCopyable {
    let start: UnsafePointer<UInt8>
    let count: Int
  }

  /// The number of steps, layouts and bytes of keys above which nothing is added.
  static let stepsMax = 1 << 14
  static let layoutsMax = 1 << 10
  static let keyBytesMax = 1 << 20
  /// The number of alternatives to a step: more are no layouts, but keys that are data.
  static let alternativesMax = 64
  /// The number of bytes and of fields of a record whose layout is kept.
  static let recordBytesMax = 1 << 16
  static let fieldsMax = 1 << 10

  let steps = UnsafeMutablePointer<Step>.allocate(capacity: ShapeTrie.stepsMax)
  private var stepCount = 0
  private(set) var layouts: [RecordLayout] = []
  private var texts: [UnsafeMutablePointer<UInt8>] = []
  private var keyBytes = 0
  /// The fields of the record that was matched last.
  let fields = UnsafeMutablePointer<funnel_json_field>.allocate(capacity: ShapeTrie.fieldsMax)

  init() {
    fields.initialize(repeating: funnel_json_field(), count: Self.fieldsMax)
  }

  deinit {
    steps.deallocate()
    for text in texts { text.deallocate() }
    fields.deallocate()
  }

  /// The step at which all records begin, -1 as long as there is none.
  var first: Int32 { stepCount > 0 ? 0 : -1 }

  /// Adds a layout to a step at which records end, and returns whether there was room for it.
  func addLayout(_ layout: RecordLayout, at step: Int32) -> Bool {
    guard layouts.count < Self.layoutsMax else { return false }
    steps[Int(step)].layout = Int32(layouts.count)
    layouts.append(layout)
    return true
  }

  /// Returns the step that is like another one, among the alternatives from `first` on. It is added if there is none; returns nil if there
  /// is no room.
  ///
  /// - Parameter link: Sets the first step where there was none.
  func step(
    like wanted: StepText, from first: Int32, link: (Int32) -> Void
  ) -> Int32? {
    var last: Int32 = -1
    var candidate = first
    var count = 0
    while candidate >= 0 {
      if isLike(steps[Int(candidate)], wanted) { return candidate }
      last = candidate
      candidate = steps[Int(candidate)].alternative
      count += 1
    }
    guard count < Self.alternativesMax, stepCount < Self.stepsMax,
      keyBytes + wanted.key.count + (wanted.value?.count ?? 0) <= Self.keyBytesMax
    else { return nil }
    let number = Int32(stepCount)
    (steps + stepCount).initialize(
      to: Step(
        form: wanted.form, kind: wanted.kind, hasComma: wanted.hasComma, closer: wanted.closer, key: stored(wanted.key),
        value: wanted.value.map { stored($0) }))
    stepCount += 1
    if last >= 0 { steps[Int(last)].alternative = number } else { link(number) }
    return number
  }

  /// A step as it stands in a record.
  struct StepText {
    var form: Form
    var kind = Kind.null
    var hasComma = false
    var closer: UInt8 = 0
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var value: UnsafeRawBufferPointer?
  }

  private func isLike(_ step: Step, _ wanted: StepText) -> Bool {
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

  private func stored(_ text: UnsafeRawBufferPointer) -> Bytes {
    let capacity = (text.count + 7) / 8 * 8 + 8
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    memory.initialize(repeating: 0, count: capacity)
    if let start = text.baseAddress { memcpy(memory, start, text.count) }
    texts.append(memory)
    keyBytes += text.count
    return Bytes(start: UnsafePointer(memory), count: text.count)
  }
}
