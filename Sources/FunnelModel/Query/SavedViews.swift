/// The views that a team keeps in a store: names of addresses of served pages.
///
/// The list has a line `name,address` for each view. Each may be in double quotes (RFC 4180). Blank lines, lines that
/// begin with `#`, and a first line with the names of the columns are ignored:
///
///     name,address
///     Monday,/flows/trendy/onboarding?since=7d
///     "Paywall, by variant",/flows/trendy/onboarding/funnel?by=ctx.variant
package struct SavedViews: Hashable, Sendable {
  /// A named address.
  package struct View: Hashable, Sendable {
    package let name: String
    /// The address, percent-encoded. It may be invalid.
    package let address: String
  }

  /// The name of the list's file in the store's folder.
  package static let fileName = "views.csv"
  private static let header = ["name", "address"]

  /// The views in the order of the list.
  package let views: [View]
  /// The number of lines that are no view.
  package let brokenLineCount: Int

  /// Parses the text of a list.
  package init(_ text: String) {
    let lines = ValueList.lines(of: text).filter { !$0.hasPrefix("#") }.map(Self.fields)
    let all = lines.first??.map { $0.lowercased() } == Self.header ? lines.dropFirst() : lines[...]
    views = all.compactMap { fields in
      guard let fields, fields.count == 2, !fields[0].isEmpty, !fields[1].isEmpty else { return nil }
      return View(name: fields[0], address: fields[1])
    }
    brokenLineCount = all.count - views.count
  }

  /// Returns the fields of a line, or `nil` if a quote is not closed.
  private static func fields(of line: String) -> [String]? {
    var fields: [String] = []
    var rest = Substring(line)
    while true {
      rest = rest.drop { $0 == " " }
      var field = ""
      if rest.first == "\"" {
        rest.removeFirst()
        while let quote = rest.firstIndex(of: "\"") {
          field += rest[..<quote]
          rest = rest[rest.index(after: quote)...]
          guard rest.first == "\"" else { break }
          field += "\""
          rest.removeFirst()
          if rest.isEmpty { return nil }
        }
        rest = rest.drop { $0 == " " }
        guard rest.isEmpty || rest.first == "," else { return nil }
      } else {
        field = String(rest.prefix { $0 != "," }).withoutOuterBlanks
        rest = rest.drop { $0 != "," }
      }
      fields.append(field)
      if rest.isEmpty { return fields }
      rest.removeFirst()
    }
  }
}
