import Foundation
package import FunnelModel

/// The list of the generated files of a repository, and how each is generated: the lock file of `funnel schema generate`.
///
/// A file is generated from the version of its flow that the list names, until the file is generated again from another one.
package struct BindingLock: Hashable, Sendable {
  /// A generated file.
  package struct Entry: Hashable, Sendable, Codable {
    /// The path of the file, from the folder in which the command runs.
    package var output: String
    package var language: BindingLanguage
    /// The flow with its version, such as `cleaner/permissions_flow@1`.
    package var flow: String
    /// The name of the generated type, or `nil` for the default one.
    package var typeName: String?
    /// The folders of `--schemas`, or `nil` for none.
    package var schemas: [String]?

    enum CodingKeys: String, CodingKey {
      case output, language, flow, schemas
      case typeName = "type_name"
    }

    package init(output: String, language: BindingLanguage, flow: String, typeName: String?, schemas: [String]) {
      self.output = output
      self.language = language
      self.flow = flow
      self.typeName = typeName
      self.schemas = schemas.isEmpty ? nil : schemas
    }
  }

  /// The files, sorted by their paths. Each path occurs once.
  package private(set) var entries: [Entry] = []

  /// Creates an empty list.
  package init() {}

  /// Parses a lock file.
  ///
  /// - Parameter path: The path of the file, for messages.
  /// - Throws: `configuration` if it is not a lock file.
  package init(parsing bytes: [UInt8], path: String) throws(FunnelError) {
    let files: [Entry]
    do {
      files = try JSONDecoder().decode(Contents.self, from: Data(bytes)).files
    } catch {
      throw FunnelError(
        .configuration,
        "not a lock file of 'funnel schema generate', \(path.printable), restore it, or remove it and generate the files again")
    }
    for entry in files { set(entry) }
  }

  /// Adds a file, or replaces the entry of its path.
  package mutating func set(_ entry: Entry) {
    entries.removeAll { $0.output == entry.output }
    entries.append(entry)
    entries.sort { $0.output < $1.output }
  }

  /// The contents of the lock file.
  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Contents(files: entries)) else {
      preconditionFailure("texts can be encoded as JSON")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Contents: Codable {
    var files: [Entry]
  }
}
