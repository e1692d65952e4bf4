import FunnelDecoding
import FunnelModel
import FunnelRendering

/// The page of the events of one person or one subject, in order, each with its properties and its effects.
package struct TracePage {
  private let trace: SubjectTrace
  private let title: String
  /// The command line that prints the same events.
  package var command = ""

  /// The number of events on a page. The command line shows more.
  private static let eventsMax = 5000

  /// Creates a page.
  ///
  /// - Parameter name: The person or the subject.
  package init(_ trace: SubjectTrace, of name: String) {
    self.trace = trace
    title = name
  }

  /// Returns the page as HTML.
  package func rendered() -> String {
    let shown = trace.lines.prefix(Self.eventsMax)
    let count = trace.lines.count
    return PlainPage.rendered(title: title) {
      HTMLElement("p", ["class": "question"], .line) {
        count == 1 ? "1 event" : "\(HumanNumbers.count(count)) events"
        if count > shown.count { ", of which the first \(HumanNumbers.count(shown.count)) are shown" }
        ", times in UTC"
      }
      HTMLElement("p", [:], .line) { PageLink("All flows", to: "/").html }
    } main: {
      HTMLElement("section", [:], .block) {
        table(Array(shown))
        HTMLElement("p", ["class": "sources"], .line) { HTMLElement("code") { "\(command)" } }
      }
    }
  }

  private func table(_ lines: [SubjectTrace.Line]) -> HTMLText {
    HTMLRenderer.table(caption: "Events of \(title)") {
      for heading in ["Time", "Since the last", "Event", "What it did", "Properties"] as [HTMLText] {
        HTMLRenderer.heading(heading, isText: true)
      }
    } rows: {
      for (index, line) in lines.enumerated() {
        HTMLElement("tr", [:], .line) {
          HTMLRenderer.rowHeading("\(line.event.timestamp.secondText(in: .utc))")
          Self.cell(
            index == 0
              ? ""
              : HumanNumbers.duration(
                milliseconds: line.event.timestamp.milliseconds - lines[index - 1].event.timestamp.milliseconds))
          Self.cell(line.event.step.map { "\(line.event.name):\($0)" } ?? line.event.name)
          Self.cell(TraceText.effects(of: line))
          Self.cell(properties(of: line))
        }
      }
    }
  }

  /// Returns the properties as texts, with the person of an event of a shared device, or the subject if it is another text than
  /// the person.
  private func properties(of line: SubjectTrace.Line) -> String {
    let event = line.event
    let person = line.person.map { "person \($0)" }
    let subject = trace.person.flatMap { $0 == event.subject ? nil : "subject \(event.subject)" }
    let ids = [person, subject].compactMap(\.self)
    return (ids + event.props.map { "\($0.key) \($0.value.description)" }).joined(separator: ", ")
  }

  private static func cell(_ text: String) -> HTMLElement { HTMLElement("td", ["class": "t"]) { HTMLText.isolated(text) } }
}
