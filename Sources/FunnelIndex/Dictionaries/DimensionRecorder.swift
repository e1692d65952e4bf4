internal import FunnelIngest
internal import FunnelModel

/// Numbers the contents of `ctx`, or of `props`, as events are recorded; 0 is the empty content.
///
/// Keys that would make the dictionary grow with the log are retired: a key with too many values and, if there are too many distinct
/// contents, the keys with the most values. A retired key is measured if all its values are numbers, and dropped otherwise. Contents that
/// were recorded before keep their numbers, and their values.
struct DimensionRecorder: ~Copyable {
  /// What is recorded of the values of a key.
  enum KeyState: UInt8, BitwiseCopyable {
    case kept, measured, dropped
  }

  private var contents = ByteTable()
  private var cells = ByteTable()
  private var keys = ByteTable()
  private var valueCounts = GrowingStorage<UInt32>()
  private var states = GrowingStorage<KeyState>()
  /// Whether all values of a key so far are numbers.
  private var hasOnlyNumbers = GrowingStorage<Bool>()
  /// The content that is a measured key alone, by key; 0 if there is none yet.
  private var contentsOfMeasured = GrowingStorage<UInt32>()
  private var measuredCount = 0
  private var droppedCount = 0
  private var cellsOfRows = GrowingStorage<UInt32>()
  private var rowEnds = GrowingStorage<UInt32>()
  private var valuesMax = UInt32(IndexLimits.valuesOfKeyMax)
  private var rowsMax = IndexLimits.contentsMax
  private var bytesMax = IndexLimits.contentBytesMax
  private var scratch = GrowingBytes(capacity: 512)
  private let measuresMax: Int
  /// The numbers of the measured properties of the last content that was numbered, in the order of its members.
  private var numbers = GrowingStorage<MeasuredNumber>()

  /// - Parameter measuresMax: The largest number of keys that are measured.
  init(measuresMax: Int) {
    self.measuresMax = measuresMax
    _ = contents.insert(UnsafeRawBufferPointer(start: nil, count: 0))
    rowEnds.append(0)
  }

  /// Returns the number of an event's content, and keeps the numbers of its measured properties for ``appendNumbers(to:)``.
  @inline(__always)
  mutating func number(of members: UnsafeBufferPointer<EventMember>) -> UInt32 {
    numbers.removeAll()
    if members.isEmpty || valuesMax == 0 { return 0 }
    if members.count == 1, measuredCount > 0, let number = number(ofMeasured: members[0]) { return number }
    write(members)
    let hash = ByteHash.hash(scratch.bytes)
    if let number = contents.find(scratch.bytes, hash: hash) { return number }
    return add(members)
  }

  /// Returns the number of the content that is one measured property, or nil if the property is not measured or the content is new.
  ///
  /// Such contents are frequent: a duration is often all that an event has to say.
  @inline(__always)
  private mutating func number(ofMeasured member: EventMember) -> UInt32? {
    guard let key = keys.find(member.key, hash: ByteHash.hash(member.key)), states[Int(key)] == .measured,
      contentsOfMeasured[Int(key)] != 0, let number = MeasuredNumber(member.value)
    else { return nil }
    numbers.append(number)
    return contentsOfMeasured[Int(key)]
  }

  /// Appends the numbers of the last event (``RecordedNumbers``), and returns how many they are: at most one for each measured key,
  /// because the keys of an event differ.
  @inline(__always)
  func appendNumbers(to bytes: inout GrowingBytes) -> UInt8 {
    for index in 0..<numbers.count { RecordedNumbers.append(numbers[index], to: &bytes) }
    return UInt8(numbers.count)
  }

