// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import Crypto
  import FunnelModel
  import FunnelReports
  import FunnelServer
  import FunnelSystem

  extension ReportService {
    /// Returns the response for a page or a file with reports, from the cache or a worker.
    func reportResponse(_ path: ServedPath, _ request: ServerRequest) async throws -> ServerResponse {
      let wanted: ServedRequest
      do {
        wanted = try ServedRequest(request.parameters, for: path.kind)
      } catch {
        let form = try form(of: path, query: Self.query(request.parameters), in: currentState().catalog)
        return Self.response(form.response(400, error.message))
      }
      let state = try currentState()
      if let missing = missingFlow(path, wanted, in: state.catalog) {
        return Self.response(path.messageForm.response(404, missing))
      }
      if case .flow(let flow, let report) = path, let other = otherFlow(than: flow, in: wanted) {
        return Self.redirection(to: target(of: other, report: report, wanted, from: flow, in: state.catalog))
      }
      if case .comparison(let flow) = path, let other = otherFlow(than: flow, in: wanted) {
        return Self.redirection(to: ServedPath.comparison(other).description + wanted.without(["flow"]).query)
      }
      let options =
        switch path {
        case .flow(let flow, _), .comparison(let flow): wanted.without(ofFlow: flow)
        default: wanted
        }
      let dated = options.values(of: "now").isEmpty ? options.adding("now", try minute().description) : options
      let key = try cacheKey(path, options, dated, state)
      let tag = "\"\(Hexadecimal.text(of: SHA256.hash(data: Array(key.utf8)).prefix(Self.tagBytes)))\""
      let headers = [("ETag", tag), ("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Cookie")]
      // A cache updates the headers of its stored page from this response (RFC 9111, 4.3.4), so they must be the same.
      if request.headers(named: "if-none-match").contains(where: { $0 == "*" || $0.contains(tag) }) {
        return ServerResponse(status: 304, headers: Self.headers(ofType: path.type) + headers)
      }
      let runner = runner
      let form = form(of: path, query: options.query, in: state.catalog)
      let response = try await cache.response(for: key) {
        try await runner.response(Self.arguments(path, options, dated), type: path.type, form: form)
      }
      return Self.response(response, headers: response.status == 200 ? headers : [("Cache-Control", "no-store")])
    }

    /// The number of bytes of a hash in an entity tag.
    private static let tagBytes = 16

    /// Returns a text that is different for different responses.
    private func cacheKey(
      _ path: ServedPath, _ options: ServedRequest, _ dated: ServedRequest, _ state: StoreState
    ) throws(FunnelError) -> String {
      // The response also depends on the version of the program and on the lists of the store.
      let lists =
        [try listHash(InternalSubjects.fileName)]
        + [Annotations.fileName, SavedViews.fileName].map { (try? listHash($0)) ?? "unreadable" }
      let parts = [FunnelVersion.current, state.hash] + lists + [path.description, options.query]
      return (parts + dated.arguments).joined(separator: "\n")
    }

    /// Returns the form of a message about a rejected request.
    private func form(
      of path: ServedPath, query: String, in catalog: @autoclosure () throws -> FlowCatalog
    ) rethrows -> MessageForm {
      path.isPage ? .page(otherPage: otherPage(than: path, query: query, in: try catalog())) : .line
    }

    /// Returns a hash of a list in the store's folder, which changes without a commit. Empty if there is no list.
    private func listHash(_ name: String) throws(FunnelError) -> String {
      let path = StoragePath(store).inside(name)
      let disk = LocalFileSystem()
      guard try disk.status(of: path) != nil else { return "" }
      return Hexadecimal.text(of: SHA256.hash(data: try disk.readAll(path, bytesMax: Limits.valueListBytesMax)))
    }

    /// Returns the command line that computes a page or a file.
    ///
    /// - Parameters:
    ///   - request: The request as the user made it.
    ///   - dated: The request with the option `now`.
    private static func arguments(_ path: ServedPath, _ request: ServedRequest, _ dated: ServedRequest) -> [String] {
      // An option with an empty value would be an error on the command line.
      let query = request.query.isEmpty ? [] : ["--page-query=\(request.query)"]
      switch path {
      case .flows: return [PageCommand.word] + query + dated.arguments
      case .allFlows: return [PageCommand.word, "--page-all"] + query + dated.arguments
      case .flow(let flow, let report):
        let options = report == NextReport.name ? dated.ofPaths : dated
        return [PageCommand.word] + (report.map { [$0] } ?? []) + ["--page-flow=\(flow)"] + query + options.arguments
      case .file(let report, let format): return ["report", report, "--format", format.rawValue] + dated.arguments
      case .comparison(let flow): return [ComparePageCommand.word, "--page-flow=\(flow)"] + query + dated.arguments
      // A list has no segments: the conditions of the request select one.
      case .people: return [PeopleCommand.word] + query + dated.without(["by"]).arguments
      case .peopleFile: return [PeopleCommand.word, "--table"] + dated.without(["by", "start"]).arguments
      case .explore: return [ExploreCommand.word] + query + dated.arguments
      case .trace: return [TracePageCommand.word] + query + dated.arguments
      case .health, .commit, .login: preconditionFailure("no report is computed for it")
      }
    }

    /// Returns a message if the path or the request names a flow that does not exist, otherwise `nil`.
    private func missingFlow(_ path: ServedPath, _ request: ServedRequest, in catalog: FlowCatalog) -> String? {
      var flows = request.values(of: "flow").compactMap { FlowReference($0) }
      switch path {
      case .flow(let flow, _), .comparison(let flow): flows.append(flow)
      default: break
      }
      guard let missing = flows.first(where: { catalog.indices(of: $0).isEmpty }) else { return nil }
      let hint = catalog.nearestReference(to: missing).map { ", did you mean \($0)?" } ?? ""
      return "there is no flow \(missing)\(hint)"
    }

    /// Returns the last flow that a request names if it differs from the flow of the page, otherwise `nil`.
    private func otherFlow(than flow: FlowReference, in request: ServedRequest) -> FlowReference? {
      guard let last = request.values(of: "flow").last, let other = FlowReference(last), other != flow else { return nil }
      return other
    }

    /// Returns the URL of a page to link to if a request is rejected, or `nil` if there is none.
    ///
    /// It is the same report without options, or the overview of the flow if that report was rejected.
    private func otherPage(than path: ServedPath, query: String, in catalog: FlowCatalog) -> String? {
      let rejected = path.description + query
      switch path {
      case .flow(let flow, let report):
        var request = ServedRequest.ofFlow(flow).without(["flow"])
        if report == NextReport.name, let first = firstStep(of: flow, in: catalog) {
          request = request.adding("after", first)
        }
        let pages = [path.description + request.query, ServedPath.flow(flow, report: nil).description]
        return pages.first { $0 != rejected }
      case .comparison: return path.description == rejected ? nil : path.description
      case .flows, .allFlows, .explore: return path.description == rejected ? nil : path.description
      case .people, .trace, .file, .peopleFile, .health, .commit, .login: return nil
      }
    }

    /// Returns the first step of a flow in the syntax of `--after`, or `nil` if there is no such flow.
    private func firstStep(of flow: FlowReference, in catalog: FlowCatalog) -> String? {
      catalog.indices(of: flow).last.flatMap { catalog.definitions[$0].steps.first?.id }.map { "step:\($0)" }
    }

    /// Returns the URL of another flow's page with the options that also apply there.
    private func target(
      of flow: FlowReference, report: String?, _ request: ServedRequest, from old: FlowReference, in catalog: FlowCatalog
    ) -> String {
      let isSame = (flow.app, flow.flow) == (old.app, old.flow)
      // Options that name steps or events apply only to versions of the same flow.
      var request = request.without(isSame ? ["flow"] : ["flow", "after", "before", "goal", "steps", "exclude"])
      var report = report
      if report == NextReport.name, request.values(of: "after").isEmpty, request.values(of: "before").isEmpty {
        if let first = firstStep(of: flow, in: catalog) { request = request.adding("after", first) } else { report = nil }
      }
      return ServedPath.flow(flow, report: report).description + request.query
    }

    /// Returns a redirection to a URL.
    private static func redirection(to target: String) -> ServerResponse {
      ServerResponse(status: 303, text: "see \(target)", headers: [("Location", target), ("Cache-Control", "no-store")])
    }

    /// One minute in milliseconds.
    private static let minuteMilliseconds: Int64 = 60_000

    /// Returns the current time, rounded down to the minute. Equal requests within a minute share a cache entry.
    private func minute() throws -> Timestamp {
      let now = try present().milliseconds
      return Timestamp(milliseconds: now - now % Self.minuteMilliseconds)
    }
  }

  extension ServedPath {
    /// Whether the response is an HTML page.
    var isPage: Bool {
      switch self {
      case .flows, .allFlows, .flow, .comparison, .people, .trace, .explore, .login: true
      case .file, .peopleFile, .health, .commit: false
      }
    }

    /// The form of a message instead of the response.
    var messageForm: MessageForm { isPage ? .page(otherPage: nil) : .line }

    /// The media type of the response.
    var type: String {
      switch self {
      case .file(_, .json): ServedType.json
      case .file(_, .csv), .peopleFile: ServedType.csv
      case .flows, .allFlows, .flow, .comparison, .people, .trace, .explore, .health, .commit, .login: ServedType.page
      }
    }
  }
#endif
