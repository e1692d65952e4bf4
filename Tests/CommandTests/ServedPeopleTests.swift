#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// The pages behind the numbers of served reports: lists of people, and their events.
  @Suite struct ServedPeopleTests {
    private let place: TemporaryFolder
    private static let now = "2026-11-21T06:00:00Z"

    init() throws {
      place = try TemporaryFolder()
      #expect(
        try run(
          "simulate", "--flow", "all", "--subjects", "400", "--seed", "5", "--from", "2026-11-01", "--faults", "--output",
          "a.ndjson"
        ).status == 0)
      #expect(try run("ingest", "a.ndjson", "--store", "store", "--now", Self.now).status == 0)
    }

    private func run(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments, directory: URL(filePath: place.path))
    }

    /// Returns the lists of people that a page links to, each with the number that the link shows.
    private func lists(in page: String) throws -> [(target: String, count: Int)] {
      let numbers = page.matches(of: #/<a href="(\/people\?[^"]*)" class="people">(.*?)<\/a>/#).map {
        (String($0.1), String($0.2))
      }
      // The tooltip of a bar's part, such as `Photo access: 40 dropped`.
      let parts = page.matches(of: #/<a href="(\/people\?[^"]*)" aria-label="[^"]*: ([0-9,]+) [^":]*"/#).map {
        (String($0.1), String($0.2))
      }
      return try (numbers + parts).map { target, text in
        let digits = text.replacing(#/<[^>]*>/#, with: "").filter(\.isNumber)
        return (target.replacing("&amp;", with: "&"), try #require(Int(digits), "\(text)"))
      }
    }

    @Test(arguments: [
      ("cleaner/permissions_flow", "funnel", ""),
      ("cleaner/permissions_flow", "funnel", "&by=ctx.app_version&since=2026-11-05"),
      ("cleaner/permissions_flow", "grants", "&by=ctx.app_version"), ("cleaner/permissions_flow", "dropoff", "&by=day"),
      ("cleaner/permissions_flow", "dropoff", "&order=any"), ("trendy/onboarding", "grants", "&mature"),
      ("trendy/onboarding", "breaches", ""), ("trendy/onboarding", "breaches", "&by=ctx.variant"),
      ("trendy/onboarding", "dropoff", "&by=ctx.variant"), ("trendy/onboarding", "funnel", "&by=ctx.variant&order=any"),
      ("clarity/prosocial_challenge", "outcomes", "&by=props.type"),
      ("clarity/onboarding@2", "funnel", "&where=ctx.app_version!=1.0"),
    ])
    func `each number leads to as many people`(flow: String, report: String, options: String) throws {
      let server = try StoreServer(place)
      let page = try server.get("/flows/\(flow)/\(report)?now=\(Self.now)\(options)")
      #expect(page.status == 200)
      let lists = try lists(in: page.text)
      #expect(!lists.isEmpty, "\(page.text)")
      for (target, count) in lists {
        let file = try server.get(target.replacing("/people?", with: "/people.csv?"))
        #expect(file.status == 200 && file.header("content-type")?.hasPrefix("text/csv") == true, "\(target) \(file.text)")
        #expect(file.text.split(separator: "\n").count - 1 == count, "\(target)")
      }
    }

    @Test func `a person of a list leads to the events, with their properties`() throws {
      let server = try StoreServer(place)
      let list = try server.get("/people?flow=cleaner/permissions_flow&state=dropped&step=photos&now=\(Self.now)")
      #expect(list.status == 200)
      #expect(list.text.contains("dropped at Photo access"), "\(list.text)")
      #expect(list.text.contains("funnel groups dropped --flow cleaner/permissions_flow --step photos"), "\(list.text)")
      let link = try #require(list.text.firstMatch(of: #/<a href="(\/trace\?[^"]*)">/#).map { String($0.1) }, "\(list.text)")
      let trace = try server.get(link.replacing("&amp;", with: "&"))
      #expect(trace.status == 200)
      #expect(trace.text.contains("perm_photos_pre_prompt_shown") && trace.text.contains("anchor"), "\(trace.text)")
      #expect(trace.header("content-security-policy") != nil && trace.header("etag") != nil)
    }

    @Test func `all times of a list are in the time zone of the query, those of its file in UTC`() throws {
      let server = try StoreServer(place)
      let query = "flow=cleaner/permissions_flow&state=entered&since=2026-11-05&tz=Europe/Berlin&now=\(Self.now)"
      let page = try server.get("/people?\(query)").text
      #expect(page.contains(">Began (Europe/Berlin)<"), "\(page)")
      let text = page.replacing(#/<[^>]*>/#, with: "")
      #expect(text.contains("as of 2026-11-21 07:00 Europe/Berlin · since 2026-11-05 00:00"), "\(text)")
      #expect(!text.contains("UTC"), "\(text)")
      let file = try server.get("/people.csv?\(query)").text.split(separator: "\n").dropFirst()
      let first = try #require(file.first?.split(separator: ",", omittingEmptySubsequences: false)[2])
      let moment = try Date(first.prefix("2026-11-20T10:00:00".count) + "Z", strategy: .iso8601)
      // Berlin is an hour ahead of UTC in November.
      let local = moment.addingTimeInterval(3600).ISO8601Format().dropLast().replacing("T", with: " ")
      #expect(text.contains(local), "\(first) \(text)")
    }

    @Test func `a long list goes on at its next page, the newest people first`() throws {
      let server = try StoreServer(place)
      var target = "/people?flow=cleaner/permissions_flow&state=entered&now=\(Self.now)"
      let file = try server.get(target.replacing("/people?", with: "/people.csv?")).text.split(separator: "\n").dropFirst()
      let anchors = file.map { $0.split(separator: ",", omittingEmptySubsequences: false)[2] }
      #expect(anchors == anchors.sorted(by: >))
      var rows = 0
      while true {
        let page = try server.get(target).text
        rows += page.matches(of: #/<th scope="row">/#).count
        guard let next = page.firstMatch(of: #/<a href="([^"]*)" rel="next">/#).map({ String($0.1) }) else { break }
        target = next.replacing("&amp;", with: "&")
      }
      #expect(rows == file.count)
    }

    @Test(arguments: [
      ("/people?state=droped&flow=cleaner/permissions_flow", 400, "did you mean dropped?"),
      ("/people?state=dropped&step=fotos&flow=cleaner/permissions_flow", 400, "did you mean photos?"),
      ("/people?state=dropped&flow=cleaner/nowhere", 404, "there is no flow cleaner/nowhere"),
      ("/people?state=/etc/passwd&flow=cleaner/permissions_flow", 400, "no such state"),
      ("/people?flow=cleaner/permissions_flow", 400, "no state given"),
      ("/people?state=entered&start=-1&flow=cleaner/permissions_flow", 400, "start=-1"),
      ("/trace?subject=nobody", 404, "no event of this subject, nobody"), ("/trace", 400, "no person given"),
      ("/trace?subject=a&output=b", 400, "Unknown option"),
    ])
    func `an address that leads nowhere is told why`(target: String, status: Int, message: String) throws {
      let response = try StoreServer(place).get(target)
      #expect(response.status == status, "\(response.text)")
      #expect(response.text.contains(message), "\(response.text)")
    }
  }
#endif
