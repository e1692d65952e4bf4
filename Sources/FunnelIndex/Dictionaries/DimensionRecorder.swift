internal import FunnelIngest
internal import FunnelModel

/// Numbers the contents of `ctx`, or of `props`, as events are recorded; 0 is the empty content.
///
/// Keys that would make the dictionary grow with the log are dropped: a key with too many values and, if there are too many distinct
/// contents, the keys with the most values. Contents that were recorded before keep their numbers.
struct DimensionRecorder: ~Copyable {
  private var contents = ByteTable()
  private var cells = ByteTable()
  private var keys = ByteTable()
  /// The key of each cell.
  private var keyOfCell = GrowingStorage<UInt32>()
  private var valueCounts = GrowingStorage<UInt32>()
  private var isDropped = GrowingStorage<Bool>()
  private var droppedCount = 0
  private var cellsOfRows = GrowingStorage<UInt32>()
  private var rowEnds = GrowingStorage<UInt32>()
  private var valuesMax = UInt32(IndexLimits.valuesOfKeyMax)
  private var rowsMax = IndexLimits.contentsMax
  private var bytesMax = IndexLimits.contentBytesMax
  private var scratch = GrowingBytes(capacity: 512)

  init() {
    _ = contents.insert(UnsafeRawBufferPointer(start: nil, count: 0))
    rowEnds.append(0)
  }

  /// Returns the number of an event's content.
  @inline(__always)
  mutating func number(of members: UnsafeBufferPointer<EventMember>) -> UInt32 {
    if members.isEmpty || valuesMax == 0 { return 0 }
    write(members)
    let hash = ByteHash.hash(scratch.bytes)
    if let number = contents.find(scratch.bytes, hash: hash) { return number }
    return add(members)
  }

  /// Updates a copy of the dictionary, taken earlier from this recorder, with the entries added since.
  func update(_ dictionary: inout DimensionDictionary) {
    for cell in dictionary.cells.count..<cells.count { dictionary.cells.append(Array(cells[cell])) }
    dictionary.rowEnds += rowEnds.elements[dictionary.rowEnds.count...]
    dictionary.cellsOfRows += cellsOfRows.elements[dictionary.cellsOfRows.count...]
    if dictionary.dropped.count < droppedCount {
      for key in 0..<keys.count where isDropped[key] { dictionary.dropped.insert(Array(keys[key])) }
    }
    dictionary.dropsAll = valuesMax == 0
  }

  /// Writes the members that are recorded into the scratch buffer.
  private mutating func write(_ members: UnsafeBufferPointer<EventMember>) {
    scratch.removeAll()
    for member in members {
      if droppedCount > 0, let key = keys.find(member.key, hash: ByteHash.hash(member.key)), isDropped[Int(key)] { continue }
      if !DimensionCell.append(member, to: &scratch) { dropIfTooLong(member) }
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
      if added.isNew {
        let key = self.key(cell.key)
        keyOfCell.append(key)
        valueCounts[Int(key)] += 1
        if valueCounts[Int(key)] > valuesMax { drop(Int(key)) }
        if isDropped[Int(key)] || valuesMax == 0 {
          cellsOfRows.truncate(to: start)
          return number(of: members)
        }
      }
    }
    rowEnds.append(UInt32(cellsOfRows.count))
    let number = contents.insert(scratch.bytes).number
    if contents.count > rowsMax || contents.byteCount > bytesMax { tighten() }
    return number
  }

  private mutating func key(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let key = keys.insert(bytes)
    if key.isNew {
      valueCounts.append(0)
      isDropped.append(false)
      // This many keys, or a key this long, is not analytics data, so no key is indexed any more.
      if keys.count > IndexLimits.keysMax || bytes.count > DimensionCell.keyBytesMax { valuesMax = 0 }
    }
    return key.number
  }

  private mutating func drop(_ key: Int) {
    if !isDropped[key] { droppedCount += 1 }
    isDropped[key] = true
  }

  /// Drops the keys with the most values, so that fewer new contents occur.
  private mutating func tighten() {
    valuesMax = IndexLimits.tightened(valuesMax)
    rowsMax += IndexLimits.contentsMax
    bytesMax += IndexLimits.contentBytesMax
    for key in 0..<keys.count where valueCounts[key] > valuesMax { drop(key) }
  }
}
