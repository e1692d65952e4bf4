import FunnelModel

/// The `--flow` option: one flow of an app, or one version of it.
enum FlowOption {
  /// Returns the catalog indices of the named flow versions, or of all if none is named.
  ///
  /// - Throws: `usage` if a flow does not exist.
  static func indices(of texts: [String], in catalog: FlowCatalog) throws(FunnelError) -> Set<Int> {
    guard !texts.isEmpty else { return Set(catalog.definitions.indices) }
    var indices: Set<Int> = []
    for text in texts {
      guard let reference = FlowReference(text) else {
        throw FunnelError(.usage, "not a flow, --flow \(text.printable), write it as APP/FLOW or APP/FLOW@VERSION")
      }
      let found = catalog.indices(of: reference)
      guard !found.isEmpty else {
        let hint = catalog.nearestReference(to: reference).map { "did you mean \($0)?" } ?? "see 'funnel schema list'"
        throw FunnelError(.usage, "no such flow, --flow \(text.printable), \(hint)")
      }
      indices.formUnion(found)
    }
    return indices
  }
}
