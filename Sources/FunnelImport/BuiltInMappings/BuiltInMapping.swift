package import FunnelModel

/// A mapping that ships with the program, for a product whose events are rows of a table.
///
/// `--map builtin:NAME` uses a mapping. `funnel map show NAME` prints it, for a user to copy and edit.
package struct BuiltInMapping: Hashable, Sendable {
  /// The name after ``prefix``.
  package let name: String
  /// The table of the product that the mapping reads.
  package let table: String
  /// One line: the product, and the events that the rows become.
  package let summary: String
  /// The lines of advice on how to export the table: a query, and the options that the import needs.
  package let export: [String]
  /// The mapping as JSON (`Schemas/mapping.v1.schema.json`).
  package let json: String

  /// The text before the name of a built-in mapping where a file is expected.
  package static let prefix = "builtin:"

  /// All built-in mappings, sorted by name.
  package static let all = [matomo, openpanel, plausible, umami]

  /// The name with its prefix, as an option and messages give it.
  package var reference: String { Self.prefix + name }

  /// Parses the mapping.
  ///
  /// - Throws: A configuration error if ``json`` is invalid, which a test rules out.
  package func mapping() throws(FunnelError) -> ImportMapping {
    var mapping = try ImportMapping(parsing: Array(json.utf8), source: reference)
    // The versions of a product differ in the columns that only add properties.
    mapping.needsAllColumns = false
    return mapping
  }

  /// Returns the mapping with a name, with or without the prefix.
  ///
  /// - Throws: `noInput` if there is no such mapping.
  package static func named(_ text: String) throws(FunnelError) -> BuiltInMapping {
    let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    if let mapping = all.first(where: { $0.name == name }) { return mapping }
    let names = all.map(\.name)
    let lowercased = name.lowercased()
    // The nearest name is never the name itself.
    let nearest = names.contains(lowercased) ? lowercased : NearestName.find(lowercased, in: names)
    let advice = nearest.map { "did you mean \($0)?" } ?? "give one of \(names.joined(separator: ", "))"
    throw FunnelError(.noInput, "no such built-in mapping, \(text.printable), \(advice)")
  }
}
