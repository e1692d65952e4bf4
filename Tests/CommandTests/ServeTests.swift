// The server is a trait of the package.
#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// `funnel serve` shows what `funnel report` prints, to those who may see it.
  @Suite struct ServeTests {
    private let place: TemporaryFolder
    private static let now = "2026-11-21T06:00:00Z"

    init() throws {
      place = try TemporaryFolder()
      let simulation = try run(
        "simulate", "--flow", "cleaner/permissions_flow", "--subjects", "200", "--seed", "3", "--from", "2026-11-08")
      try place.write(Array(simulation.output.utf8), to: "a.ndjson")
      #expect(try run("ingest", "a.ndjson", "--store", "store", "--now", Self.now).status == 0)
    }

    private func run(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments, directory: URL(filePath: place.path))
    }

    @Test func `files are the bytes of the report`() throws {
      let server = try StoreServer(place)
      let questions: [(String, [String])] = [
        ("", []), ("&by=ctx.app_version&since=7d", ["--by", "ctx.app_version", "--since", "7d"]), ("&mature", ["--mature"]),
        ("&mature=true&flow=cleaner/permissions_flow", ["--mature", "--flow", "cleaner/permissions_flow"]), ("&since=&by=", []),
        ("&where=ctx.app_version%3D3.1.0&order=any", ["--where", "ctx.app_version=3.1.0", "--order", "any"]),
      ]
      for name in ["funnel", "grants", "dropoff", "steps", "times", "access"] {
        for (query, options) in questions {
          let arguments = ["report", name, "--store", "store", "--now", Self.now] + options
          let directory = URL(filePath: place.path)
          let json = try server.get("/api/v1/report/\(name)?now=\(Self.now)\(query)")
          #expect(json.status == 200 && json.header("content-type") == "application/json")
          #expect(try json.text == FunnelRun(arguments: arguments + ["--format", "json"], directory: directory).output)
          let csv = try server.get("/api/v1/report/\(name).csv?now=\(Self.now)\(query)")
          #expect(try csv.text == FunnelRun(arguments: arguments + ["--format", "csv"], directory: directory).output)
        }
      }
    }

    @Test func `a page has the report, its controls, links and the command`() throws {
      let server = try StoreServer(place)
      let page = try server.get(
        "/flows/cleaner/permissions_flow?now=\(Self.now)&by=ctx.app_version&where=ctx.app_version!=3.1.0")
      #expect(page.status == 200)
      #expect(page.header("content-security-policy")?.contains("form-action 'self'") == true)
      for part in [
        "<select name=\"by\">", "<option value=\"ctx.app_version\" selected=\"selected\">", "name=\"since\"",
        "value=\"ctx.app_version!=3.1.0\"", "<input type=\"text\" name=\"now\" value=\"\(Self.now)\"",
        "href=\"/flows/cleaner/permissions_flow/times?now=2026-11-21T06:00:00Z",
        "href=\"/api/v1/report/funnel.csv?flow=cleaner/permissions_flow",
        "funnel report --flow cleaner/permissions_flow --now \(Self.now) --by ctx.app_version --where",
        "<h3>Permission answers</h3>",
      ] {
        #expect(page.text.contains(part), "\(part)")
      }
      let flows = try server.get("/")
      #expect(flows.text.contains("<a href=\"/flows/cleaner/permissions_flow@1\">"))
      #expect(try server.get("/flows/cleaner/permissions_flow@1/steps").status == 200)
      #expect(try server.get("/flows/cleaner/permissions_flow/next?after=perm:photos:denied").status == 200)
    }

    @Test func `controls offer what the log has, and take back what was asked`() throws {
      let server = try StoreServer(place)
      let page = try server.get(
        "/flows/cleaner/permissions_flow?by=ctx.app_version&by=day&where=ctx.country=DE&where=ctx.variant=A&tz=Europe/Berlin"
      ).text
      for part in [
        "<option value=\"cleaner/permissions_flow\" selected=\"selected\">", "<option value=\"ctx.app_version=3.1.0\">",
        "<option value=\"day\" selected=\"selected\">", "name=\"where\" value=\"ctx.country=DE\"",
        "name=\"where\" value=\"ctx.variant=A\"", "name=\"tz\" value=\"Europe/Berlin\"", "name=\"order\"", "name=\"count-by\"",
      ] {
        #expect(page.contains(part), "\(part)")
      }
      // Each repeatable option has one control more than it was asked.
      #expect(page.components(separatedBy: "<select name=\"by\">").count == 4)
      #expect(page.components(separatedBy: "name=\"where\"").count == 4)
      #expect(!page.contains("type=\"hidden\""))
      let flows = try server.get("/?since=7d&now=\(Workplace.now)").text
      #expect(flows.contains("name=\"since\" value=\"7d\"") && flows.contains("permissions_flow@1?since=7d&amp;now="))
      #expect(try server.get("/?by=ctx.variant").text.contains("<h2>Flows</h2>"))
    }

    @Test func `controls offer a key where people have it`() throws {
      let languages = (0..<20).map { number -> String in
        func event(_ step: String, _ second: Int, _ more: String = "") -> String {
          "{\"app\":\"smilepile\",\"name\":\"step_viewed\",\"step\":\"\(step)\",\"subject\":\"p\(number)\",\"ts\":\"2026-11-20T10:00:0\(second)Z\"\(more)}\n"
        }
        let props = ",\"props\":{\"language\":\"\(number % 2 == 0 ? "de" : "en")\"}"
        return event("welcome", 0, ",\"ctx\":{\"variant\":\"\(number % 2)\"}") + event("categories", 1, props)
      }
      try place.write(Array(languages.joined().utf8), to: "languages.ndjson")
      #expect(try run("ingest", "languages.ndjson", "--store", "store", "--now", Self.now).status == 0)
      let server = try StoreServer(place)
      let page = try server.get("/flows/smilepile/onboarding@2?now=\(Self.now)").text
      #expect(page.contains("<option value=\"step.categories.props.language\">"))
      #expect(page.contains("<option value=\"ctx.variant\">"))
      #expect(!page.contains("<option value=\"props.language\">"))
      // What only other flows have would have no value here.
      #expect(!page.contains("<option value=\"ctx.app_version\">"))
      let rows = try server.get(
        "/api/v1/report/funnel?flow=smilepile/onboarding@2&by=step.categories.props.language&now=\(Self.now)")
      #expect(rows.text.contains("\"step.categories.props.language\":\"de\"") && !rows.text.contains("language\":null"))
    }

    @Test func `internal subjects are left out as soon as they are listed, and no value of an address is a file`() throws {
      let server = try StoreServer(place)
      let target = "/api/v1/report/funnel?now=\(Self.now)"
      let all = try server.get(target)
      try place.write(Array("*\n".utf8), to: "store/internal.txt")
      let none = try server.get(target, headers: ["If-None-Match: \(all.header("etag") ?? "")"])
      #expect(none.status == 200 && none.text != all.text)
      #expect(try server.get(target + "&internal").text == all.text)
      try place.write(Array("DE\n".utf8), to: "countries.txt")
      let named = try server.get("/flows/cleaner/permissions_flow?internal=true&where=ctx.country=@countries.txt")
      #expect(named.status == 200 && named.text.contains("where <code>ctx.country=@countries.txt</code>"))
      #expect(named.text.contains("--where &#39;ctx.country=\\@countries.txt&#39;") || named.text.contains("=\\@countries.txt"))
    }

    @Test func `another flow in the question is another page`() throws {
      let server = try StoreServer(place)
      func location(_ target: String) throws -> String? {
        let answer = try server.get(target)
        return answer.status == 303 ? answer.header("location") : nil
      }
      let flow = "/flows/cleaner/permissions_flow"
      #expect(try location("\(flow)?flow=cleaner/permissions_flow@1&since=7d&by=") == "\(flow)@1?since=7d")
      #expect(try location("\(flow)@1/trend?every=week&flow=cleaner/permissions_flow") == "\(flow)/trend?every=week")
      #expect(
        try location("\(flow)/next?after=perm:photos:denied&flow=trendy/onboarding")
          == "/flows/trendy/onboarding/next?after=step:welcome")
      // Without a present of its own the page changes with the minute.
      let now = "now=\(Self.now)"
      #expect(try server.get("\(flow)?flow=cleaner/permissions_flow&\(now)").body == server.get("\(flow)?\(now)").body)
      #expect(try server.get("\(flow)?flow=cleaner/nope").status == 404)
      #expect(try server.get("\(flow)?flow=nope").status == 400)
    }

    @Test func `an answer has a tag, and is not sent again`() throws {
      let server = try StoreServer(place)
      let target = "/flows/cleaner/permissions_flow?now=\(Self.now)"
      let first = try server.get(target)
      let tag = try #require(first.header("etag"))
      let again = try server.get(target, headers: ["If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty)
      // A browser applies the headers of this response to the page that it kept.
      let names = ["content-security-policy", "content-type", "etag", "cache-control", "vary", "x-frame-options"]
      for name in names { #expect(again.header(name) == first.header(name) && first.header(name) != nil, "\(name)") }
      for target in ["/", "/api/v1/report/funnel?now=\(Self.now)", "/api/v1/report/funnel.csv?now=\(Self.now)"] {
        let whole = try server.get(target)
        guard whole.status == 200, let tag = whole.header("etag") else { continue }
        let unchanged = try server.get(target, headers: ["If-None-Match: \(tag)"])
        #expect(unchanged.status == 304)
        for name in names { #expect(unchanged.header(name) == whole.header(name), "\(target) \(name)") }
      }
      #expect(try server.get(target).body == first.body)
      #expect(try server.get(target + "&mature").header("etag") != tag)
      try place.write(
        Array(#"{"name":"perm_flow_start","ts":"2026-11-20T10:00:00Z","subject":"new","app":"cleaner"}"#.utf8), to: "b.ndjson")
      #expect(try run("ingest", "b.ndjson", "--store", "store", "--now", Self.now).status == 0)
      let changed = try server.get(target, headers: ["If-None-Match: \(tag)"])
      #expect(changed.status == 200 && changed.header("etag") != tag && changed.body != first.body)
    }

    @Test(arguments: [
      ("/nope", 404), ("/flows/cleaner/nope", 404), ("/flows/cleaner/permissions_flow@9", 404), ("/flows/x", 404),
      ("/api/v1/report/nope", 404), ("/api/v1/report/funnel?flow=cleaner/nope", 404), ("/api/v1/report/funnel?bogus=1", 400),
      ("/api/v1/report/funnel?since=tomorrow", 400), ("/api/v1/report/funnel?store=/etc", 400),
      ("/api/v1/report/funnel?output=/tmp/x", 400), ("/api/v1/report/funnel?format=csv", 400), ("/api/v1/report/next", 400),
      ("/flows/cleaner/permissions_flow?mature=maybe", 400), ("/flows/cleaner/permissions_flow?by=nope", 400),
      ("/flows/cleaner/permissions_flow?window=0s", 400), ("/api/v1/report/funnel?window=0s", 400),
      ("/api/v1/report/funnel?by=--output%3D/tmp/x", 400), ("/healthz", 200), ("/healthz/", 404), ("//", 404),
    ])
    func `what can't be asked is refused`(target: String, status: Int) throws {
      let server = try StoreServer(place)
      #expect(try server.get(target).status == status)
    }

    @Test func `a failure is not kept`() throws {
      let server = try StoreServer(place)
      #expect(try server.get("/healthz").status == 200)
      let target = "/api/v1/report/funnel?now=\(Self.now)"
      let file = URL(filePath: place.path("store/schemas/broken.json"))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("{".utf8).write(to: file)
      #expect(try server.get(target).status == 500)
      try FileManager.default.removeItem(at: file)
      #expect(try server.get(target).status == 200)
    }

    @Test func `a bad value has the message of the command line`() throws {
      let server = try StoreServer(place)
      let answer = try server.get("/api/v1/report/funnel?since=tomorrow&now=\(Self.now)")
      let command = try run("report", "funnel", "--store", "store", "--since", "tomorrow", "--now", Self.now)
      #expect("funnel: " + answer.text == command.errors)
      for query in ["since=tomorrow", "bogus=1"] {
        let page = try server.get("/flows/cleaner/permissions_flow/trend?\(query)")
        #expect(
          page.status == 400 && page.text.contains("href=\"/flows/cleaner/permissions_flow/trend\">Change the options</a>"))
        #expect(
          page.text.contains(#/<p>An option in the address [^<]*<\/p>\n<p><code>[^<]+<\/code><\/p>/#),
          "\(page.text)")
      }
    }

    @Test func `the way out of a refusal never leads to what was refused`() throws {
      let server = try StoreServer(place)
      let flow = "/flows/cleaner/permissions_flow"
      for target in [
        "\(flow)?since=tomorrow", "\(flow)/next", "\(flow)/next?after=nope:", "\(flow)/next?since=tomorrow", "\(flow)/trend",
        "\(flow)/trend?every=nope", "\(flow)?after=step:photos",
      ] {
        let page = try server.get(target)
        guard page.status == 400 else { continue }
        let links = page.text.matches(of: /href="([^"]*)"/).map { String($0.1).replacingOccurrences(of: "&amp;", with: "&") }
        #expect(!links.isEmpty && !links.contains(target), "\(target): \(links)")
        for link in links { #expect(try server.get(link).status == 200, "\(target): \(link)") }
      }
    }

    @Test func `only reading, and only by the server's own name`() throws {
      let server = try StoreServer(place, "--host", "funnel.example.org")
      for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "BREW"] {
        let answer = try LoopbackClient.response(method, "/", port: server.port)
        #expect(answer.status == 405 && answer.header("allow") == "GET, HEAD", "\(method)")
        #expect(try LoopbackClient.response(method, "/nope", port: server.port).status == 405, "\(method)")
      }
      #expect(try LoopbackClient.response("HEAD", "/", port: server.port).status == 200)
      #expect(try server.get("/healthz", host: "localhost:\(server.port)").status == 200)
      #expect(try server.get("/healthz", host: "funnel.example.org").status == 200)
      #expect(try server.get("/healthz", host: "evil.example").status == 421)
      #expect(try server.get("/healthz", host: "127.0.0.1:1").status == 421)
      #expect(try server.get("/healthz", host: "a b").status == 400)
      #expect(try server.get("/healthz", host: "").status == 400)
      #expect(try server.get("/healthz", headers: ["Host: localhost:\(server.port)"]).status == 400)
    }

    @Test func `with a token everything but the health asks for it`() throws {
      try place.write(Array("a secret token\n".utf8), to: "token")
      chmod(place.path("token"), 0o600)
      let server = try StoreServer(place, "--token-file", "token")
      #expect(try server.get("/healthz").status == 200)
      let api = try server.get("/api/v1/report/funnel")
      #expect(api.status == 401 && api.header("www-authenticate") == "Bearer")
      #expect(try server.get("/api/v1/report/funnel", headers: ["Authorization: Bearer wrong"]).status == 401)
      #expect(try server.get("/api/v1/report/funnel", headers: ["Authorization: Bearer a secret token"]).status == 200)
      let form = try server.get("/flows/cleaner/permissions_flow?since=7d")
      #expect(form.text.contains("type=\"password\"") && !form.text.contains("<h3>"))
      #expect(try server.get("/nope").text.contains("type=\"password\""))
      #expect(try server.post("/login", "token=wrong&page=/").status == 401)
      let login = try server.post("/login", "token=a+secret+token&page=%2Fflows%2Fcleaner%2Fpermissions_flow%3Fsince%3D7d")
      #expect(login.status == 303 && login.header("location") == "/flows/cleaner/permissions_flow?since=7d")
      let cookie = try #require(login.header("set-cookie"))
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("secret"))
      let pair = String(cookie.prefix { $0 != ";" })
      #expect(try server.get("/flows/cleaner/permissions_flow", headers: ["Cookie: a=b; \(pair)"]).text.contains("<h3>"))
      #expect(
        try server.get("/flows/cleaner/permissions_flow", headers: ["Cookie: \(pair)x"]).text.contains("type=\"password\""))
      #expect(try server.post("/login", "token=a+secret+token&page=//evil.example/").header("location") == "/")
    }

    @Test func `a start that would expose the store is refused`() throws {
      try place.write(Array("t\n".utf8), to: "open-token")
      chmod(place.path("open-token"), 0o644)
      try place.write(Array("\n".utf8), to: "empty-token")
      chmod(place.path("empty-token"), 0o600)
      #expect(try run("serve", "--store", "store", "--listen", "0.0.0.0:0").status == 64)
      #expect(try run("serve", "--store", "store", "--listen", "nonsense").status == 64)
      #expect(try run("serve", "--store", "store", "--token-file", "open-token").status == 78)
      #expect(try run("serve", "--store", "store", "--token-file", "empty-token").status == 78)
      #expect(try run("serve", "--store", "store", "--token-file", "none").status == 66)
      #expect(try run("serve", "--store", "nope").status == 66)
      let server = try StoreServer(place)
      #expect(try run("serve", "--store", "store", "--listen", "127.0.0.1:\(server.port)").status == 74)
    }

    @Test func `many ask at once, and all get what one would`() async throws {
      let server = try StoreServer(place)
      let port = server.port
      let expected = try server.get("/api/v1/report/funnel?now=\(Self.now)").body
      try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for number in 0..<24 {
          let query = number % 2 == 0 ? "" : "&window=7d"
          group.addTask { try LoopbackClient.response("GET", "/api/v1/report/funnel?now=\(Self.now)\(query)", port: port).body }
        }
        var bodies: Set<[UInt8]> = []
        for try await body in group { bodies.insert(body) }
        #expect(bodies.count == 2 && bodies.contains(expected))
      }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `a process that ends is replaced, and a killed server leaves none behind`() throws {
      let server = try StoreServer(place)
      let target = "/api/v1/report/funnel?now=\(Self.now)&since="
      #expect(try server.get(target + "2026-11-08").status == 200)
      let workers = try Self.children(of: server.process.processIdentifier)
      #expect(!workers.isEmpty)
      for worker in workers { kill(worker, SIGKILL) }
      for day in 10..<14 { #expect(try server.get(target + "2026-11-\(day)").status == 200) }
      let others = try Self.children(of: server.process.processIdentifier)
      #expect(!others.isEmpty && Set(others).isDisjoint(with: workers))
      kill(server.process.processIdentifier, SIGKILL)
      server.process.waitUntilExit()
      // A process that nobody asks any more ends by itself.
      for _ in 0..<500 where others.contains(where: { kill($0, 0) == 0 }) { usleep(20_000) }
      #expect(others.allSatisfy { kill($0, 0) != 0 })
    }

    /// The processes that a process has started and that have not ended.
    private static func children(of process: Int32) throws -> [Int32] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
        guard let number = Int32(name), let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
          let words = text.split(separator: ")").last?.split(separator: " "), words.count > 1
        else { return nil }
        return words[0] != "Z" && Int32(words[1]) == process ? number : nil
      }
    }

    @Test func `the signal of a service manager ends it at once`() throws {
      let server = try StoreServer(place)
      let start = Date.now
      server.process.terminate()
      server.process.waitUntilExit()
      #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
      #expect(Date.now.timeIntervalSince(start) < 5)
    }
  }
#endif
