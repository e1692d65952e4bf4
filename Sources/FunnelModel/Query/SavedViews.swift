/// The views that a team keeps in a store: names of addresses of served pages.
///
/// The list has a line `name,address` for each view. A name with a comma is in double quotes. Blank lines, lines that begin
/// with `#`, and a first line with the names of the columns are ignored:
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

  /// The views in the order of the list.
  package let views: [View]
  /// The number of lines that are no view.
  package let brokenLineCount: Int

  /// Parses the text of a list.
  package init(_ text: String) {
    let list = ValueList.pairs(of: text, header: ("name", "address"))
    views = list.pairs.map { View(name: $0.first, address: $0.second) }
    brokenLineCount = list.brokenLineCount
  }
}
