/// The union of several dictionaries, with the translation of each one's codes.
struct DictionaryUnion {
  private(set) var dictionaries = IndexDictionaries()
  /// The new codes indexed by the old ones, for each dictionary.
  private(set) var types: [[UInt32]] = []
  private(set) var context: [[UInt32]] = []
  private(set) var props: [[UInt32]] = []
  /// The measurements of the events with each dictionary's contents of `props`; empty if the union measures nothing.
  private(set) var measures: [MeasureTable] = []
  /// The number of properties that the union measures.
  private(set) var measureCount = 0

  /// Creates the union of dictionaries.
  ///
  /// - Parameter numbering: The numbering of an earlier state of the same dictionaries; only entries added since then cost time.
  init(_ sources: [IndexDictionaries], _ numbering: DictionaryNumbering = DictionaryNumbering()) {
    var codeOfType: [[UInt8]: UInt32] = [:]
    for source in sources {
      types.append(
        source.types.map { type in
          if let code = codeOfType[type] { return code }
          let code = UInt32(dictionaries.types.count)
          dictionaries.types.append(type)
          codeOfType[type] = code
          return code
        })
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
  }
}

/// The numbering that successive unions of growing dictionaries have in common. It must not be shared between threads.
final class DictionaryNumbering {
  fileprivate let context = CellNumbering()
  fileprivate let props = CellNumbering()
}
