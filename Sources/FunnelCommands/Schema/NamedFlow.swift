import FunnelModel

/// Finds the flow definition that a command line names.
enum NamedFlow {
  /// Returns the definition of `APP/FLOW` or `APP/FLOW@VERSION`. `APP/` may be omitted if only one app has the flow.
  ///
  /// - Throws: `usage` if there is no such flow, or if it is ambiguous.
  static func find(_ text: String, in catalog: FlowCatalog) throws(FunnelError) -> FlowFile {
    guard let wanted = try reference(text, catalog) else {
      throw FunnelError(.usage, "\(text.quoted) does not name a flow, write APP/FLOW or APP/FLOW@VERSION")
    }
    guard let index = catalog.index(app: wanted.app, flow: wanted.flow, version: wanted.version) else {
      let nearest = catalog.nearestReference(to: wanted).map { "did you mean \($0)? 'funnel schema list' has them all" }
      throw FunnelError(.usage, "there is no flow \(wanted), \(nearest ?? "'funnel schema list' has them all")")
    }
    return catalog.files[index]
  }

  /// Returns the reference with its app, or `nil` if the text is not a reference.
  private static func reference(_ text: String, _ catalog: FlowCatalog) throws(FunnelError) -> FlowReference? {
    if let full = FlowReference(text) { return full }
    guard !text.contains("/"), let short = FlowReference("x/\(text)") else { return nil }
    let apps = Set(catalog.definitions.filter { $0.flow == short.flow }.map(\.app)).sorted()
    guard apps.count <= 1 else {
      let names = apps.map { "\($0)/\(text)" }.joined(separator: ", ")
      throw FunnelError(.usage, "several apps have a flow \(short.flow), \(text.printable), write one of \(names)")
    }
    guard let app = apps.first else {
      guard let nearest = NearestName.find(short.flow, in: Set(catalog.suggestions.map(\.flow)).sorted()) else { return nil }
      throw FunnelError(.usage, "there is no flow \(short.flow), did you mean \(nearest)? 'funnel schema list' has them all")
    }
    return FlowReference(app: app, flow: short.flow, version: short.version)
  }
}
