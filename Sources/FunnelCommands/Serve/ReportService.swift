// The server is a trait of the package: without it, SwiftNIO need not be built.
#if FUNNEL_SERVER
  import Crypto
  import FunnelModel
  import FunnelReports
  import FunnelSchemas
  import FunnelServer
  import FunnelStore
  import FunnelSystem

  /// Serves the reports of a store: pages for people, JSON and CSV for programs.
  ///
  /// It computes nothing itself (``ReportRunner``): it checks requests, and keeps answers as long as the store has no new commit.
  final class ReportService: ServerService {
    private let store: String
    private let schemas: SchemaOption
    private let address: ServerAddress
    private let names: Set<String>
    private let token: AccessToken?
    private let runner: ReportRunner
    private let cache = ResponseCache(bytesMax: 64 << 20)
    private let present: @Sendable () throws -> Timestamp
    private let state: Guarded<StoreState?>

    /// What is known of the store as of a stamp.
    private struct StoreState {
      let stamp: StoreStamp
      let hash: String
      let catalog: FlowCatalog
    }

    /// - Parameters:
    ///   - names: Further names that the server may be called by.
    ///   - present: Returns the present.
    init(
      store: String, schemas: SchemaOption, address: ServerAddress, names: [String], token: AccessToken?, runner: ReportRunner,
      present: @escaping @Sendable () throws -> Timestamp
    ) {
      (self.store, self.schemas, self.address, self.token) = (store, schemas, address, token)
      self.names = Set(names.map { $0.lowercased() })
      (self.runner, self.present) = (runner, present)
      state = Guarded(nil)
    }

    func response(to request: ServerRequest) async -> ServerResponse {
      do {
        return try await answer(request)
      } catch is CancellationError {
        return ServerResponse(status: 503, text: "nobody waits for it")
      } catch let error as FunnelError {
        Console.complain(error.message)
        return Self.response(ReportRunner.message(500, error.message, isPage: ServedPath(request.path)?.isPage ?? true))
      } catch {
        Console.complain("\(request.method) /\(request.path.joined(separator: "/")): \(error)".printable)
        return ServerResponse(status: 500, text: "something went wrong, see the server's messages")
      }
    }

    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
      if let refusal = refusal(ofHost: request.headers(named: "host")) { return refusal }
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
      // Another version of the program may answer otherwise, and so does another list of internal subjects.
      let key =
        ([FunnelVersion.current, state.hash, try internalListHash(), path.description, question.query] + dated.arguments)
        .joined(separator: "\n")
      let tag = "\"\(Self.hexadecimal(SHA256.hash(data: Array(key.utf8)).prefix(16)))\""
      let headers = [("ETag", tag), ("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Cookie")]
      // A cache replaces the headers of what it kept by those of this response (RFC 9111, 4.3.4), so they are those of the page itself.
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

    /// Returns a hash of the store's list of internal subjects, which people edit without a commit; empty if there is none.
    private func internalListHash() throws(FunnelError) -> String {
      let path = StoragePath(store).inside(InternalSubjects.fileName)
      let disk = LocalFileSystem()
      guard try disk.status(of: path) != nil else { return "" }
      return Self.hexadecimal(SHA256.hash(data: try disk.readAll(path, bytesMax: Limits.valueListBytesMax)))
    }

    /// Returns the command that computes a page or a file.
    ///
    /// - Parameter dated: The question with the present in it.
    private static func arguments(_ path: ServedPath, _ question: ServedRequest, _ dated: ServedRequest) -> [String] {
      // An option without a value is a mistake on a command line.
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

    /// Returns a message if the path or the question names a flow that there is not.
    private func missingFlow(_ path: ServedPath, _ question: ServedRequest, in catalog: FlowCatalog) -> String? {
      var flows = question.values(of: "flow").compactMap { FlowReference($0) }
      if case .flow(let flow, _) = path { flows.append(flow) }
      guard let missing = flows.first(where: { catalog.indices(of: $0).isEmpty }) else { return nil }
      let hint = catalog.nearestReference(to: missing).map { ", did you mean \($0)?" } ?? ""
      return "there is no flow \(missing)\(hint)"
    }

    /// Returns the flow that a page's question names last, if it is another one than the page's.
    private func otherFlow(than flow: FlowReference, in question: ServedRequest) -> FlowReference? {
      guard let last = question.values(of: "flow").last, let other = FlowReference(last), other != flow else { return nil }
      return other
    }

    /// Returns the address of a page that answers where a question about another one is refused: the same report without options, or the
    /// flow's overview where that is what was refused; nil if there is none.
    private func otherPage(than path: ServedPath, query: String, in catalog: FlowCatalog) -> String? {
      let refused = path.description + query
      switch path {
      case .flow(let flow, let report):
        var question = ServedRequest.ofFlow(flow).without(["flow"])
        if report == NextReport.name, let first = firstStep(of: flow, in: catalog) {
          question = question.adding("after", first)
        }
        let pages = [path.description + question.query, ServedPath.flow(flow, report: nil).description]
        return pages.first { $0 != refused }
      case .flows, .allFlows: return path.description == refused ? nil : path.description
      case .file, .health, .commit, .login: return nil
      }
    }

    /// Returns the first step of a flow, as an option names it.
    private func firstStep(of flow: FlowReference, in catalog: FlowCatalog) -> String? {
      catalog.indices(of: flow).last.flatMap { catalog.definitions[$0].steps.first?.id }.map { "step:\($0)" }
    }

    /// Returns the page of another flow with the same question, as far as it can be asked there.
    private func target(
      of flow: FlowReference, report: String?, _ question: ServedRequest, from old: FlowReference, in catalog: FlowCatalog
    ) -> String {
      let isSame = (flow.app, flow.flow) == (old.app, old.flow)
      // Steps are another flow's own.
      var question = question.without(isSame ? ["flow"] : ["flow", "after", "steps", "exclude"])
      var report = report
      if report == NextReport.name, question.values(of: "after").isEmpty {
        if let first = firstStep(of: flow, in: catalog) { question = question.adding("after", first) } else { report = nil }
      }
      return ServedPath.flow(flow, report: report).description + question.query
    }

    private static func redirection(to target: String) -> ServerResponse {
      ServerResponse(status: 303, text: "see \(target)", headers: [("Location", target), ("Cache-Control", "no-store")])
    }

    /// The present, cut to the minute, so that the same question is the same for a while.
    private func minute() throws -> Timestamp {
      let now = try present().milliseconds
      return Timestamp(milliseconds: now - now % 60_000)
    }

    /// Returns the state of the store; it is read again when there was a commit.
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

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
    }

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
    fileprivate var isPage: Bool {
      switch self {
      case .flows, .allFlows, .flow, .login: true
      case .file, .health, .commit: false
      }
    }

    fileprivate var type: String {
      switch self {
      case .file(_, .json): ServedType.json
      case .file(_, .csv): ServedType.csv
      case .flows, .allFlows, .flow, .health, .commit, .login: ServedType.page
      }
    }
  }

  // MARK: - Who may ask

  extension ReportService {
    private static let unauthorized = ServerResponse(
      status: 401, text: "a token is needed, send it as Authorization: Bearer TOKEN",
      headers: [("WWW-Authenticate", "Bearer"), ("Cache-Control", "no-store")])

    /// Returns a refusal if a request is for another server, as with DNS rebinding, or names none.
    private func refusal(ofHost hosts: [String]) -> ServerResponse? {
      guard hosts.count == 1, let named = ServerAddress.named(byHeader: hosts[0]) else {
        return ServerResponse(status: 400, text: "exactly one valid Host header is needed")
      }
      let isOwn =
        named.host == address.host && named.port == address.port
        || named.host == "localhost" && address.isLoopback && named.port == address.port
        || names.contains(named.host) || names.contains(named.description)
      return isOwn
        ? nil
        : ServerResponse(
          status: 421, text: "this server is not called \(hosts[0].printable), start it with --host to allow this name")
    }

    private func isAdmitted(_ request: ServerRequest) -> Bool { token?.admits(request) ?? true }

    /// Returns the form that asks for the token.
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

    private static func query(_ parameters: [(name: String, value: String?)]) -> String {
      let pairs = parameters.map { name, value in
        ServedRequest.escaped(name) + (value.map { "=" + ServedRequest.escaped($0) } ?? "")
      }
      return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// Answers the login form: with the cookie and the page that was asked for, or with the form again.
    private func logIn(_ request: ServerRequest) throws -> ServerResponse {
      guard let token else { return Self.response(ReportRunner.message(404, "no token is needed here", isPage: true)) }
      switch request.method {
      case "GET", "HEAD": return login(request, target: "/")
      case "POST":
        let fields = URLText.parameters(String(decoding: request.body, as: UTF8.self)) ?? []
        func field(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        // A page of this server: a path that begins with one slash.
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
