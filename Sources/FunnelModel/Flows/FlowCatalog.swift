/// All flow definitions in force, each known by its app, flow and version.
///
/// They come in layers: the built-in ones, those of a store, those the user adds. Within a layer a flow version stands once; a later
/// layer replaces what an earlier one says of it.
public struct FlowCatalog: Sendable {
  /// The definitions with their files, by app, flow and version.
  public let files: [FlowFile]
  /// The definitions by app, flow and version; indices are those of ``files``.
  public let definitions: [FlowDefinition]
  private let vocabularies: [FlowVocabulary]
  /// Indices of a flow's versions, oldest first.
  private let versions: [FlowReference: [Int]]

  /// Lays the layers one over the other, the first lowest.
  ///
  /// - Throws: a configuration error where two files of one layer define the same flow version.
  public init(layers: [[FlowFile]]) throws(FunnelError) {
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
    let sorted = merged.values.sorted { $0.definition.sortKey < $1.definition.sortKey }
    files = sorted
    definitions = sorted.map(\.definition)
    vocabularies = definitions.map(FlowVocabulary.init)
    versions = Dictionary(grouping: sorted.indices) {
      FlowReference(app: sorted[$0].definition.app, flow: sorted[$0].definition.flow)
    }
  }

  /// The index of a flow version in ``definitions``; of the newest version where none is given.
  public func index(app: String, flow: String, version: Int? = nil) -> Int? {
    let candidates = versions[FlowReference(app: app, flow: flow)]
    guard let version else { return candidates?.last }
    return candidates?.first { definitions[$0].version == version }
  }

  /// A flow version, or the newest version where none is given.
  public func definition(app: String, flow: String, version: Int? = nil) -> FlowDefinition? {
    index(app: app, flow: flow, version: version).map { definitions[$0] }
  }

  /// The newest version of a flow.
  public func newest(app: String, flow: String) -> FlowDefinition? {
    definition(app: app, flow: flow)
  }

  /// All flows and versions of an app.
  public func definitions(ofApp app: String) -> [FlowDefinition] {
    definitions.filter { $0.app == app }
  }

  /// All versions a reference stands for, with their indices in ``definitions``.
  public func indices(of reference: FlowReference) -> [Int] {
    let candidates = versions[FlowReference(app: reference.app, flow: reference.flow)] ?? []
    return candidates.filter { reference.version == nil || definitions[$0].version == reference.version }
  }

  /// Whether a flow version declares an event (specification section 6).
  public func declares(_ index: Int, name: String, step: String?) -> Bool {
    vocabularies[index].declares(name: name, step: step)
  }

  /// The reference of a definition that a user probably meant.
  public func nearestReference(to reference: FlowReference) -> String? {
    if reference.version != nil, let newest = newest(app: reference.app, flow: reference.flow) { return newest.reference }
    let text = FlowReference(app: reference.app, flow: reference.flow).description
    return NearestName.find(text, in: definitions.map { "\($0.app)/\($0.flow)" })
  }
}

extension FlowDefinition {
  fileprivate var key: FlowReference { FlowReference(app: app, flow: flow, version: version) }

  fileprivate var sortKey: (String, String, Int) { (app, flow, version) }
}
