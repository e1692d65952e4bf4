import FunnelModel
import FunnelProjections
package import FunnelRendering

/// The page of the people behind a number: a table, newest first, with a link from each person to its events.
package struct PeoplePage {
  private let list: PeopleList
  /// The index of the first person of the page.
  private let start: Int
  /// Returns the percent-encoded path of the page with the events of a person.
  private let traceTarget: (String) -> String
  /// The link to the report whose number the list is behind.
  package var report: PageLink?
  /// The link to all people as CSV.
  package var file: PageLink?
  /// The percent-encoded path of the next page, or `nil` if this is the last.
  package var next: String?
  /// The command line that prints the same list.
  package var command = ""
  /// Warnings about likely mistakes in the request or in the log.
  package var notes: [String] = []

  /// The number of people on a page.
  package static let peopleMax = 100

  package init(_ list: PeopleList, from start: Int, traceTarget: @escaping (String) -> String) {
    precondition(start >= 0, "a page does not begin before the first person")
    self.list = list
    self.start = min(start, list.people.count)
    self.traceTarget = traceTarget
  }

  /// Whether there are people after those of this page.
  package var hasNext: Bool { start + Self.peopleMax < list.people.count }

  /// Returns the page as HTML.
  package func rendered() -> String {
    let shown = list.people[start...].prefix(Self.peopleMax)
    return PlainPage.rendered(title: list.title) {
      HTMLElement("p", ["class": "question"], .line) { "\(subtitle(shown.count))" }
      HTMLElement("p", ["class": "question"], .line) { HTMLRenderer.summary(of: list.query) }
      HTMLElement("p", [:], .line) { [report, file].compactMap { $0?.html.html }.joined(separator: " · ") }
    } main: {
      for note in notes { HTMLElement("p", ["class": "warning"], .line) { HTMLRenderer.words(of: note) } }
      HTMLElement("section", [:], .block) {
        if shown.isEmpty {
          HTMLElement("p", [:], .line) { "Nobody." }
        } else {
          table(Array(shown))
        }
        if let next {
          HTMLElement("p", [:], .line) {
            HTMLElement("a", ["href": "\(next)", "rel": "next"]) { "Next \(String(Self.peopleMax))" }
          }
        }
        HTMLElement("p", ["class": "sources"], .line) { HTMLElement("code") { "\(command)" } }
      }
    }
  }

  private func subtitle(_ count: Int) -> String {
    let flow = list.flow.title.isEmpty ? list.flow.reference : "\(list.flow.title) (\(list.flow.reference))"
    let part =
      count < list.people.count && count > 0
      ? ", \(HumanNumbers.count(start + 1)) to \(HumanNumbers.count(start + count)), newest first" : ", newest first"
    return flow + part
  }

  private func table(_ people: [ListedGroup]) -> HTMLText {
    let hasAttempts = people.contains { $0.attempt != nil }
    let zone = list.query.timeZone
    let isOfPersons = list.query.unit(of: list.flow).isOfPersons
    return HTMLRenderer.table(caption: "\(list.title)") {
      HTMLRenderer.heading(isOfPersons ? "Person" : "Subject", isText: true)
      if hasAttempts { HTMLRenderer.heading("Attempt", isText: true) }
      for heading in ["Began (\(zone.name))", "Last step", "App version", "System", "Device"] as [HTMLText] {
        HTMLRenderer.heading(heading, isText: true)
      }
    } rows: {
      for person in people {
        HTMLElement("tr", [:], .line) {
          HTMLRenderer.rowHeading(PageLink(person.subject, to: traceTarget(person.subject)).html.html)
          if hasAttempts { Self.cell(person.attempt) }
          Self.cell(person.anchor?.secondText(in: zone))
          Self.cell(person.lastStep.map { list.flow.steps[$0].label })
          for value in Self.values(of: person) { Self.cell(value) }
        }
      }
    }
  }

  /// Returns the app version, the system with its version, and the device.
  private static func values(of person: ListedGroup) -> [String?] {
    let texts = person.lastValues.map { $0 == .null ? nil : $0.description }
    let system = [texts[1], texts[2]].compactMap(\.self).joined(separator: " ")
    return [texts[0], system.isEmpty ? nil : system, texts[3]]
  }

  private static func cell(_ text: String?) -> HTMLElement {
    HTMLElement("td", ["class": "t"]) { text.map { HTMLText.isolated($0) } ?? "–" }
  }
}
