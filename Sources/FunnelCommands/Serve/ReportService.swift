import FunnelRendering

// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import Crypto
  import FunnelModel
  import FunnelReports
  import FunnelSchemas
  import FunnelServer
  import FunnelStore
  import FunnelSystem

  /// The HTTP service of `funnel serve`: the reports of a store as HTML pages, JSON and CSV.
  ///
  /// The service checks requests and caches responses until the store has a new commit. Worker processes
  /// compute the reports (``ReportRunner``).
  final class ReportService: ServerService {
    private let store: String
    private let schemas: SchemaOption
    private let hostCheck: HostCheck
    private let token: AccessToken?
    private let runner: ReportRunner
    private let cache = ResponseCache(bytesMax: ReportService.cacheBytesMax)
    private let present: @Sendable () throws -> Timestamp
    private let state: Guarded<StoreState?>

    /// The largest total size of the cached responses, in bytes.
    private static let cacheBytesMax = 64 << 20

    /// The cached state of the store, valid while its stamp is unchanged.
    private struct StoreState {
      let stamp: StoreStamp
      let hash: String
      let catalog: FlowCatalog
    }

    /// - Parameters:
    ///   - names: Additional host names that the `Host` header may have.
    ///   - token: The token that requests need, or `nil` for none.
    ///   - present: Returns the current time.
    init(
      store: String, schemas: SchemaOption, address: ServerAddress, names: [String], token: AccessToken?, runner: ReportRunner,
      present: @escaping @Sendable () throws -> Timestamp
    ) {
      self.store = store
      self.schemas = schemas
      self.token = token
      hostCheck = HostCheck(address: address, names: names)
      self.runner = runner
      self.present = present
      state = Guarded(nil)
    }

    func response(to request: ServerRequest) async -> ServerResponse {
      do {
        return try await answer(request)
      } catch is CancellationError {
        return ServerResponse(status: 503, text: "nobody waits for it")
      } catch let error as FunnelError {
        Console.printError(error.message)
        return Self.response(ReportRunner.message(500, error.message, isPage: ServedPath(request.path)?.isPage ?? true))
      } catch {
        Console.printError("\(request.method) /\(request.path.joined(separator: "/")): \(error)".printable)
        return ServerResponse(status: 500, text: "something went wrong, see the server's messages")
      }
    }

    /// Checks a request and returns its response.
    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
      if let rejection = hostCheck.rejection(of: request) { return rejection }
      let path = ServedPath(request.path)
      if case .login? = path { return try logIn(request) }
      guard methods.contains(request.method) else {
        return ServerResponse(
          status: 405, text: "\(request.method): this server is read-only, use GET or HEAD",
          headers: [("Allow", methods.joined(separator: ", "))])
      }
      guard let path else {
        guard isAdmitted(request) else { return login(request) }
        return Self.response(
          ReportRunner.message(404, "/\(request.path.joined(separator: "/")): there is no such page", isPage: true))
      }
      if case .health = path { return health() }
      guard isAdmitted(request) else { return path.isPage ? login(request) : Self.unauthorized }
      if case .commit = path {
        return ServerResponse(status: 200, text: try currentState().hash, headers: [("Cache-Control", "no-store")])
      }
      return try await report(path, request)
    }
  }

  // MARK: - Reports

  extension ReportService {
    /// Returns the response for a page or a file with reports, from the cache or a worker.
    private func report(_ path: ServedPath, _ request: ServerRequest) async throws -> ServerResponse {
      let isPage = path.isPage
      let wanted: ServedRequest
      do {
        wanted = try ServedRequest(request.parameters)
      } catch {
        let page = isPage ? try otherPage(than: path, query: Self.query(request.parameters), in: currentState().catalog) : nil
        return Self.response(ReportRunner.message(400, error.message, isPage: isPage, page: page))
      }
      let state = try currentState()
      if let missing = missingFlow(path, wanted, in: state.catalog) {
        return Self.response(ReportRunner.message(404, missing, isPage: isPage))
      }
      if case .flow(let flow, let report) = path, let other = otherFlow(than: flow, in: wanted) {
        return Self.redirection(to: target(of: other, report: report, wanted, from: flow, in: state.catalog))
      }
      let question = if case .flow(let flow, _) = path { wanted.without(ofFlow: flow) } else { wanted }
      let dated = question.values(of: "now").isEmpty ? question.adding("now", try minute().description) : question
      // The response also depends on the version of the program and on the list of internal subjects.
      let key =
        ([FunnelVersion.current, state.hash, try internalListHash(), path.description, question.query] + dated.arguments)
        .joined(separator: "\n")
      let tag = "\"\(Self.hexadecimal(SHA256.hash(data: Array(key.utf8)).prefix(16)))\""
      let headers = [("ETag", tag), ("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Cookie")]
      // A cache updates the headers of its stored page from this response (RFC 9111, 4.3.4), so they must be the same.
      if request.headers(named: "if-none-match").contains(where: { $0 == "*" || $0.contains(tag) }) {
        return ServerResponse(status: 304, headers: Self.headers(ofType: path.type) + headers)
      }
      let runner = runner
      let otherPage = isPage ? otherPage(than: path, query: question.query, in: state.catalog) : nil
      let answer = try await cache.answer(for: key) {
        try await runner.answer(Self.arguments(path, question, dated), type: path.type, isPage: isPage, page: otherPage)
      }
      return Self.response(answer, headers: answer.status == 200 ? headers : [("Cache-Control", "no-store")])
    }

    /// Returns a hash of the store's list of internal subjects, which changes without a commit. Empty if there is no list.
    private func internalListHash() throws(FunnelError) -> String {
      let path = StoragePath(store).inside(InternalSubjects.fileName)
      let disk = LocalFileSystem()
      guard try disk.status(of: path) != nil else { return "" }
      return Self.hexadecimal(SHA256.hash(data: try disk.readAll(path, bytesMax: Limits.valueListBytesMax)))
    }

    /// Returns the command line that computes a page or a file.
    ///
    /// - Parameters:
    ///   - question: The request as the user made it.
    ///   - dated: The request with the option `now`.
    private static func arguments(_ path: ServedPath, _ question: ServedRequest, _ dated: ServedRequest) -> [String] {
      // An option with an empty value would be an error on the command line.
      let asked = question.query.isEmpty ? [] : ["--page-query=\(question.query)"]
      switch path {
      case .flows: return [PageCommand.word] + asked + dated.arguments
      case .allFlows: return [PageCommand.word, "--page-all"] + asked + dated.arguments
      case .flow(let flow, let report):
        return [PageCommand.word] + (report.map { [$0] } ?? []) + ["--page-flow=\(flow)"] + asked + dated.arguments
      case .file(let report, let format): return ["report", report, "--format", format.rawValue] + dated.arguments
      case .health, .commit, .login: preconditionFailure("no report is computed for it")
      }
    }

    /// Returns a message if the path or the request names a flow that does not exist, otherwise `nil`.
    private func missingFlow(_ path: ServedPath, _ question: ServedRequest, in catalog: FlowCatalog) -> String? {
      var flows = question.values(of: "flow").compactMap { FlowReference($0) }
      if case .flow(let flow, _) = path { flows.append(flow) }
      guard let missing = flows.first(where: { catalog.indices(of: $0).isEmpty }) else { return nil }
      let hint = catalog.nearestReference(to: missing).map { ", did you mean \($0)?" } ?? ""
      return "there is no flow \(missing)\(hint)"
    }

    /// Returns the last flow that a request names if it differs from the flow of the page, otherwise `nil`.
    private func otherFlow(than flow: FlowReference, in question: ServedRequest) -> FlowReference? {
      guard let last = question.values(of: "flow").last, let other = FlowReference(last), other != flow else { return nil }
      return other
    }

    /// Returns the URL of a page to link to if a request is rejected, or `nil` if there is none.
    ///
    /// It is the same report without options, or the overview of the flow if that report was rejected.
    private func otherPage(than path: ServedPath, query: String, in catalog: FlowCatalog) -> String? {
      let rejected = path.description + query
      switch path {
      case .flow(let flow, let report):
        var question = ServedRequest.ofFlow(flow).without(["flow"])
        if report == NextReport.name, let first = firstStep(of: flow, in: catalog) {
          question = question.adding("after", first)
        }
        let pages = [path.description + question.query, ServedPath.flow(flow, report: nil).description]
        return pages.first { $0 != rejected }
      case .flows, .allFlows: return path.description == rejected ? nil : path.description
      case .file, .health, .commit, .login: return nil
      }
    }

    /// Returns the first step of a flow in the syntax of `--after`, or `nil` if there is no such flow.
    private func firstStep(of flow: FlowReference, in catalog: FlowCatalog) -> String? {
      catalog.indices(of: flow).last.flatMap { catalog.definitions[$0].steps.first?.id }.map { "step:\($0)" }
    }

    /// Returns the URL of another flow's page with the options that also apply there.
    private func target(
      of flow: FlowReference, report: String?, _ question: ServedRequest, from old: FlowReference, in catalog: FlowCatalog
    ) -> String {
      let isSame = (flow.app, flow.flow) == (old.app, old.flow)
      // Options that name steps or events apply only to versions of the same flow.
      var question = question.without(isSame ? ["flow"] : ["flow", "after", "steps", "exclude"])
      var report = report
      if report == NextReport.name, question.values(of: "after").isEmpty {
        if let first = firstStep(of: flow, in: catalog) { question = question.adding("after", first) } else { report = nil }
      }
      return ServedPath.flow(flow, report: report).description + question.query
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

    /// Returns the state of the store. Reads it again only after a commit.
    private func currentState() throws -> StoreState {
      guard let stamp = try StoreStamp.of(store) else {
        throw FunnelError(.noInput, "there is no longer a store at \(store.printable)")
      }
      if let known = state.withLock({ $0 }), known.stamp == stamp { return known }
      let reader = try StoreReader.openTolerating(store)
      let new = StoreState(stamp: stamp, hash: reader.hash, catalog: try schemas.catalog(store: store))
      state.withLock { $0 = new }
      return new
    }

    private static func response(
      _ answer: ResponseCache.Answer, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
      ServerResponse(status: answer.status, headers: Self.headers(ofType: answer.type) + headers, body: answer.body)
    }

    private static func headers(ofType type: String) -> [(name: String, value: String)] {
      [("Content-Type", type)] + (type == ServedType.page ? [("Content-Security-Policy", ServedScript.policy)] : [])
    }

    /// Returns bytes as lowercase hexadecimal digits.
    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
    }

    /// Returns the response of the health check: whether the store can be read.
    private func health() -> ServerResponse {
      do {
        _ = try currentState()
        return ServerResponse(status: 200, text: "ok", headers: [("Cache-Control", "no-store")])
      } catch {
        return ServerResponse(
          status: 503, text: "the store can't be read, see the server's messages", headers: [("Cache-Control", "no-store")])
      }
    }
  }

  extension ServedPath {
    /// Whether the response is an HTML page.
    fileprivate var isPage: Bool {
      switch self {
      case .flows, .allFlows, .flow, .login: true
      case .file, .health, .commit: false
      }
    }

    /// The media type of the response.
    fileprivate var type: String {
      switch self {
      case .file(_, .json): ServedType.json
      case .file(_, .csv): ServedType.csv
      case .flows, .allFlows, .flow, .health, .commit, .login: ServedType.page
      }
    }
  }

  // MARK: - Access control

  extension ReportService {
    private static let unauthorized = ServerResponse(
      status: 401, text: "a token is needed, send it as Authorization: Bearer TOKEN",
      headers: [("WWW-Authenticate", "Bearer"), ("Cache-Control", "no-store")])

    /// Whether a request may see reports: it has the token, or the server needs none.
    private func isAdmitted(_ request: ServerRequest) -> Bool { token?.admits(request) ?? true }

    /// Returns the login page.
    ///
    /// - Parameters:
    ///   - isWrong: Whether a wrong token was sent.
    ///   - target: The URL to open after the login, or `nil` for that of the request.
    private func login(_ request: ServerRequest, isWrong: Bool = false, target: String? = nil) -> ServerResponse {
      let asked = "/" + request.path.map(ServedRequest.escaped).joined(separator: "/")
      let page = MessagePage.login(target: target ?? asked + Self.query(request.parameters), isWrong: isWrong)
      return ServerResponse(
        status: isWrong ? 401 : 200,
        headers: [
          ("Content-Type", ServedType.page), ("Content-Security-Policy", ServedScript.policy), ("Cache-Control", "no-store"),
        ]
          + (isWrong ? [("WWW-Authenticate", "Bearer")] : []),
        body: Array(page.utf8))
    }

    /// Returns parameters as the query of a URL with its question mark, or an empty string if there are none.
    private static func query(_ parameters: [(name: String, value: String?)]) -> String {
      let pairs = parameters.map { name, value in
        ServedRequest.escaped(name) + (value.map { "=" + ServedRequest.escaped($0) } ?? "")
      }
      return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// Handles the login form: sets the session cookie and redirects to the requested page, or shows the form again.
    private func logIn(_ request: ServerRequest) throws -> ServerResponse {
      guard let token else { return Self.response(ReportRunner.message(404, "no token is needed here", isPage: true)) }
      switch request.method {
      case "GET", "HEAD": return login(request, target: "/")
      case "POST":
        let fields = URLText.parameters(String(decoding: request.body, as: UTF8.self)) ?? []
        func field(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        // To prevent an open redirect, the target must be a path, which starts with exactly one slash.
        let page = field("page")
        let isOwn =
          page.hasPrefix("/") && !page.hasPrefix("//")
          && page.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        let target = isOwn ? page : "/"
        guard token.isToken(field("token")) else { return login(request, isWrong: true, target: target) }
        return ServerResponse(
          status: 303, text: "see \(target)",
          headers: [
            ("Location", target), ("Cache-Control", "no-store"),
            ("Set-Cookie", "\(AccessToken.cookieName)=\(token.session); HttpOnly; SameSite=Strict; Path=/"),
          ])
      default:
        return ServerResponse(status: 405, text: "\(request.method): log in with POST", headers: [("Allow", "GET, HEAD, POST")])
      }
    }
  }
#endif
