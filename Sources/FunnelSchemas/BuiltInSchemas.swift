import CSchemas
package import FunnelModel

/// The files of `Schemas/`, compiled into the tool.
package enum BuiltInSchemas {
  /// A file of `Schemas/`.
  package struct File: Hashable, Sendable {
    /// The path within `Schemas/`, for example `flows/cleaner.permissions_flow.v1.json`.
    package let name: String
    /// The contents.
    package let bytes: [UInt8]
  }

  /// All files, sorted by name.
  package static let files: [File] = {
    var count = 0
    let first = funnel_schema_files(&count)
    let files = UnsafeBufferPointer(start: first, count: count) + [funnel_privacy_file().pointee]
    return files.map { file in
      File(name: String(cString: file.name), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }.sorted { $0.name < $1.name }
  }()

  /// The built-in flow definitions with their files.
  package static let flowFiles: [FlowFile] = files.filter { $0.name.hasPrefix("flows/") }.map { file in
    reading(file.name) { () throws(FunnelError) in try FlowFile(json: file.bytes, name: file.name, origin: .builtIn) }
  }

  /// Returns whether a definition has the reference and the exact bytes of a built-in one.
  package static func has(_ file: FlowFile) -> Bool {
    flowFiles.contains { $0.definition.reference == file.definition.reference && $0.bytes == file.bytes }
  }

  /// The built-in flow definitions.
  package static let flows: [FlowDefinition] = flowFiles.map(\.definition)

  /// The JSON Schemas of events, flow definitions, mappings, alert rules, dead letters and reports.
  package static let jsonSchemas: [File] = files.filter { $0.name.hasSuffix(".schema.json") }

  /// The rules that detect personal data, which must not enter the log.
  package static let privacy: PrivacyRules = {
    let name = "privacy.json"
    guard let file = files.first(where: { $0.name == name }) else { preconditionFailure("\(name) is not compiled in") }
    return reading(name) { () throws(FunnelError) in try PrivacyRules(json: file.bytes, source: name) }
  }()

  /// Parses a built-in file. Traps on failure: the tests parse every built-in file, so a failure is a broken build.
  private static func reading<Content>(_ name: String, _ body: () throws(FunnelError) -> Content) -> Content {
    do throws(FunnelError) {
      return try body()
    } catch {
      preconditionFailure("the built-in \(name) is broken: \(error.message)")
    }
  }
}
