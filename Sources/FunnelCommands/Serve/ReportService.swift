// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import FunnelModel
  import FunnelServer
  import FunnelStore
  import FunnelSystem

  /// The HTTP service of `funnel serve`: the reports of a store as HTML pages, JSON and CSV.
  ///
  /// The service checks requests and caches responses until the store has a new commit. Worker processes
  /// compute the reports (``ReportRunner``).
  final class ReportService: ServerService {
    let store: String
    private let schemas: SchemaOption
    private let hostCheck: HostCheck
    let token: AccessToken?
    let runner: ReportRunner
    let cache = ResponseCache(bytesMax: ReportService.cacheBytesMax)
    let present: @Sendable () throws -> Timestamp
    private let state: Guarded<StoreState?>

    /// The largest total size of the cached responses, in bytes.
    private static let cacheBytesMax = 64 << 20

    /// The cached state of the store, valid while its stamp is unchanged.
    struct StoreState {
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
        return try await checkedResponse(to: request)
      } catch is CancellationError {
        return ServerResponse(status: 503, text: "nobody waits for it")
      } catch let error as FunnelError {
        Console.printError(error.message)
        let form = ServedPath(request.path)?.messageForm ?? .page(otherPage: nil)
        return Self.response(form.response(500, error.message))
      } catch {
        Console.printError("\(request.method) /\(request.path.joined(separator: "/")): \(error)".printable)
        return ServerResponse(status: 500, text: "something went wrong, see the server's messages")
      }
    }

    /// Checks a request and returns its response.
    private func checkedResponse(to request: ServerRequest) async throws -> ServerResponse {
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
        let text = "/\(request.path.joined(separator: "/")): there is no such page"
        return Self.response(MessageForm.page(otherPage: nil).response(404, text))
      }
      if case .health = path { return health() }
      guard isAdmitted(request) else { return path.isPage ? login(request) : Self.unauthorized }
      if case .commit = path {
        return ServerResponse(status: 200, text: try currentState().hash, headers: [("Cache-Control", "no-store")])
      }
      return try await reportResponse(path, request)
    }
  }

  extension ReportService {
    /// Returns the state of the store. Reads it again only after a commit.
    func currentState() throws -> StoreState {
      guard let stamp = try StoreStamp.of(store) else {
        throw FunnelError(.noInput, "there is no longer a store at \(store.printable)")
      }
      if let known = state.withLock({ $0 }), known.stamp == stamp { return known }
      let reader = try StoreReader.openTolerating(store)
      let new = StoreState(stamp: stamp, hash: reader.hash, catalog: try schemas.catalog(store: store))
      state.withLock { $0 = new }
      return new
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

    /// Returns a computed response as that of the server.
    static func response(
      _ response: ResponseCache.Response, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
      ServerResponse(status: response.status, headers: Self.headers(ofType: response.type) + headers, body: response.body)
    }

    /// Returns the headers of a page or a file.
    static func headers(ofType type: String) -> [(name: String, value: String)] {
      [("Content-Type", type)] + (type == ServedType.page ? [("Content-Security-Policy", ServedScript.policy)] : [])
    }
  }
#endif
