import ArgumentParser
import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The internal command that prints the page that builds funnels for `funnel serve`.
struct ExploreCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-explore"

  static let configuration = CommandConfiguration(commandName: word)

  @OptionGroup var report: ReportCommand

  /// The query of the page's URL.
  @Option(help: .hidden)
  var pageQuery = ""

  func run() throws {
    guard report.inputs.isEmpty else { throw FunnelError(.usage, "the page of events has no inputs, leave them out") }
    guard let parameters = URLText.parameters(pageQuery.drop { $0 == "?" }) else {
      throw FunnelError(.usage, "not a query of a URL, --page-query \(pageQuery.printable)")
    }
    let request = try ServedRequest(parameters)
    let selection = ReportSelection(FunnelReport.self)
    var command = report
    let query = try command.query(for: selection)
    var overview = query
    overview.steps = []
    command.adHoc.steps = nil
    let all = try command.source([], for: selection).reader().response(to: overview, selection)
    let apps = Set(all.eventNames.map(\.app)).sorted()
    guard let app = report.app ?? (apps.count == 1 ? apps[0] : nil) else {
      return Console.print(choice(of: apps, all.report, request).rendered(script: ServedScript.text))
    }
    // In a damaged log, the app may be in the unreadable part.
    if all.damage == nil, !apps.contains(app) { throw Self.missing(app, among: apps) }
    let links = ExploreLinks(app: app, request: request)
    let funnel: ReportResponse
    if query.steps.isEmpty {
      funnel = all
    } else {
      var command = report
      command.app = app
      funnel = try command.source([], for: selection).reader().response(to: query, selection).explained(
        ofApp: app, namesUnknownAnswers: false)
    }
    var page = ExplorePage(funnel.report, ofApp: app)
    page.links = links.navigation
    page.views = SavedViewsReader.menu(ofStore: report.store.path, in: all.flows.catalog)
    page.controls = PageControls(request: links.request).ofExplorer
    page.steps = links.steps(query.steps)
    let events = try self.events(of: app, overview, in: command)
    let keys = events.compactMap { event in
      Self.key(of: event.event, in: all.flows.catalog.definitions(ofApp: app)).map { (key: $0, people: event.groups) }
    }
    page.candidates = keys.prefix(ExplorePage.candidatesMax).map {
      links.candidate($0.key, people: $0.people, after: query.steps)
    }
    page.omittedCount = max(0, keys.count - ExplorePage.candidatesMax)
    page.files = links.reports.files
    page.command = links.reports.command
    page.peopleTarget = links.reports.people(by: query.by)
    page.optionControl = PageOptions(path: .explore, request: links.request).control
    page.notes = query.steps.isEmpty ? [] : try funnel.pageNotes()
    Console.print(page.rendered(script: ServedScript.text))
  }

  /// The largest number of apps that an error lists.
  private static let appsShownMax = 5

  /// Returns the error for an app that is not in the log, with the nearest app, or the apps of the log.
  private static func missing(_ app: String, among apps: [String]) -> FunnelError {
    let others = apps.count > appsShownMax ? " and \(Quantity.count(apps.count - appsShownMax)) more" : ""
    let list = apps.isEmpty ? "it has no events" : "it has \(apps.prefix(appsShownMax).joined(separator: ", "))\(others)"
    let hint = NearestName.find(app, in: apps).map { "did you mean \($0)?" } ?? list
    return FunnelError(.noInput, "there is no app \(app.printable) in the log, \(hint)")
  }

  /// Returns the events of an app with the number of people who have them.
  private func events(of app: String, _ query: ReportQuery, in command: ReportCommand) throws -> [CountedEvent] {
    var query = query
    query.eventsOfApp = app
    query.by = []
    query.exclusions = []
    let selection = ReportSelection(EventsReport.self)
    let response = try command.source([], for: selection).reader().response(to: query, selection)
    return response.report[EventsReport.self]?.first?.events ?? []
  }

  /// Returns the key with which an event is a step, or `nil` if it has none, or another key of the list has the same events.
  private static func key(of event: EventName, in definitions: [FlowDefinition]) -> EventKey? {
    guard let step = event.step else { return EventKey(event.name) }
    guard event.name == StepEventName.viewed.rawValue, let key = EventKey("step:\(step)") else { return nil }
    // A step that other events enter has another number of people.
    return key.patterns(in: definitions) == [.viewing(step)] ? key : nil
  }

  /// Returns the page that offers apps.
  private func choice(of apps: [String], _ report: FunnelReports.Report, _ request: ServedRequest) -> ExplorePage {
    var page = ExplorePage(report, ofApp: nil)
    page.links = [PageLink("All flows", to: ServedPath.flows.description)]
    page.apps = apps.map { app in
      PageLink(app, to: ServedPath.explore.description + request.without(["app"]).adding("app", app).query)
    }
    return page
  }
}

/// The links of the page that builds funnels.
private struct ExploreLinks {
  let app: String
  /// The request, with the app.
  let request: ServedRequest

  init(app: String, request: ServedRequest) {
    self.app = app
    self.request = request.without(["app"]).adding("app", app)
  }

  /// The links of the funnel as a report.
  var reports: PageLinks {
    PageLinks(
      flow: FlowReference(app: app, flow: FlowDefinition.adHocFlow), report: FunnelReport.name, request: request)
  }

  /// The links to other pages.
  var navigation: [PageLink] {
    let all = PageLink("All flows", to: ServedPath.flows.description)
    let apps = PageLink("Other apps", to: ServedPath.explore.description + request.without(["app", "steps"]).query)
    return [all, apps, PageLink("Explore", to: target([]), isHere: true)]
  }

  /// Returns the steps with the links that change them.
  func steps(_ keys: [EventKey]) -> [ExplorePage.Step] {
    keys.indices.map { index in
      func moved(by offset: Int) -> PageLink? {
        guard keys.indices.contains(index + offset) else { return nil }
        var moved = keys
        moved.swapAt(index, index + offset)
        return PageLink(offset < 0 ? "Earlier" : "Later", to: target(moved))
      }
      var others = keys
      others.remove(at: index)
      return ExplorePage.Step(
        key: keys[index].description, earlier: moved(by: -1), later: moved(by: 1),
        removal: PageLink("Remove", to: target(others)))
    }
  }

  /// Returns an event as a possible next step.
  func candidate(_ key: EventKey, people: Int, after steps: [EventKey]) -> ExplorePage.Candidate {
    let isStep = steps.contains(key) || steps.count >= Limits.flowStepsMax
    // These options change who enters a funnel, but not who has an event.
    let isSame = Self.optionsOfEntries.allSatisfy { request.values(of: $0).isEmpty }
    let list = request.without(["steps", "by"]).adding("steps", key.description).adding("state", GroupState.entered.rawValue)
    return ExplorePage.Candidate(
      key: key.description, people: people,
      list: isSame ? PageLink(HumanNumbers.count(people), to: ServedPath.people.description + list.query) : nil,
      addition: isStep ? nil : PageLink("Add", to: target(steps + [key])))
  }

  private static let optionsOfEntries = ["since", "until", "mature", "exclude", "anchor", "count-by"]

  private func target(_ steps: [EventKey]) -> String {
    let others = request.without(["steps"])
    let text = steps.map(\.description).joined(separator: ",")
    return ServedPath.explore.description + (steps.isEmpty ? others : others.adding("steps", text)).query
  }
}
