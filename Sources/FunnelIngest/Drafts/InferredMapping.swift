import FunnelImport
public import FunnelModel

/// A mapping inferred from the records of an input: a rule for each imported event name.
public struct InferredMapping: Sendable {
  /// An imported event name and its inferred rule.
  public struct Name: Hashable, Sendable {
    /// The key in the mapping: the imported name, or the native form if several events have the same imported name.
    public var key: String
    /// The number of records.
    public var count: Int
    /// The inferred rule, or `nil` to drop the event.
    public var guess: EventMapping?
    /// The reason for the rule. Empty if the rule only sets the native form of the name.
    public var reason: String
  }

  /// The format of the records.
  public let format: ImportFormat
  /// The app of the mapping.
  public let app: String
  /// The names, most frequent first.
  public private(set) var names: [Name] = []
  /// The columns of a CSV file, or `nil` if the mapping needs none.
  public let columns: MappingColumns?
  /// The number of records that were examined.
  public let records: Int

  /// Infers a mapping.
  ///
  /// - Parameters:
  ///   - sample: The records.
  ///   - app: The app, or `nil` for that of the records.
  public init(_ sample: MappingSample, app: String?) {
    format = sample.format
    self.app = app ?? sample.app ?? Self.unknownApp
    columns = sample.columns
    records = sample.records
    let permissions = PermissionNames(sample.names.keys.map(\.native))
    let spellings = Dictionary(grouping: sample.names.keys, by: \.foreign)
    var byKey: [String: Name] = [:]
    for (name, count) in sample.names.sorted(by: { ($0.key.foreign, $0.key.native) < ($1.key.foreign, $1.key.native) }) {
      let key = (spellings[name.foreign]?.count ?? 0) > 1 ? name.native : name.foreign
      let (guess, reason) = Self.guess(name, permissions)
      byKey[key, default: Name(key: key, count: 0, guess: guess, reason: reason)].count += count
    }
    names = byKey.values.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
  }

  /// The placeholder for an unknown app. A mapping needs an app to be usable unchanged.
  private static let unknownApp = "app"

  /// Returns the rule for a name and the reason for it.
  private static func guess(
    _ name: MappingSample.Name, _ permissions: PermissionNames
  ) -> (EventMapping, reason: String) {
    var guess = EventMapping()
    if let meaning = permissions.meanings[name.native] {
      guess.name = .literal(meaning.name)
      return (guess, meaning.name == name.native ? "" : "looks like \(meaning.name)")
    }
    if let path = name.screenPath {
      guess.name = .literal(StepEventName.viewed.rawValue)
      guess.step = .path(path)
      return (guess, "a screen, named by \(path)")
    }
    guess.name = .literal(name.native)
    return (guess, "")
  }

  /// The mapping as JSON, with one event per line.
  public var json: String {
    var bytes: [UInt8] = []
    bytes.append(text: "{\n  \"from\": \"\(format.rawValue)\",\n  \"app\": \"\(app)\",\n")
    if let columns { columns.append(to: &bytes) }
    bytes.append(text: "  \"events\": {")
    for (index, name) in names.enumerated() {
      bytes.append(text: index == 0 ? "\n    " : ",\n    ")
      bytes.appendJSONString(name.key)
      bytes.append(text: ": ")
      Self.append(name.guess, to: &bytes)
    }
    bytes.append(text: "\n  },\n  \"other_events\": \"keep\"\n}\n")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a rule as JSON.
  private static func append(_ guess: EventMapping?, to bytes: inout [UInt8]) {
    guard let guess else { return bytes.append(text: "null") }
    bytes.append(text: "{")
    var isFirst = true
    for (key, text) in [("name", guess.name), ("step", guess.step)] {
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
  public var evidence: [String] {
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
