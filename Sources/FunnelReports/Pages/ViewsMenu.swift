package import FunnelRendering

/// The menu of the views that a team keeps in a store.
package struct ViewsMenu {
  /// A line of the menu.
  package enum Item {
    case link(PageLink)
    /// A view that leads nowhere, with the reason.
    case broken(name: String, reason: String)
  }

  private let items: [Item]
  private let brokenLineCount: Int

  /// Creates a menu.
  ///
  /// - Parameter brokenLineCount: The number of lines of the list that are no view.
  package init(_ items: [Item], brokenLineCount: Int) {
    precondition(brokenLineCount >= 0, "a count is not negative")
    self.items = items
    self.brokenLineCount = brokenLineCount
  }

  /// The menu, or an empty text without views.
  var html: HTMLText {
    guard !items.isEmpty || brokenLineCount > 0 else { return "" }
    return HTMLElement("details", ["class": "views"], .block) {
      HTMLElement("summary", [:], .line) { "Saved views" }
      HTMLElement("ul", [:], .lines) {
        for item in items {
          HTMLElement("li", [:], .line) {
            switch item {
            case .link(let link): link.html
            case .broken(let name, let reason):
              HTMLText.isolated(name)
              ": \(reason)"
            }
          }
        }
      }
      if brokenLineCount > 0 {
        HTMLElement("p", [:], .line) {
          brokenLineCount == 1
            ? "1 line of views.csv is skipped: it needs the form name,address."
            : "\(HumanNumbers.count(brokenLineCount)) lines of views.csv are skipped: each needs the form name,address."
        }
      }
    }.html
  }
}
