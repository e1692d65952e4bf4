#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// What a served page says first, and how it shows segments and days.
  @Suite struct ServedFirstScreenTests {
    private let place: TemporaryFolder
    private static let now = "2026-11-21T06:00:00Z"
    private static let flow = "/flows/trendy/onboarding"

    init() throws {
      place = try TemporaryFolder()
      #expect(
        try run(
          "simulate", "--flow", "all", "--subjects", "600", "--seed", "7", "--from", "2026-10-20", "--output", "a.ndjson"
        ).status == 0)
      #expect(try run("ingest", "a.ndjson", "--store", "store", "--now", Self.now).status == 0)
    }

    private func run(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments, directory: URL(filePath: place.path))
    }

    /// Returns the text of the first headline of a page, without markup.
    private func headline(of page: String) throws -> String {
      let match = try #require(page.firstMatch(of: #/<p class="headline">(.*?)<\/p>/#), "\(page)")
      return String(match.1.replacing(#/<[^>]*>/#, with: ""))
    }

    /// The funnel of the flow as JSON.
    private func funnel(_ options: String...) throws -> [String: Any] {
      let json = try FunnelRun(
        arguments: [
          "report", "funnel", "--flow", "trendy/onboarding", "--store", "store", "--now", Self.now, "--format", "json",
        ]
          + options,
        directory: URL(filePath: place.path)
      ).output
      let report = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      return try #require((report["funnel"] as? [[String: Any]])?.first)
    }

    @Test func `the headline says how many finish, where most drop, and what changed`() throws {
      let server = try StoreServer(place)
      let row = try funnel()
      let steps = try #require(row["steps"] as? [[String: Any]])
      let worst = try #require(steps.max { ($0["dropped"] as? Int ?? 0) < ($1["dropped"] as? Int ?? 0) })
      let text = try headline(of: server.get("\(Self.flow)?now=\(Self.now)").text)
      #expect(text.hasPrefix("\(row["completed"]!) of \(row["entered"]!) people finished ("), "\(text)")
      #expect(
        text.contains("most dropped at \(worst["label"]!), \(worst["dropped"]!) of the \(worst["reached"]!) who"), "\(text)")
      #expect(!text.contains("2026-"), "\(text)")
      // A report without a funnel of its own has the same headline.
      #expect(try headline(of: server.get("\(Self.flow)/trend?now=\(Self.now)").text) == text)
      let page = try server.get("\(Self.flow)?since=2026-11-01&until=2026-11-08&now=\(Self.now)").text
      let changed = try headline(of: page)
      #expect(changed.contains("2026-10-25 to 10-31"), "\(changed)")
      #expect(changed.contains("than in") || changed.contains("no clear change from"), "\(changed)")
      let compared = try FunnelRun(
        arguments: [
          "compare", "--versus", "previous", "--flow", "trendy/onboarding", "--store", "store", "--since", "2026-11-01",
          "--until", "2026-11-08", "--now", Self.now,
        ], directory: URL(filePath: place.path)
      ).output
      let unfair = "but this is no fair comparison"
      #expect(changed.contains(unfair) == compared.contains(unfair), "\(changed)\n\(compared)")
    }

    @Test func `with segments, the headline names those of the highest and the lowest conversion, if they are large enough`()
      throws
    {
      let server = try StoreServer(place)
      let text = try self.headline(of: server.get("\(Self.flow)?now=\(Self.now)").text)
      func headline(by key: String) throws -> String {
        try self.headline(of: server.get("\(Self.flow)?by=\(key)&now=\(Self.now)").text)
      }
      let variants = try headline(by: "ctx.variant")
      #expect(variants.hasPrefix(text.dropLast()), "\(variants)")
      let ends = try #require(variants.firstMatch(of: #/; [AB] ([0-9.]+) %, [AB] ([0-9.]+) %\.$/#), "\(variants)")
      #expect(try #require(Double(ends.1)) > #require(Double(ends.2)), "\(variants)")
      let countries = try headline(by: "ctx.country")
      #expect(countries.contains(#/; highest [A-Z]{2} [0-9.]+ %, lowest [A-Z]{2} [0-9.]+ %/#), "\(countries)")
      // The best day is the best by chance.
      #expect(try headline(by: "week") == text)
    }

    @Test func `a segment has one color in all charts, whichever is the largest`() throws {
      let server = try StoreServer(place)
      for condition in ["", "&where=ctx.country=TR"] {
        for report in ["funnel", "grants", "dropoff"] {
          let page = try server.get("\(Self.flow)/\(report)?by=ctx.variant&now=\(Self.now)\(condition)").text
          let inks = page.matches(of: #/<rect class="(segment[0-9])"[^>]*><title>[^<]*, ([AB]): /#).map { "\($0.2) \($0.1)" }
          #expect(Set(inks) == ["A segment1", "B segment2"], "\(report) \(inks)")
        }
      }
    }

    @Test func `where many are in progress, the headline counts those whose window has closed`() throws {
      let server = try StoreServer(place)
      let now = "2026-10-23T00:00:00Z"
      let text = try headline(of: server.get("\(Self.flow)?now=\(now)").text)
      #expect(text.contains("finished so far, and no window has closed yet"), "\(text)")
      let later = "2026-10-28T00:00:00Z"
      let closed = try headline(of: server.get("\(Self.flow)?now=\(later)").text)
      #expect(closed.hasPrefix("Of the ") && closed.contains("whose window has closed"), "\(closed)")
    }

    @Test func `hours and weekdays all have a bar, in their order`() throws {
      let server = try StoreServer(place)
      let hours = (0..<24).map { $0 < 10 ? "0\($0)" : "\($0)" }
      for (key, names) in [("hour", hours), ("weekday", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])] {
        let page = try server.get("\(Self.flow)?by=\(key)&now=\(Self.now)").text
        let chart = try #require(page.firstMatch(of: #/(?s)<svg role="group".*?<\/svg>/#), "\(page)").0
        for width in ["narrow", "wide"] {
          let pattern = try Regex(#"<text class="l(?: \#(width))?" x="0%"[^>]*>([^<]*)<"#, as: (Substring, Substring).self)
          let labels = chart.matches(of: pattern).map { String($0.1) }
          #expect(Array(labels.prefix(names.count)) == names, "\(width) \(labels)")
        }
        #expect(!page.contains("largest of"), "\(page)")
      }
    }

    @Test func `options are chips of one form, which name what is set`() throws {
      let server = try StoreServer(place)
      let page = try server.get("\(Self.flow)?since=30d&by=ctx.variant&window=1d&now=\(Self.now)").text
      let chips = page.matches(of: #/<summary[^>]*>([^\n]*)<\/summary>/#).map { String($0.1.replacing(#/<[^>]*>/#, with: "")) }
      #expect(
        chips.contains("Since: 30d") && chips.contains("By: ctx.variant") && chips.contains("Where: all"), "\(chips)")
      #expect(chips.contains("More: 1d +1"), "\(chips)")
      #expect(page.contains("<summary title=\"window 1d, as of \(Self.now)\">More: <b>"), "\(chips)")
      #expect(page.components(separatedBy: "<form ").count == 2)
      let form = try #require(page.firstMatch(of: #/<form .*?<\/form>/#.dotMatchesNewlines()))
      for name in ["since", "until", "by", "where", "window", "order", "count-by", "mature", "flow", "now"] {
        #expect(form.0.contains("name=\"\(name)\""), "\(name)")
      }
    }

    @Test func `segments share a chart, in which each bar leads to its people`() throws {
      let server = try StoreServer(place)
      let page = try server.get("\(Self.flow)/funnel?by=ctx.variant&now=\(Self.now)").text
      #expect(page.components(separatedBy: "<figure>").count == 2)
      let rows = try #require(funnel("--by", "ctx.variant")["steps"] as? [[String: Any]])
      let bars = page.matches(of: #/<a href="(\/people\?[^"]*state=reached[^"]*)" aria-label="([^"]*): ([0-9,]+) reached it"/#)
      #expect(bars.count >= 2 * rows.count, "\(bars.count)")
      for bar in bars.prefix(6) {
        let file = try server.get(String(bar.1).replacing("&amp;", with: "&").replacing("/people?", with: "/people.csv?"))
        #expect(String(file.text.split(separator: "\n").count - 1) == bar.3.replacing(",", with: ""), "\(bar.2)")
      }
      let trend = try server.get("\(Self.flow)/trend?by=ctx.variant&every=week&now=\(Self.now)").text
      let first = try #require(trend.components(separatedBy: "<figure>").dropFirst().first)
      #expect(first.contains("curve of-segment1") && first.contains("curve of-segment2"))
    }

    @Test func `a page shows the 40 largest segments, and says how many there are`() throws {
      let events = (0..<180).map { number in
        // The first ten values are larger than the others.
        let value = number < 90 ? number : number % 10
        return
          "{\"app\":\"trendy\",\"name\":\"step_viewed\",\"step\":\"welcome\",\"subject\":\"many\(number)\",\"ts\":\"2026-11-20T10:00:00Z\",\"ctx\":{\"town\":\"t\(value)\"}}\n"
      }
      try place.write(Array(events.joined().utf8), to: "towns.ndjson")
      #expect(try run("ingest", "towns.ndjson", "--store", "store", "--now", Self.now).status == 0)
      let page = try StoreServer(place).get("\(Self.flow)/funnel?by=ctx.town&where=ctx.town!=&now=\(Self.now)").text
      #expect(page.contains("The 40 largest of 90 segments are shown"), "\(page.prefix(4000))")
      let shown = Set(page.matches(of: #/<th scope="row">(t[0-9]+)<\/th>/#).map { String($0.1) })
      #expect(shown.count == 40 && shown.isSuperset(of: (0..<10).map { "t\($0)" }), "\(shown)")
    }

    @Test func `a trend marks annotations and first days of versions, and counts lines that are none`() throws {
      try place.write(
        Array("date,text\n2026-11-05,new <paywall>\nnonsense\n1999-01-01,long ago\n".utf8), to: "store/annotations.csv")
      let server = try StoreServer(place)
      let target = "\(Self.flow)/trend?every=week&now=\(Self.now)"
      let page = try server.get(target)
      #expect(page.text.contains("2026-11-05 new &lt;paywall&gt;") && !page.text.contains("long ago"))
      #expect(page.text.contains("1 line of annotations.csv was ignored, write date,text, such as 2026-11-05,new paywall"))
      #expect(page.text.contains("first seen"))
      // The list is part of what a page depends on.
      try place.write(Array("2026-11-06,release\n".utf8), to: "store/annotations.csv")
      let changed = try server.get(target, headers: ["If-None-Match: \(page.header("etag") ?? "")"])
      #expect(changed.status == 200 && changed.text.contains("2026-11-06 release"))
      try FileManager.default.removeItem(atPath: place.path("store/annotations.csv"))
      try FileManager.default.createDirectory(atPath: place.path("store/annotations.csv"), withIntermediateDirectories: true)
      let unreadable = try server.get(target)
      #expect(unreadable.status == 200 && unreadable.text.contains("annotations.csv can&#39;t be read"))
    }

    @Test func `the first page compares the flows that somebody entered`() throws {
      let page = try StoreServer(place).get("/?now=\(Self.now)").text
      let text = try headline(of: page)
      #expect(text.contains("flows, most finish ") && text.contains(", fewest "), "\(text)")
    }
  }
#endif
