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

/// The numbering of dictionary entries that successive unions of growing dictionaries share.
///
/// Not thread-safe: the thread that builds the unions owns it.
final class DictionaryNumbering {
  fileprivate let context = CellNumbering()
  fileprivate let props = CellNumbering()
}
