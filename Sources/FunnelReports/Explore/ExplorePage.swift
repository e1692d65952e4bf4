import FunnelModel
package import FunnelRendering

/// The page that builds a funnel from an app's events by adding, moving and removing steps. Everything on it is a link.
package struct ExplorePage {
  /// A step of the funnel, with links that change it.
  package struct Step {
    /// The key of the step: `step:welcome`.
    package let key: String
    /// Links to the funnel with this step earlier or later, each `nil` if there is no such place, and without it.
    package let earlier, later: PageLink?
    package let removal: PageLink

    package init(key: String, earlier: PageLink?, later: PageLink?, removal: PageLink) {
      self.key = key
      self.earlier = earlier
      self.later = later
      self.removal = removal
    }
  }

  /// An event that can be a step.
  package struct Candidate {
    /// The key of the event: `signup_completed`.
    package let key: String
    /// The number of people who have the event.
    package let people: Int
    /// A link to these people, or `nil` if their list would have another length.
    package let list: PageLink?
    /// A link to the funnel with the event as its last step, or `nil` if it already is a step.
    package let addition: PageLink?

    package init(key: String, people: Int, list: PageLink?, addition: PageLink?) {
      self.key = key
      self.people = people
      self.list = list
      self.addition = addition
    }
  }

  private let report: Report
  private let app: String?
  /// Links to other pages.
  package var links: [PageLink] = []
  /// The views that the store keeps, or `nil` if it has none.
  package var views: ViewsMenu?
  /// The options of the report.
  package var controls: [PageChip] = []
  /// The steps of the funnel in order.
  package var steps: [Step] = []
  /// The events of the app, with most people first.
  package var candidates: [Candidate] = []
  /// The number of events that are not on the page.
  package var omittedCount = 0
  /// Links to the apps of the log, if the address names none.
  package var apps: [PageLink] = []
  /// Links to the numbers of the funnel in formats for programs.
  package var files: [PageLink] = []
  /// The command line that prints the funnel.
  package var command = ""
  /// Warnings about likely mistakes in the request or in the log.
  package var notes: [String] = []
  /// Returns the percent-encoded path of a list of people.
  package var peopleTarget: ((PeopleReference) -> String?)?
  /// Returns the control of the page for options that a sentence mentions.
  package var optionControl: OptionControlLookup?

  /// The largest number of events on a page.
  package static let candidatesMax = 300

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - report: The funnel of the steps. Without steps, its rows are not shown.
  ///   - app: The app, or `nil` to choose one.
  package init(_ report: Report, ofApp app: String?) {
    self.report = report
    self.app = app
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: An optional enhancement of the page. The server's content security policy must allow
  ///   its hash.
  package func rendered(script: String) -> String {
    var frame = PageFrame(title: app.map { "Explore \($0)" } ?? "Explore")
    frame.script = script
    frame.peopleTarget = peopleTarget
    frame.optionControl = optionControl
    frame.lead = HTMLText {
      ServedPage.navigation(links)
      if let views { views.html }
      PageForm.html(controls)
      for note in notes {
        HTMLElement("p", ["class": "warning"], .line) { HTMLRenderer.words(of: note, control: optionControl) }
      }
      if app != nil { builder }
    }
    var shown = report
    if steps.isEmpty {
      shown.answers = []
      frame.content = .custom(app == nil ? choice : "", nil)
    }
    frame.tail = HTMLText {
      if app != nil { events }
      if !steps.isEmpty { ServedPage.sources(command, files) }
    }
    return HTMLRenderer.render(shown.document(.long, hasPictures: true), in: frame)
  }

  /// The links to the apps of the log.
  private var choice: HTMLText {
    HTMLElement("section", [:], .block) {
      HTMLElement("h2", [:], .line) { apps.isEmpty ? "The log has no events" : "Which app?" }
      HTMLElement("ul", [:], .lines) {
        for app in apps { HTMLElement("li", [:], .line) { app.html } }
      }
    }.html
  }

  /// The steps with their links.
  private var builder: HTMLText {
    HTMLElement("section", ["class": "builder"], .block) {
      HTMLElement("h2", [:], .line) { "Steps" }
      if steps.isEmpty {
        HTMLElement("p", [:], .line) { "Add the first step of a funnel from the events below." }
      } else {
        HTMLElement("ol", [:], .lines) {
          for step in steps {
            HTMLElement("li", [:], .line) {
              HTMLElement("code") { "\(step.key)" }
              for link in [step.earlier, step.later, step.removal].compactMap(\.self) {
                " "
                link.html
              }
            }
          }
        }
      }
    }.html
  }

  /// The table of the events.
  private var events: HTMLText {
    HTMLElement("section", [:], .block) {
      HTMLElement("h2", [:], .line) { "Events" }
      if candidates.isEmpty {
        HTMLElement("p", [:], .line) { "Nobody has an event of this app in this period." }
      } else {
        HTMLRenderer.table(caption: "Events of \(app ?? ""), most people first") {
          HTMLRenderer.heading("Event", isText: true)
          HTMLRenderer.heading("People", isText: false)
          HTMLRenderer.heading("Step", isText: true)
        } rows: {
          for candidate in candidates {
            HTMLElement("tr", [:], .line) {
              HTMLRenderer.rowHeading("\(candidate.key)")
              HTMLElement("td") { candidate.list?.html.html ?? "\(HumanNumbers.count(candidate.people))" }
              HTMLElement("td", ["class": "t"]) { candidate.addition?.html.html ?? "" }
            }
          }
        }
        if omittedCount > 0 {
          HTMLElement("p", [:], .line) {
            "\(HumanNumbers.count(omittedCount)) rarer events are not shown. Write their names into the steps of the form."
          }
        }
      }
    }.html
  }
}
