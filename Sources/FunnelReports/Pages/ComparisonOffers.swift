package import FunnelRendering

/// The page of a comparison without sides: links to those that the log has.
package struct ComparisonOffers {
  private let title: String
  /// Links to the reports of the flow.
  package var reports: [PageLink] = []
  /// Comparisons of the values of a key.
  package var keys: [PageLink] = []
  /// Comparisons of versions of the flow.
  package var versions: [PageLink] = []
  /// Comparisons of periods.
  package var periods: [PageLink] = []

  /// Creates a page.
  ///
  /// - Parameter title: The title of the flow.
  package init(title: String) { self.title = title }

  /// Returns the page as HTML.
  package func rendered() -> String {
    PlainPage.rendered(title: "Compare: \(title)") {
      ServedPage.navigation(reports)
    } main: {
      HTMLElement("section", [:], .block) {
        HTMLElement("h2", [:], .line) { "What do you want to compare?" }
        Self.list("Variants and other keys with up to 10 values", keys)
        Self.list("Versions of the flow", versions)
        Self.list("Periods", periods)
      }
    }
  }

  @HTMLBuilder private static func list(_ heading: HTMLText, _ links: [PageLink]) -> HTMLText {
    if !links.isEmpty {
      HTMLElement("h3", [:], .line) { heading }
      HTMLElement("ul", [:], .lines) {
        for link in links { HTMLElement("li", [:], .line) { link.html } }
      }
    }
  }
}
