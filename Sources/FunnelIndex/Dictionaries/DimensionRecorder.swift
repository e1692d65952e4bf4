internal import FunnelDecoding
internal import FunnelModel

/// Builds the dictionary of `ctx`, or of `props`, while events are recorded: it assigns an ID to each
/// distinct content.
///
/// A key with too many values is retired, because the dictionary would grow with the log. If there are too many
/// distinct contents, the keys with the most values are retired. A retired key is measured if all its values
/// are numbers, and dropped otherwise. Earlier contents keep their IDs and their values. ID 0 is the
/// empty content.
struct DimensionRecorder: ~Copyable {
  /// How the values of a key are recorded.
  enum KeyState: UInt8, BitwiseCopyable {
    /// In the dictionary.
    case kept
    /// In the column of the property.
    case measured
    /// Not at all.
    case dropped
  }

  /// The contents, each as its encoded entries one after another.
  private var contents = InternTable()
  /// The dictionary entries (``DictionaryEntry``).
  private var entries = InternTable()
  private var keys = InternTable()
  /// The number of distinct values of each key.
  private var valueCounts = UniqueArray<UInt32>()
  /// The state of each key.
  private var states = UniqueArray<KeyState>()
  /// Whether all values of each key so far are numbers.
  private var hasOnlyNumbers = UniqueArray<Bool>()
  /// The content that has only a measured key, by key; 0, the empty content, if there is none yet.
  private var contentsOfMeasured = UniqueArray<UInt32>()
  private var measuredCount = 0
  private var droppedCount = 0
  /// The IDs of the entries of all contents (``DimensionDictionary/entriesOfContents``).
  private var entriesOfContents = UniqueArray<UInt32>()
  /// The end of each content in ``entriesOfContents``.
  private var contentEnds = UniqueArray<UInt32>()
  /// The current limit on the values of one key; 0 if no key is indexed any more.
  private var valuesMax = UInt32(IndexLimits.valuesOfKeyMax)
  private var contentsMax = IndexLimits.contentsMax
  private var bytesMax = IndexLimits.contentBytesMax
  /// The encoded entries of the event being recorded.
  private var scratch = UniqueBytes(capacity: 512)
  private let measuresMax: Int
  /// The numbers of the last event's measured properties, in the order of its members.
  private var numbers = UniqueArray<MeasuredNumber>()

  /// Creates a recorder with the empty content.
  ///
  /// - Parameter measuresMax: The largest number of keys that may be measured.
  init(measuresMax: Int) {
    self.measuresMax = measuresMax
    _ = contents.findOrInsert(.empty)
    contentEnds.append(0)
  }

  /// Returns the ID of an event's content, which is added if it is new.
  ///
  /// The numbers of its measured properties are stored until the next call, for ``appendNumbers(to:)``.
  @inline(__always)
  mutating func id(of members: BorrowedColumn<EventMember>) -> UInt32 {
    numbers.removeAll()
    if members.isEmpty || valuesMax == 0 { return 0 }
    if members.count == 1, measuredCount > 0, let id = id(ofMeasured: members[0]) { return id }
    write(members)
    let hash = ByteHash.hash(scratch.bytes)
    if let id = contents.find(scratch.bytes, hash: hash) { return id }
    return add(members)
  }

  /// Returns the ID of the content that has one measured property, or `nil` if the property is not measured
  /// or the content is new.
  @inline(__always)
  private mutating func id(ofMeasured member: EventMember) -> UInt32? {
    // A fast path: many events have a duration and nothing else.
    guard let key = keys.find(BorrowedBytes(member.key)), states[Int(key)] == .measured,
      contentsOfMeasured[Int(key)] != 0, let number = MeasuredNumber(member.value)
    else { return nil }
    numbers.append(number)
    return contentsOfMeasured[Int(key)]
  }

  /// Appends the numbers of the last event's measured properties (``RecordedNumbers``), and returns their count.
  @inline(__always)
  func appendNumbers(to bytes: inout UniqueBytes) -> UInt8 {
    for index in 0..<numbers.count { RecordedNumbers.append(numbers[index], to: &bytes) }
    // There is at most one for each measured key, because the keys of an event differ.
    return UInt8(numbers.count)
  }

  /// Adds to an earlier copy of this recorder's dictionary the entries and contents recorded since.
  func update(_ dictionary: inout DimensionDictionary) {
    for entry in dictionary.entries.count..<entries.count { dictionary.entries.append(entries[entry].array) }
    dictionary.contentEnds += contentEnds.elements.dropFirst(dictionary.contentEnds.count).array
    dictionary.entriesOfContents += entriesOfContents.elements.dropFirst(dictionary.entriesOfContents.count).array
    if dictionary.dropped.count < droppedCount {
      for key in 0..<keys.count where states[key] == .dropped { dictionary.dropped.insert(keys[key].array) }
    }
    dictionary.dropsAll = valuesMax == 0
  }

