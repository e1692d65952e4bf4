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
  /// The type of a value, as far as shapes distinguish it.
  enum ValueKind: UInt8 {
    case string, emptyString, number, boolean, null, object, array
  }

  /// The type of an object or an array.
  enum Container: UInt8 {
    case object, array

    /// The byte that ends the container.
    var closer: UInt8 { self == .object ? UInt8(ascii: "}") : UInt8(ascii: "]") }
  }

  /// The content of a step.
  enum Content: BitwiseCopyable {
    /// A key and a value in an object.
    case member(ValueKind)
    /// A value in an array.
    case element(ValueKind)
    /// The end of an object or an array.
    case end(Container)
  }

  /// A node of the trie: one member, element or end of a container.
  struct Step: BitwiseCopyable {
    let content: Content
    /// Whether a comma precedes the step.
    let hasComma: Bool
    /// Whether ``value`` is the only text that the string may have. Otherwise it may have any.
    let hasFixedValue: Bool
    /// The key with its quotes in ``ShapeTrie/keys``. Empty if the step is not a member.
    let key: PackedRange
    /// The only text that the string may have, if ``hasFixedValue``.
    let value: PackedRange
    /// The first possible next step.
    fileprivate(set) var next = PackedIndex.none
    /// The next alternative to this step.
    fileprivate(set) var alternative = PackedIndex.none
    /// The layout of records that end with this step.
    fileprivate(set) var layout = PackedIndex.none
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

  private(set) var steps: [Step] = []
  private(set) var layouts: [RecordLayout] = []
  /// The keys and fixed values of all steps. It has its final capacity from the start, because fields point into it.
  private(set) var keys: [UInt8] = []
  /// The fields of the last matched record.
  let fields = FieldBuffer(capacity: ShapeTrie.fieldsMax)

  /// Creates an empty trie.
  init() { keys.reserveCapacity(Self.keyBytesMax) }

  /// The first possible step of a record, or none if the trie is empty.
  var first: PackedIndex { steps.isEmpty ? .none : PackedIndex(0) }

  /// Returns the layout of the records that end with a step, or `nil` if it has none.
  func layout(at step: Int) -> RecordLayout? { steps[step].layout.value.map { layouts[$0] } }

  /// Sets the layout of the records that end with a step. Returns `false` if the trie has no room for it.
  func addLayout(_ layout: RecordLayout, at step: Int) -> Bool {
    precondition(steps[step].layout.value == nil, "the step has no layout yet")
    guard layouts.count < Self.layoutsMax else { return false }
    steps[step].layout = PackedIndex(layouts.count)
    layouts.append(layout)
    return true
  }

  /// The content of a step that is added or found, with bytes of the record.
  struct WantedStep: ~Escapable {
    let content: Content
    let hasComma: Bool
    /// The key with its quotes, or empty.
    let key: Span<UInt8>
    /// The only text that the string may have, or `nil` if it may have any.
    let value: Span<UInt8>?

    /// Creates the content of a step.
    @_lifetime(copy key, copy value)
    init(_ content: Content, hasComma: Bool, key: Span<UInt8>, value: Span<UInt8>?) {
      self.content = content
      self.hasComma = hasComma
      self.key = key
      self.value = value
    }
  }

  /// Returns the index of a step that follows another, adding the step if it is missing.
  ///
  /// - Parameter previous: The index of the previous step, or `nil` at the start of a record.
  /// - Returns: The index, or `nil` if the trie has no room for the step.
  func findOrInsert(_ wanted: WantedStep, after previous: Int?) -> Int? {
    var last: Int?
    var candidate = if let previous { steps[previous].next } else { first }
    var alternativeCount = 0
    while let index = candidate.value {
      if isEqual(steps[index], wanted) { return index }
      last = index
      candidate = steps[index].alternative
      alternativeCount += 1
    }
    guard alternativeCount < Self.alternativesMax, let added = append(wanted) else { return nil }
    if let last {
      steps[last].alternative = PackedIndex(added)
    } else if let previous {
      steps[previous].next = PackedIndex(added)
    }
    return added
  }

  /// Appends a step and returns its index, or `nil` if there is no room.
  private func append(_ wanted: WantedStep) -> Int? {
    let valueCount = if let value = wanted.value { value.count } else { 0 }
    guard steps.count < Self.stepsMax, keys.count + wanted.key.count + valueCount <= Self.keyBytesMax else { return nil }
    let key = append(wanted.key)
    let value = if let value = wanted.value { append(value) } else { PackedRange.empty }
    steps.append(
      Step(
        content: wanted.content, hasComma: wanted.hasComma, hasFixedValue: wanted.value != nil, key: key, value: value))
    return steps.count - 1
  }

  private func append(_ text: Span<UInt8>) -> PackedRange {
    assert(keys.count + text.count <= keys.capacity, "the keys stay in place")
    let start = keys.count
    keys.append(copying: text)
    return PackedRange(start..<keys.count)
  }

  private func isEqual(_ step: Step, _ wanted: WantedStep) -> Bool {
    let keys = keys
    guard step.content == wanted.content, wanted.key.isEqual(to: keys.span.extracting(step.key.range)) else { return false }
    guard let value = wanted.value else { return !step.hasFixedValue }
    return step.hasFixedValue && value.isEqual(to: keys.span.extracting(step.value.range))
  }
}

extension ShapeTrie.Content: Equatable {}
