/// The union of several dictionaries, with tables that translate the codes of each dictionary to those of the union.
struct DictionaryUnion {
  /// The union.
  private(set) var dictionaries = IndexDictionaries()
  /// For each dictionary, the type codes of the union by the dictionary's own codes.
  private(set) var types: [[UInt32]] = []
  /// For each dictionary, the `ctx` codes of the union by the dictionary's own codes.
  private(set) var context: [[UInt32]] = []
  /// For each dictionary, the `props` codes of the union by the dictionary's own codes.
  private(set) var props: [[UInt32]] = []
  /// For each dictionary, the measurements of events by their `props` code. Empty if the union measures no property.
  private(set) var measures: [MeasureTable] = []
  /// The number of properties that the union measures.
  private(set) var measureCount = 0

  /// Creates the union of dictionaries.
  ///
  /// - Parameter numbering: The numbering of earlier versions of the same dictionaries. The cost then depends
  ///   on the entries added since.
  init(_ sources: [IndexDictionaries], _ numbering: DictionaryNumbering = DictionaryNumbering()) {
    var codes = InternTable()
    for source in sources {
      var codesOfSource: [UInt32] = []
      for type in source.types {
        let (code, isNew) = codes.findOrInsert(type)
        if isNew { dictionaries.types.append(type) }
        codesOfSource.append(code)
      }
      types.append(codesOfSource)
    }
    dictionaries.hasAllTypes = sources.allSatisfy(\.hasAllTypes) && dictionaries.types.count <= IndexLimits.typesMax
    let contextUnion = DimensionUnion(sources.map(\.context), numbering.context, measuresMax: 0)
    let propsUnion = DimensionUnion(sources.map(\.props), numbering.props, measuresMax: IndexLimits.measuresMax)
    dictionaries.context = contextUnion.dictionary
    dictionaries.props = propsUnion.dictionary
    context = contextUnion.codes
    props = propsUnion.codes
    measures = propsUnion.measures
    measureCount = propsUnion.measureCount
    assert(measures.isEmpty == (measureCount == 0), "measured properties have tables")
  }
}

/// The numbering of dictionary entries that successive unions of growing dictionaries share.
///
/// Not thread-safe: the thread that builds the unions owns it.
final class DictionaryNumbering {
  fileprivate let context = EntryNumbering()
  fileprivate let props = EntryNumbering()
}

/// A numbering of pairs of app and event name that a batch and sorted runs share.
///
/// Two events are duplicates only if their pairs are equal, and comparing numbers is faster than comparing texts.
struct IdentityNames {
  /// The ID of the pair of each event type of the batch.
  private(set) var ofBatch: [UInt32] = []
  /// The ID of the pair of each event type of each run.
  private(set) var ofRuns: [[UInt32]] = []

  /// Numbers the pairs of a batch's event types and of those of the runs.
  init(_ types: [[UInt8]], _ runs: [SortedRun]) {
    var pairs = InternTable()
    func id(_ type: [UInt8]) -> UInt32 {
      pairs.findOrInsert(type.withBorrowedElements { EventTypeText($0)?.identityKey ?? [] }).id
    }
    ofBatch = types.map(id)
    ofRuns = runs.map { $0.types.map(id) }
  }
}
