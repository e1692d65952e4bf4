// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import FunnelModel
  import FunnelRendering
  import FunnelReports
  import FunnelServer

  extension ReportService {
    /// The response to a request for data without the token.
    static let unauthorized = ServerResponse(
      status: 401, text: "a token is needed, send it as Authorization: Bearer TOKEN",
      headers: [("WWW-Authenticate", "Bearer"), ("Cache-Control", "no-store")])

    /// Whether a request may see reports: it has the token, or the server needs none.
    func isAdmitted(_ request: ServerRequest) -> Bool { token?.admits(request) ?? true }

    /// Returns the login page.
    ///
    /// - Parameters:
    ///   - isWrong: Whether a wrong token was sent.
    ///   - target: The URL to open after the login, or `nil` for that of the request.
    func login(_ request: ServerRequest, isWrong: Bool = false, target: String? = nil) -> ServerResponse {
      let path = "/" + request.path.map(ServedRequest.escaped).joined(separator: "/")
      let page = MessagePage.login(target: target ?? path + Self.query(request.parameters), isWrong: isWrong)
      return ServerResponse(
        status: isWrong ? 401 : 200,
        headers: [
          ("Content-Type", ServedType.page), ("Content-Security-Policy", ServedScript.policy), ("Cache-Control", "no-store"),
        ]
          + (isWrong ? [("WWW-Authenticate", "Bearer")] : []),
        body: Array(page.utf8))
    }

    /// Returns parameters as the query of a URL with its question mark, or an empty string if there are none.
    static func query(_ parameters: [(name: String, value: String?)]) -> String {
      let pairs = parameters.map { name, value in
        ServedRequest.escaped(name) + (value.map { "=" + ServedRequest.escaped($0) } ?? "")
      }
      return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// Handles the login form: sets the session cookie and redirects to the requested page, or shows the form again.
    func logIn(_ request: ServerRequest) throws -> ServerResponse {
      guard let token else {
        return Self.response(MessageForm.page(otherPage: nil).response(404, "no token is needed here"))
      }
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
