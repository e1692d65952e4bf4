/// The union of several dictionaries of `ctx`, or of `props`.
///
/// A key is dropped if one of the dictionaries drops it. A key is measured if one of the dictionaries measures
/// it, or if it has too many values in the union; it is dropped instead if it also has a string or a boolean
/// (``IndexFormat``).
struct DimensionUnion {
  /// The union.
  private(set) var dictionary = DimensionDictionary()
  /// For each dictionary, the contents of the union by the dictionary's own contents.
  private(set) var codes: [[UInt32]] = []
  /// For each dictionary, the measurements of events by their content. Empty if the union measures no key.
  private(set) var measures: [MeasureTable] = []
  /// The number of keys that the union measures.
  private(set) var measureCount = 0

  private let numbering: EntryNumbering
  private let measuresMax: Int
  /// The common number of the entry that marks a key as measured, by key; `nil` for a key that is not measured.
  private var measuredEntries: [UInt32?] = []

  /// Creates the union of dictionaries.
  ///
  /// - Parameters:
  ///   - numbering: The numbering of earlier versions of the same dictionaries; it is updated.
  ///   - measuresMax: The largest number of keys that may be measured.
  init(_ sources: [DimensionDictionary], _ numbering: EntryNumbering, measuresMax: Int) {
    self.numbering = numbering
    self.measuresMax = measuresMax
    numbering.update(sources)
    for source in sources {
      dictionary.dropped.formUnion(source.dropped)
      if source.dropsAll { dictionary.dropsAll = true }
    }
    if numbering.keys.count > IndexLimits.keysMax { dictionary.dropsAll = true }
    var valuesMax = UInt32(IndexLimits.valuesOfKeyMax)
    repeat {
      retireKeys(withMoreValuesThan: valuesMax)
      joinContents(of: sources)
      valuesMax = IndexLimits.tightened(valuesMax)
    } while dictionary.contentCount > IndexLimits.contentsMax
  }

  /// Decides which keys are measured, and which are dropped. If `valuesMax` is 0, all keys are dropped.
  private mutating func retireKeys(withMoreValuesThan valuesMax: UInt32) {
    measuredEntries = Array(repeating: nil, count: numbering.keys.count)
    guard !dictionary.dropsAll else { return }
    var count = 0
    for (number, key) in numbering.keys.enumerated() where key.isMeasured || key.valueCount > valuesMax {
      if valuesMax > 0, key.hasOnlyNumbers, count < measuresMax, !dictionary.dropped.contains(key.bytes) {
        measuredEntries[number] = numbering.measuredEntry(ofKey: number)
        count += 1
      } else {
        dictionary.dropped.insert(key.bytes)
      }
    }
  }

  /// Builds the contents of the union. They have no dropped keys, and of the measured ones only their presence.
  private mutating func joinContents(of sources: [DimensionDictionary]) {
    let dropsAll = dictionary.dropsAll
    let isKept = numbering.keys.map { !dropsAll && !dictionary.dropped.contains($0.bytes) }
    // The new index of each entry, or `nil` if its key is dropped.
    let entries = zip(numbering.keyOfEntry, 0...).map { key, entry in isKept[key] ? measuredEntries[key] ?? UInt32(entry) : nil
    }
    var newEntries: [UInt32?] = Array(repeating: nil, count: numbering.entries.count)
    dictionary.entries = []
    dictionary.contentEnds = [0]
    dictionary.entriesOfContents = []
    codes = []
    var idOfContent: [[UInt32]: UInt32] = [[]: 0]
    var content: [UInt32] = []
    for (source, common) in zip(sources, numbering.commonEntries) {
      codes.append(
        (0..<source.contentCount).map { sourceContent in
          content.removeAll(keepingCapacity: true)
          for entry in source.entries(ofContent: sourceContent) {
            if let entry = entries[Int(common[Int(entry)])] { content.append(entry) }
          }
          if let number = idOfContent[content] { return number }
          let number = UInt32(dictionary.contentEnds.count)
          idOfContent[content] = number
          for entry in content { dictionary.entriesOfContents.append(newEntry(entry, &newEntries)) }
          dictionary.contentEnds.append(UInt32(dictionary.entriesOfContents.count))
          return number
        })
    }
    setMeasures(of: sources, newEntries)
  }

  /// Sets ``measures`` and ``measureCount``.
  ///
  /// - Parameter newEntries: The entry of the union for each common entry; `nil` if the union lacks it.
  private mutating func setMeasures(of sources: [DimensionDictionary], _ newEntries: [UInt32?]) {
    // Columns are in the order of the entries in the union.
    let measured = measuredEntries.enumerated().compactMap { key, entry in
      entry.flatMap { newEntries[Int($0)] }.map { ($0, key) }
    }
    var measureOfKey: [UInt32?] = Array(repeating: nil, count: numbering.keys.count)
    for (measure, entry) in measured.sorted(by: { $0.0 < $1.0 }).enumerated() { measureOfKey[entry.1] = UInt32(measure) }
    measureCount = measured.count
    measures =
      measured.isEmpty
      ? []
      : zip(sources, numbering.commonEntries).map { source, common in
        var columnCount: UInt32 = 0
        let items = common.map { entry -> MeasureTable.Item? in
          let measure = measureOfKey[numbering.keyOfEntry[Int(entry)]]
          switch numbering.valueOfEntry[Int(entry)] {
          case .measured:
            defer { columnCount += 1 }
            return MeasureTable.Item(measure, from: .column(columnCount))
          case .number(let number): return measure.map { MeasureTable.Item($0, from: .content(number)) }
          case .other: return nil
          }
        }
        return MeasureTable(source, itemOfEntry: items)
      }
  }

  /// Returns the number in the union of a common entry, which is added if it is new.
  private mutating func newEntry(_ entry: UInt32, _ newEntries: inout [UInt32?]) -> UInt32 {
    if let number = newEntries[Int(entry)] { return number }
    let number = UInt32(dictionary.entries.count)
    dictionary.entries.append(numbering.entries[Int(entry)])
    newEntries[Int(entry)] = number
    return number
  }
}
