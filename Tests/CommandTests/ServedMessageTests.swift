#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// A note on a served page names the controls of the page, by links that set them.
  @Suite struct ServedMessageTests {
    private let place: TemporaryFolder
    private static let now = "2026-12-01T00:00:00Z"

    init() throws {
      place = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: place.path("flows"), withIntermediateDirectories: true)
      let flow =
        #"{"app":"shop","flow":"buy","version":1,"title":"Buy","window":"1d","steps":[{"id":"go"},{"id":"look"},{"id":"pay"}]}"#
      try place.write(Array(flow.utf8), to: "flows/shop.buy.v1.json")
      // Of 100 people 40 pay before they look, and each of them has a country only then.
      let log = (0..<100).map(Self.events).joined()
      try place.write(Array(log.utf8), to: "log.ndjson")
      #expect(try run("ingest", "log.ndjson", "--schemas", "flows", "--store", "store").status == 0)
    }

    /// Returns the lines of a person's events.
    private static func events(of person: Int) -> String {
      let steps = person % 5 < 2 ? ["go", "pay", "look"] : ["go", "look"]
      var lines = ""
      for (minute, step) in steps.enumerated() {
        let country = step == "pay" ? #","ctx":{"country":"DE"}"# : ""
        lines += #"{"app":"shop","name":"step_viewed","step":"\#(step)","subject":"p\#(person)","#
        lines += #""ts":"2026-11-02T10:0\#(minute):00Z"\#(country)}"# + "\n"
      }
      return lines
    }

    private func run(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments + ["--now", Self.now], directory: URL(filePath: place.path))
    }

    /// Returns the address of the link with a text, before some words.
    private func link(_ text: String, before words: String, on page: String) throws -> String {
      let pattern = try Regex(#"<a href="([^"]*)">\#(text)</a> \#(words)"#, as: (Substring, Substring).self)
      return String(try #require(page.firstMatch(of: pattern), "\(page)").1).replacing("&amp;", with: "&")
    }

    @Test func `an option is a link that sets it, until it is set`() throws {
      let server = try StoreServer(place)
      let page = try server.get("/flows/shop/buy/funnel?now=\(Self.now)").text
      #expect(!page.contains("--order"), "\(page)")
      let target = try link("Order: any", before: "counts those who took all steps", on: page)
      let changed = try server.get(target)
      #expect(changed.status == 200 && changed.text.contains("40 of 100 people finished"), "\(changed.text)")
      #expect(!changed.text.contains("in another way"), "\(changed.text)")
    }

    @Test func `an option without a control on the page is a link too`() throws {
      let server = try StoreServer(place)
      let page = try server.get("/flows/shop/buy/funnel?by=ctx.country&now=\(Self.now)").text
      let target = try link("Value of a missing key: known", before: "takes the first value that is known", on: page)
      let changed = try server.get(target)
      #expect(changed.status == 200 && changed.text.contains("Value of a missing key"), "\(changed.text)")
    }

    @Test func `a page that is a file has the option of the command line as code`() throws {
      let page = try run("report", "--store", "store", "--format", "html").output
      #expect(page.contains("<code>--order any</code> counts those who took all steps"), "\(page)")
    }
  }
#endif
