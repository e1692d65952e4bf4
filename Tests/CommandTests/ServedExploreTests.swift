#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// The served page that builds funnels, paths, and the triangle of retention.
  @Suite struct ServedExploreTests {
    private let place: TemporaryFolder
    private static let now = "2026-11-21T06:00:00Z"

    init() throws {
      place = try TemporaryFolder()
      #expect(
        try run(
          "simulate", "--flow", "cleaner/permissions_flow", "--subjects", "200", "--seed", "7", "--from", "2026-11-01",
          "--output", "a.ndjson"
        ).status == 0)
      #expect(try run("ingest", "a.ndjson", "--store", "store", "--now", Self.now).status == 0)
    }

    private func run(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments, directory: URL(filePath: place.path))
    }

    /// Returns the targets of the links of a page whose text matches.
    private func targets(of text: String, in page: String) -> [String] {
      page.matches(of: #/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/#).filter { $0.2 == text }.map {
        String($0.1).replacing("&amp;", with: "&")
      }
    }

    @Test func `a funnel is built by links alone`() throws {
      let server = try StoreServer(place)
      let empty = try server.get("/explore?now=\(Self.now)")
      #expect(empty.status == 200 && empty.text.contains("Explore cleaner"), "\(empty.text)")
      #expect(empty.text.contains("perm_flow_start") && empty.text.contains("Add the first step"))
      // Each event leads to the people who have it.
      let events = empty.text.matches(of: #/<th scope="row">([a-z_:]+)<\/th>\s*<td><a href="([^"]*)">([0-9,]+)<\/a>/#)
      #expect(!events.isEmpty, "\(empty.text)")
      for event in events {
        let target = String(event.2).replacing("&amp;", with: "&").replacing("/people?", with: "/people.csv?")
        let list = try server.get(target)
        let count = Int(event.3.filter(\.isNumber))
        #expect(list.status == 200 && list.text.split(separator: "\n").count - 1 == count, "\(target) \(list.text)")
      }
      var page = empty
      for _ in 0..<3 {
        let add = try #require(targets(of: "Add", in: page.text).first)
        page = try server.get(add)
        #expect(page.status == 200, "\(add) \(page.text)")
      }
      #expect(page.text.contains("<ol>") && page.text.contains("entered"), "\(page.text)")
      for change in ["Earlier", "Later", "Remove"] {
        let target = try #require(targets(of: change, in: page.text).first, "\(change)")
        #expect(try server.get(target).status == 200)
      }
      // The steps work on the pages of a flow, and as files.
      for target in targets(of: "funnel as JSON", in: page.text) + targets(of: "funnel as CSV", in: page.text) {
        #expect(try server.get(target).status == 200, "\(target)")
      }
      let steps = "steps=perm_flow_start,perm:photos:granted&now=\(Self.now)"
      for path in ["/flows/cleaner/permissions_flow", "/flows/cleaner/permissions_flow/funnel"] {
        let page = try server.get("\(path)?\(steps)")
        #expect(page.status == 200 && page.text.contains("perm:photos:granted"), "\(page.text)")
      }
      let compared = try server.get("/flows/cleaner/permissions_flow/compare?\(steps)&by=ctx.app_version")
      #expect(compared.status == 200, "\(compared.text)")
    }

    @Test func `a step that no event has is a sentence, and the page stands`() throws {
      let server = try StoreServer(place)
      let page = try server.get("/explore?app=cleaner&steps=perm_flow_strt,perm_flow_completed&now=\(Self.now)")
      #expect(page.status == 200)
      #expect(page.text.contains("did you mean perm_flow_start?"), "\(page.text)")
      #expect(try server.get("/explore?steps=A,B&now=\(Self.now)").status == 400)
    }

    @Test func `an app that is not in the log is not found, and the nearest is named`() throws {
      try place.write(
        Array(#"{"name":"go","subject":"ann","app":"shop","ts":"2026-11-02T10:00:00Z"}"#.utf8 + [0x0A]), to: "shop.ndjson")
      #expect(try run("ingest", "shop.ndjson", "--store", "store", "--now", Self.now).status == 0)
      let server = try StoreServer(place)
      for steps in ["", "&steps=perm_flow_start"] {
        let near = try server.get("/explore?app=cleanr\(steps)&now=\(Self.now)")
        #expect(near.status == 404, "\(near.text)")
        #expect(near.text.contains("there is no app cleanr in the log, did you mean cleaner?"), "\(near.text)")
        let far = try server.get("/explore?app=nobody\(steps)&now=\(Self.now)")
        #expect(far.status == 404, "\(far.text)")
        #expect(far.text.contains("there is no app nobody in the log, it has cleaner, shop"), "\(far.text)")
      }
      // A page without people describes its own app alone.
      let empty = try server.get("/explore?app=shop&steps=perm_flow_start,perm_flow_completed&now=\(Self.now)")
      #expect(empty.status == 200 && empty.text.contains("1 event of app shop"), "\(empty.text)")
      #expect(!empty.text.contains("of app cleaner") && !empty.text.contains("left out by"), "\(empty.text)")
    }

    @Test func `paths go both ways, to a depth and to a goal`() throws {
      let server = try StoreServer(place)
      let flow = "/flows/cleaner/permissions_flow/next"
      let after = try server.get("\(flow)?after=perm_flow_start&depth=2&now=\(Self.now)")
      #expect(after.status == 200 && after.text.contains("--steps 2"), "\(after.text)")
      #expect(after.text.contains(#"<p class="headline">After perm_flow_start, <strong>"#), "\(after.text)")
      let before = try server.get("\(flow)?before=perm_flow_completed&goal=perm_flow_start&now=\(Self.now)")
      #expect(before.status == 200 && before.text.contains("Before perm_flow_completed"), "\(before.text)")
      for target in targets(of: "next as JSON", in: after.text) { #expect(try server.get(target).status == 200, "\(target)") }
    }

    @Test func `saved views are a menu, and those that lead nowhere are sentences`() throws {
      let server = try StoreServer(place)
      let flow = "/flows/cleaner/permissions_flow?now=\(Self.now)"
      let before = try server.get(flow)
      #expect(!before.text.contains("Saved views"))
      try place.write(
        Array(
          """
          name,address
          Monday,/flows/cleaner/permissions_flow?since=7d
          Old,/flows/cleaner/gone
          Elsewhere,//example.org/
          <b>Bold</b>,/nothing
          broken
          """.utf8), to: "store/views.csv")
      for path in [flow, "/?now=\(Self.now)", "/explore?now=\(Self.now)"] {
        let page = try server.get(path)
        #expect(page.status == 200 && page.text.contains("Saved views"), "\(page.text)")
        #expect(targets(of: "Monday", in: page.text) == ["/flows/cleaner/permissions_flow?since=7d"])
        #expect(page.text.contains("there is no flow cleaner/gone"))
        #expect(page.text.contains("must start with a single /") && !page.text.contains("//example.org"))
        #expect(page.text.contains("&lt;b&gt;Bold") && page.text.contains("there is no page /nothing"))
        #expect(page.text.contains("1 line of views.csv is skipped"))
      }
    }

    @Test func `each share of retention leads to as many people`() throws {
      let server = try StoreServer(place)
      let page = try server.get(
        "/flows/cleaner/permissions_flow/retention?every=day&periods=4&return=perm_flow_completed&now=\(Self.now)")
      #expect(page.status == 200, "\(page.text)")
      let json = try server.get(
        "/api/v1/report/retention?flow=cleaner/permissions_flow&every=day&periods=4&return=perm_flow_completed&now=\(Self.now)")
      let root = try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
      let row = try #require((root["retention"] as? [[String: Any]])?.first)
      var counts: [String: Int] = [:]
      for cohort in try #require(row["cohorts"] as? [[String: Any]]) {
        for period in try #require(cohort["periods"] as? [[String: Any]]) {
          guard let number = period["period"] as? Int, let returned = period["returned"] as? Int, returned > 0 else { continue }
          counts["\(cohort["bucket"] as? String ?? "") \(number)"] = returned
        }
      }
      let links = Set(page.text.matches(of: #/<a href="(\/people\?[^"]*)" class="people">/#).map { String($0.1) })
      #expect(links.count == counts.count, "\(page.text)")
      for link in links {
        let target = link.replacing("&amp;", with: "&")
        let options = Dictionary(
          target.split(separator: "?")[1].split(separator: "&").map { pair in
            (String(pair.split(separator: "=")[0]), String(pair.split(separator: "=")[1]))
          }, uniquingKeysWith: { $1 })
        let list = try server.get(target.replacing("/people?", with: "/people.csv?"))
        #expect(list.status == 200)
        let expected = counts["\(options["cohort"] ?? "") \(options["period"] ?? "")"]
        #expect(list.text.split(separator: "\n").count - 1 == expected, "\(target) \(list.text)")
        let people = try server.get(target)
        let start = options["cohort"].map { "started on \($0) and " } ?? ""
        #expect(people.status == 200)
        #expect(people.text.contains(" who \(start)came back on day \(options["period"] ?? "")</h1>"), "\(people.text)")
      }
    }
  }
#endif
