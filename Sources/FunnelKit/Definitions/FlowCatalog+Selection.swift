package import FunnelModel

extension FlowCatalog {
  /// Returns the indices of the flow versions that some texts name, or of all if there are no texts.
  ///
  /// - Parameters:
  ///   - texts: Flows and their versions: `APP/FLOW` or `APP/FLOW@VERSION`.
  ///   - option: The option that has the texts, for the error.
  /// - Throws: `usage` if a flow does not exist.
  package func indices(ofFlows texts: [String], option: String = "--flow") throws(FunnelError) -> Set<Int> {
    guard !texts.isEmpty else { return Set(definitions.indices) }
    var indices: Set<Int> = []
    for text in texts {
      guard let reference = FlowReference(text) else {
        throw FunnelError(.usage, "not a flow, \(option) \(text.printable), write it as APP/FLOW or APP/FLOW@VERSION")
      }
      let found = self.indices(of: reference)
      guard !found.isEmpty else {
        let hint = nearestReference(to: reference).map { "did you mean \($0)?" } ?? "see 'funnel schema list'"
        throw FunnelError(.usage, "no such flow, \(option) \(text.printable), \(hint)")
      }
      indices.formUnion(found)
    }
    return indices
  }
}

/// The names of apps.
package enum AppName {
  /// Returns the name of an app, or `nil` if none is given.
  ///
  /// - Parameter option: The option that has the name, for the error.
  /// - Throws: `usage` if it is not a valid name.
  package static func checked(_ app: String?, option: String = "--app") throws(FunnelError) -> String? {
    guard let app else { return nil }
    guard FlowReference("\(app)/x") != nil else {
      throw FunnelError(
        .usage,
        "not an app, \(option) \(app.printable), write lower-case letters, digits and underscores, beginning with a letter")
    }
    return app
  }
}
