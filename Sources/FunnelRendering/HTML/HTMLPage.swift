/// A self-contained HTML page for screens, phones and paper, with a light and a dark theme. It loads no other files.
struct HTMLPage {
  /// The heading.
  var title: HTMLText
  /// The title of the window and of bookmarks, or `nil` for the heading.
  var windowTitle: HTMLText?
  /// The content of the header, below the heading.
  var header: HTMLText = ""
  /// The content between the header and the main part.
  var navigation: HTMLText = ""
  var main: HTMLText
  /// The source of a script, or an empty text for a page without one.
  var script = ""

  /// The policy of a page that is a file. It allows no script.
  ///
  /// A server sends its policy as an HTTP header, with the hash of the script.
  private static let policy: HTMLText = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

  /// Returns the source of the page.
  func rendered() -> String {
    let page = HTMLElement("html", ["lang": "en"], .block) {
      head
      HTMLElement("body", [:], .block) {
        HTMLElement("header", [:], .block) {
          HTMLElement("h1", [:], .line) { title }
          header
        }
        navigation
        HTMLElement("main", [:], .block) { main }
        if !script.isEmpty { HTMLElement("script", [:], .line) { .script(script) } }
      }
    }
    return "<!DOCTYPE html>\n" + page.html.text
  }

  private var head: HTMLElement {
    HTMLElement("head", [:], .block) {
      HTMLElement(empty: "meta", ["charset": "utf-8"], .line)
      if script.isEmpty {
        HTMLElement(empty: "meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy], .line)
      }
      HTMLElement(empty: "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"], .line)
      HTMLElement(empty: "meta", ["name": "color-scheme", "content": "light dark"], .line)
      HTMLElement(empty: "meta", ["name": "referrer", "content": "no-referrer"], .line)
      HTMLElement("title", [:], .line) { windowTitle ?? title }
      HTMLElement("style", [:], .block) { PageStyle.sheet }
    }
  }
}

/// The parts of a page outside its reports.
package struct PageFrame {
  /// The content of the main part of a page.
  package enum Content {
    /// The reports of the document.
    case reports
    /// Other content, with a chart below it.
    case custom(HTMLText, Chart?)
  }

  /// The title of the page, or `nil` for the name of the flow.
  package var title: String?
  /// The content of the header, above the reports.
  package var lead: HTMLText = ""
  package var content = Content.reports
  /// The content below the reports.
  package var tail: HTMLText = ""
  /// Warnings about likely mistakes in the request or in the log, after those of the document.
  package var notes: [String] = []
  /// Whether all notes are behind one line, if the document has a result.
  package var foldsNotes = false
  /// Returns the percent-encoded path of a list of people, or `nil` for none; a page that is a file has no such lists.
  package var peopleTarget: ((PeopleReference) -> String?)?
  /// Returns the control of the page for options that a sentence mentions, or `nil` for none; a page that is a file has no controls.
  package var optionControl: OptionControlLookup?
  /// The source of an optional script. It is not escaped.
  package var script = ""

  package init(title: String? = nil) {
    self.title = title
  }
}