  /// Encodes the members that are not dropped into ``scratch``, and appends the numbers of measured ones to
  /// ``numbers``.
  private mutating func write(_ members: BorrowedColumn<EventMember>) {
    scratch.removeAll()
    for index in 0..<members.count {
      let member = members[index]
      if measuredCount + droppedCount > 0, let key = keys.find(BorrowedBytes(member.key)) {
        switch states[Int(key)] {
        case .kept: break
        case .measured:
          measure(member, Int(key))
          continue
        case .dropped: continue
        }
      }
      if !DictionaryEntry.append(member, to: &scratch) { dropIfTooLong(member) }
    }
  }

  /// Records a member whose key is measured. The key is dropped if the value is neither a number nor null.
  private mutating func measure(_ member: EventMember, _ key: Int) {
    if let number = MeasuredNumber(member.value) {
      DictionaryEntry.append(measured: BorrowedBytes(member.key), to: &scratch)
      numbers.append(number)
    } else if case .null = member.value {
      return
    } else {
      drop(key)
    }
  }

  /// Drops the key of a member that can't be encoded, unless its value is null.
  private mutating func dropIfTooLong(_ member: EventMember) {
    if case .null = member.value { return }
    drop(Int(findOrInsertKey(BorrowedBytes(member.key))))
  }

  /// Adds the content in ``scratch``, and returns its ID. If that retires a key, the members are encoded again.
  @inline(never)
  private mutating func add(_ members: BorrowedColumn<EventMember>) -> UInt32 {
    let start = entriesOfContents.count
    var offset = 0
    while offset < scratch.count, valuesMax > 0 {
      guard let (entry, byteCount) = DictionaryEntry.read(scratch.bytes.dropFirst(offset)) else { break }
      let added = entries.findOrInsert(scratch.bytes[offset..<offset + byteCount])
      entriesOfContents.append(added.id)
      offset += byteCount
      if added.isNew, entry.value != nil {
        let key = Int(findOrInsertKey(entry.key))
        valueCounts[key] += 1
        if entry.number == nil { hasOnlyNumbers[key] = false }
        if valueCounts[key] > valuesMax { retire(key) }
        if states[key] != .kept || valuesMax == 0 {
          entriesOfContents.truncate(to: start)
          return id(of: members)
        }
      }
    }
    contentEnds.append(UInt32(entriesOfContents.count))
    let id = contents.findOrInsert(scratch.bytes).id
    if members.count == 1, let key = keys.find(BorrowedBytes(members[0].key)),
      states[Int(key)] == .measured
    {
      contentsOfMeasured[Int(key)] = id
    }
    if contents.count > contentsMax || contents.byteCount > bytesMax { tighten() }
    assert(contents.count == contentEnds.count, "each content has an end")
    return id
  }

  /// Returns the ID of a key, which is added if it is new.
  private mutating func findOrInsertKey(_ bytes: BorrowedBytes) -> UInt32 {
    let key = keys.findOrInsert(bytes)
    if key.isNew {
      valueCounts.append(0)
      states.append(.kept)
      hasOnlyNumbers.append(true)
      contentsOfMeasured.append(0)
      // Analytics data has fewer and shorter keys. No key is indexed any more.
      if keys.count > IndexLimits.keysMax || bytes.count > DictionaryEntry.keyBytesMax { valuesMax = 0 }
    }
    return key.id
  }

  /// Measures a key if possible, and drops it otherwise. The dictionary then gets no further values of it.
  private mutating func retire(_ key: Int) {
    guard states[key] == .kept, hasOnlyNumbers[key], measuredCount < measuresMax else { return drop(key) }
    states[key] = .measured
    measuredCount += 1
  }

  private mutating func drop(_ key: Int) {
    if states[key] != .dropped { droppedCount += 1 }
    states[key] = .dropped
  }

  /// Lowers the limit on the values of one key, and raises the limits on contents until the next call.
  private mutating func tighten() {
    valuesMax = IndexLimits.tightened(valuesMax)
    contentsMax += IndexLimits.contentsMax
    bytesMax += IndexLimits.contentBytesMax
    for key in 0..<keys.count where states[key] == .kept && valueCounts[key] > valuesMax { retire(key) }
  }
}
