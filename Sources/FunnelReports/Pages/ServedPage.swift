package import FunnelRendering

/// A report as a page of a server, with links to other reports, a form for its options, and the equivalent command.
package struct ServedPage {
  private let report: Report
  /// Links to the reports of the flow.
  package var reports: [PageLink] = []
  /// The views that the store keeps, or `nil` if it has none.
  package var views: ViewsMenu?
  /// The options of the report.
  package var controls: [PageChip] = []
  /// Links to the same numbers in formats for programs.
  package var files: [PageLink] = []
  /// The command line that prints the same report.
  package var command = ""
  /// Warnings about likely mistakes in the request or in the log.
  package var notes: [String] = []
  /// Returns the percent-encoded path of a list of people.
  package var peopleTarget: ((PeopleReference) -> String?)?
  /// Returns the control of the page for options that a sentence mentions.
  package var optionControl: OptionControlLookup?

  package init(_ report: Report) {
    self.report = report
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: An optional enhancement of the page. The server's content security policy must allow
  ///   its hash.
  package func rendered(script: String) -> String {
    var frame = PageFrame()
    frame.lead = HTMLText {
      if !reports.isEmpty { Self.navigation(reports) }
      if let views { views.html }
      PageForm.html(controls)
    }
    frame.tail = Self.sources(command, files).html
    frame.notes = notes
    // The first screen belongs to the result.
    frame.foldsNotes = true
    frame.script = script
    frame.peopleTarget = peopleTarget
    frame.optionControl = optionControl
    return HTMLRenderer.render(report.document(.long, hasPictures: true), in: frame)
  }

  /// Returns the links to the reports of a flow.
  static func navigation(_ links: [PageLink]) -> HTMLElement {
    HTMLElement("nav", ["aria-label": "Reports", "class": "tabs"], .line) {
      HTMLElement("ul", [:], .lines) {
        for link in links { HTMLElement("li", [:], .line) { link.html } }
      }
    }
  }

  /// Returns the command line of a page, and the links to its numbers in formats for programs.
  static func sources(_ command: String, _ files: [PageLink]) -> HTMLElement {
    HTMLElement("section", ["class": "sources"], .block) {
      HTMLElement("p", [:], .line) { HTMLElement("code") { "\(command)" } }
      HTMLElement("p", [:], .line) { files.map(\.html.html).joined(separator: " · ") }
    }
  }
}
