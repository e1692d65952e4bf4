/// All flow definitions in effect, each identified by its app, flow and version.
///
/// The definitions come from layers: the built-in ones, those of a store, and those that the user adds. A
/// definition replaces one of the same flow version in an earlier layer.
package struct FlowCatalog: Sendable {
  /// The definitions with their files, sorted by app, flow and version, followed by the ad-hoc flows of a report.
  package let files: [FlowFile]
  /// The definitions, with the same indices as ``files``.
  package let definitions: [FlowDefinition]
  /// The index of the first ad-hoc flow, or the number of definitions if there is none (``adding(adHoc:)``).
  let adHocStart: Int
  /// The index of the first return flow, or the number of definitions if there is none (``addingReturnFlows(for:_:)``).
  let returnStart: Int
  /// The names of the events that return flows aggregate. Empty if they aggregate every event of their app.
  let returnEvents: Set<String>
  /// The declared events of each definition, with the same indices as ``definitions``.
  private let vocabularies: [FlowVocabulary]
  /// The indices of each flow's versions, oldest first. The keys have no version. Ad-hoc flows are not included.
  private let versions: [FlowReference: [Int]]

  /// Creates a catalog from layers, of which later ones take precedence.
  ///
  /// - Throws: A configuration error if two files of one layer define the same flow version.
  package init(layers: [[FlowFile]]) throws(FunnelError) {
    var merged: [FlowReference: FlowFile] = [:]
    for layer in layers {
      var ofLayer: [FlowReference: FlowFile] = [:]
      for file in layer {
        if let other = ofLayer.updateValue(file, forKey: file.definition.key) {
          throw FunnelError(
            .configuration,
            "\(file.name.printable): \(file.definition.reference) is also defined by \(other.name.printable), remove one of the files"
          )
        }
      }
      merged.merge(ofLayer) { _, later in later }
    }
    self.init(files: merged.values.sorted { $0.definition.sortKey < $1.definition.sortKey })
  }

  /// Creates a catalog of files in the order of ``files``.
  ///
  /// - Parameters:
  ///   - adHocStart: The index of the first ad-hoc flow, or `nil` if there is none.
  ///   - returnStart: The index of the first return flow, or `nil` if there is none.
  ///   - returnEvents: The names of the events that return flows aggregate. Empty for all events.
  init(files: [FlowFile], adHocStart: Int? = nil, returnStart: Int? = nil, returnEvents: Set<String> = []) {
    self.files = files
    self.adHocStart = adHocStart ?? files.count
    self.returnStart = returnStart ?? files.count
    self.returnEvents = returnEvents
    definitions = files.map(\.definition)
    vocabularies = definitions.map(FlowVocabulary.init)
    versions = Dictionary(grouping: 0..<self.adHocStart) {
      FlowReference(app: files[$0].definition.app, flow: files[$0].definition.flow)
    }
  }

  /// Returns the catalog with other definitions at the same indices.
  ///
  /// - Precondition: The number of definitions is the same.
  func replacing(definitions: [FlowDefinition]) -> FlowCatalog {
    precondition(definitions.count == files.count, "indices stay the same")
    let changed = zip(files, definitions).map { file, definition in
      var file = file
      file.definition = definition
      return file
    }
    return FlowCatalog(
      files: changed, adHocStart: adHocStart, returnStart: returnStart, returnEvents: returnEvents)
  }

  /// Returns the index of a flow version, or of the newest version if none is given. Returns `nil` if it does not exist.
  package func index(app: String, flow: String, version: Int? = nil) -> Int? {
    let candidates = versions[FlowReference(app: app, flow: flow)]
    guard let version else { return candidates?.last }
    return candidates?.first { definitions[$0].version == version }
  }

  /// Returns a flow version, or the newest version if none is given. Returns `nil` if it does not exist.
  package func definition(app: String, flow: String, version: Int? = nil) -> FlowDefinition? {
    index(app: app, flow: flow, version: version).map { definitions[$0] }
  }

  /// Returns all definitions of an app except ad-hoc flows.
  package func definitions(ofApp app: String) -> [FlowDefinition] {
    definitions[..<adHocStart].filter { $0.app == app }
  }

  /// Returns the indices of the versions that a reference includes: one version, or all versions of a flow.
  package func indices(of reference: FlowReference) -> [Int] {
    let candidates = versions[FlowReference(app: reference.app, flow: reference.flow)] ?? []
    return candidates.filter { reference.version == nil || definitions[$0].version == reference.version }
  }

  /// Returns whether a flow version declares an event (specification section 6).
  package func declares(_ index: Int, name: String, step: String?) -> Bool {
    vocabularies[index].declares(name: name, step: step)
  }

  /// Returns the existing reference most similar to one that does not exist, or `nil` if none is similar.
  package func nearestReference(to reference: FlowReference) -> String? {
    if reference.version != nil, let newest = definition(app: reference.app, flow: reference.flow) { return newest.reference }
    let text = FlowReference(app: reference.app, flow: reference.flow).description
    return NearestName.find(text, in: suggestions.map { "\($0.app)/\($0.flow)" })
  }

  /// The definitions that suggestions may name: the user's own, or the built-in ones if the user has none.
  package var suggestions: [FlowDefinition] {
    let own = files[..<adHocStart].filter { $0.origin != .builtIn }
    return (own.isEmpty ? Array(files[..<adHocStart]) : own).map(\.definition)
  }
}

extension FlowDefinition {
  fileprivate var key: FlowReference { FlowReference(app: app, flow: flow, version: version) }

  fileprivate var sortKey: (String, String, Int) { (app, flow, version) }
}
