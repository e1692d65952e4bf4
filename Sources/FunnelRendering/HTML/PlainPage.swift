/// A page of a server that is not a report: a list or a table with a heading.
package enum PlainPage {
  /// Returns the page as HTML.
  ///
  /// - Parameters:
  ///   - title: The title, which is also the heading.
  ///   - header: The content below the heading.
  ///   - main: The content of the main part.
  package static func rendered(
    title: String, @HTMLBuilder header: () -> HTMLText, @HTMLBuilder main: () -> HTMLText
  ) -> String {
    HTMLPage(title: "\(title)", header: header(), main: main()).rendered()
  }
}