  /// Updates a copy of the dictionary, taken earlier from this recorder, with the entries added since.
  func update(_ dictionary: inout DimensionDictionary) {
    for cell in dictionary.cells.count..<cells.count { dictionary.cells.append(Array(cells[cell])) }
    dictionary.rowEnds += rowEnds.elements[dictionary.rowEnds.count...]
    dictionary.cellsOfRows += cellsOfRows.elements[dictionary.cellsOfRows.count...]
    if dictionary.dropped.count < droppedCount {
      for key in 0..<keys.count where states[key] == .dropped { dictionary.dropped.insert(Array(keys[key])) }
    }
    dictionary.dropsAll = valuesMax == 0
  }

  /// Writes the members that are recorded into the scratch buffer, and the numbers of measured ones into ``numbers``.
  private mutating func write(_ members: UnsafeBufferPointer<EventMember>) {
    scratch.removeAll()
    for member in members {
      if measuredCount + droppedCount > 0, let key = keys.find(member.key, hash: ByteHash.hash(member.key)) {
        switch states[Int(key)] {
        case .kept: break
        case .measured:
          measure(member, Int(key))
          continue
        case .dropped: continue
        }
      }
      if !DimensionCell.append(member, to: &scratch) { dropIfTooLong(member) }
    }
  }

  private mutating func measure(_ member: EventMember, _ key: Int) {
    if let number = MeasuredNumber(member.value) {
      DimensionCell.append(measured: member.key, to: &scratch)
      numbers.append(number)
    } else if case .null = member.value {
      return
    } else {
      drop(key)
    }
  }

  private mutating func dropIfTooLong(_ member: EventMember) {
    if case .null = member.value { return }
    drop(Int(key(member.key)))
  }

  @inline(never)
  private mutating func add(_ members: UnsafeBufferPointer<EventMember>) -> UInt32 {
    let start = cellsOfRows.count
    var place = 0
    while place < scratch.count, valuesMax > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: scratch.bytes[place...])
      guard let (cell, byteCount) = DimensionCell.read(rest) else { break }
      let added = cells.insert(UnsafeRawBufferPointer(rebasing: rest[..<byteCount]))
      cellsOfRows.append(added.number)
      place += byteCount
      if added.isNew, cell.value != nil {
        let key = Int(self.key(cell.key))
        valueCounts[key] += 1
        if cell.number == nil { hasOnlyNumbers[key] = false }
        if valueCounts[key] > valuesMax { retire(key) }
        if states[key] != .kept || valuesMax == 0 {
          cellsOfRows.truncate(to: start)
          return number(of: members)
        }
      }
    }
    rowEnds.append(UInt32(cellsOfRows.count))
    let number = contents.insert(scratch.bytes).number
    if members.count == 1, let key = keys.find(members[0].key, hash: ByteHash.hash(members[0].key)),
      states[Int(key)] == .measured
    {
      contentsOfMeasured[Int(key)] = number
    }
    if contents.count > rowsMax || contents.byteCount > bytesMax { tighten() }
    return number
  }

  private mutating func key(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let key = keys.insert(bytes)
    if key.isNew {
      valueCounts.append(0)
      states.append(.kept)
      hasOnlyNumbers.append(true)
      contentsOfMeasured.append(0)
      // This many keys, or a key this long, is not analytics data, so no key is indexed any more.
      if keys.count > IndexLimits.keysMax || bytes.count > DimensionCell.keyBytesMax { valuesMax = 0 }
    }
    return key.number
  }

  /// Records no further values of a key in the dictionary.
  private mutating func retire(_ key: Int) {
    guard states[key] == .kept, hasOnlyNumbers[key], measuredCount < measuresMax else { return drop(key) }
    states[key] = .measured
    measuredCount += 1
  }

  private mutating func drop(_ key: Int) {
    if states[key] != .dropped { droppedCount += 1 }
    states[key] = .dropped
  }

  /// Retires the keys with the most values, so that fewer new contents occur.
  private mutating func tighten() {
    valuesMax = IndexLimits.tightened(valuesMax)
    rowsMax += IndexLimits.contentsMax
    bytesMax += IndexLimits.contentBytesMax
    for key in 0..<keys.count where states[key] == .kept && valueCounts[key] > valuesMax { retire(key) }
  }
}
