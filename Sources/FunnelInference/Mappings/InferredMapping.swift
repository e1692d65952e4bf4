import FunnelImport
package import FunnelModel

/// A mapping inferred from the records of an input: a rule for each imported event name.
package struct InferredMapping: Sendable {
  /// An imported event name and its inferred rule.
  package struct Name: Hashable, Sendable {
    /// The key in the mapping: the imported name, or the native form if several events have the same imported name.
    package var key: String
    /// The number of records.
    package var count: Int
    /// The inferred rule, or `nil` to drop the event.
    package var rule: EventMapping?
    /// The reason for the rule. Empty if the rule only sets the native form of the name.
    package var reason: String
  }

  /// The format of the records.
  package let format: ImportFormat
  /// The app of the mapping.
  package let app: String
  /// The names, most frequent first.
  package private(set) var names: [Name] = []
  /// The columns of a CSV file, or `nil` if the mapping needs none.
  package let columns: InferredColumns?
  /// The number of records that were examined.
  package let records: Int

  /// Infers a mapping.
  ///
  /// - Parameters:
  ///   - sample: The records.
  ///   - app: The app, or `nil` for that of the records.
  package init(_ sample: MappingSample, app: String?) {
    format = sample.format
    self.app = app ?? sample.app ?? Self.unknownApp
    columns = sample.columns
    records = sample.records
    let permissions = PermissionNames(sample.names.keys.map(\.native))
    let spellings = Dictionary(grouping: sample.names.keys, by: \.imported)
    var byKey: [String: Name] = [:]
    for (name, count) in sample.names.sorted(by: { ($0.key.imported, $0.key.native) < ($1.key.imported, $1.key.native) }) {
      let key = (spellings[name.imported]?.count ?? 0) > 1 ? name.native : name.imported
      let (rule, reason) = Self.rule(name, permissions)
      byKey[key, default: Name(key: key, count: 0, rule: rule, reason: reason)].count += count
    }
    names = byKey.values.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
  }

  /// The placeholder for an unknown app. A mapping needs an app to be usable unchanged.
  private static let unknownApp = "app"

  /// Returns the rule for a name and the reason for it.
  private static func rule(
    _ name: MappingSample.Name, _ permissions: PermissionNames
  ) -> (EventMapping, reason: String) {
    var rule = EventMapping()
    if let meaning = permissions.interpretations[name.native] {
      rule.name = .literal(meaning.name)
      return (rule, meaning.name == name.native ? "" : "looks like \(meaning.name)")
    }
    if let path = name.screenPath {
      rule.name = .literal(StepEventName.viewed.rawValue)
      rule.step = .path(path)
      return (rule, "a screen, named by \(path)")
    }
    rule.name = .literal(name.native)
    return (rule, "")
  }

  /// The mapping as JSON, with one event per line.
  package var json: String {
    var bytes: [UInt8] = []
    bytes.append(text: "{\n  \"from\": \"\(format.rawValue)\",\n  \"app\": \"\(app)\",\n")
    if let columns { columns.append(to: &bytes) }
    bytes.append(text: "  \"events\": {")
    for (index, name) in names.enumerated() {
      bytes.append(text: index == 0 ? "\n    " : ",\n    ")
      bytes.appendJSONString(name.key)
      bytes.append(text: ": ")
      Self.append(name.rule, to: &bytes)
    }
    bytes.append(text: "\n  },\n  \"other_events\": \"keep\"\n}\n")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a rule as JSON.
  private static func append(_ rule: EventMapping?, to bytes: inout [UInt8]) {
    guard let rule else { return bytes.append(text: "null") }
    bytes.append(text: "{")
    var isFirst = true
    for (key, text) in [("name", rule.name), ("step", rule.step)] {
      guard let text else { continue }
      bytes.append(text: isFirst ? "\"\(key)\": " : ", \"\(key)\": ")
      isFirst = false
      switch text {
      case .literal(let text): bytes.appendJSONString(text)
      case .path(let path): bytes.appendJSONString("$\(path)")
      }
    }
    bytes.append(text: "}")
  }

  /// Sentences about the evidence for each rule.
  package var evidence: [String] {
    var lines = [
      "\(records) records of \(format.rawValue); this is a draft: edit it (null leaves an event out), then use it with --map"
    ]
    if app == Self.unknownApp { lines.append("the records do not name the app; replace the placeholder \"app\"") }
    if let columns { lines += columns.evidence }
    for name in names {
      lines.append("\(name.count) × \(name.key)\(name.reason.isEmpty ? "" : ": \(name.reason)")")
    }
    return lines
  }
}
