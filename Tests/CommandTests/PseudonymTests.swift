import Foundation
import FunnelTestSupport
import Testing

/// `--pseudonymize`: raw ids never enter the store.
@Suite struct PseudonymTests {
  private static let subject = "inst_4f2a91c07d"
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(Self.log, to: "a.ndjson")
  }

  /// A log that has the subject in the fields where apps put it, and where nobody expects it: in links, in keys, and in bad
  /// lines.
  private static let log =
    LogLine.completedRun(subject) + LogLine.completedRun("inst_other", at: 30)
    + LogLine.event("perm_flow_start", subject, at: 60, #""id":"\#(subject)-1","attempt":"\#(subject)""#)
    + LogLine.event("opened", subject, at: 61, #""props":{"install":"\#(subject)","link":"app://x?u=\#(subject)"}"#)
    + LogLine.event("opened", subject, at: 62, #""ctx":{"variant":"A","u":"\#(subject)"},"user_id":"\#(subject)""#)
    + LogLine.event("opened", "inst_other", at: 63, #""ctx":{"variant":"A"}"#)
    + #"{"name":"Opened","ts":1795168800000,"subject":"\#(subject)","app":"cleaner"}"# + "\n"
    + #"{"subject":"\#(subject)","ts":"# + "\n" + subject + "\n" + #"{"\#(subject)":1,"\#(subject)":2}"# + "\n"

  private func ingest(_ arguments: String..., file: String = "a.ndjson") throws -> FunnelRun {
    try FunnelRun(
      arguments: ["ingest", file, "--now", Workplace.now, "--format", "json"] + arguments, directory: place.url)
  }

  private func traces() throws -> [String] {
    try TraceSearch(for: Self.subject).traces(in: place.folder, below: "funnel-store/")
  }

  @Test func `no raw id is in any file of the store, and without the option it is in many`() throws {
    let run = try ingest("--pseudonymize", "--threads", "2")
    #expect(
      run.status == 0 && run.output.contains(#""accepted":16,"duplicates":0,"rejected":4,"#), "\(run.output)\(run.errors)")
    #expect(try traces() == [])
    let raw = try PseudonymTests()
    _ = try raw.ingest()
    let shapes = try raw.traces()
    #expect(["/log/", "/rejected/", "/index/"].allSatisfy { place in shapes.contains { $0.contains(place) } }, "\(shapes)")
  }

  @Test func `a pseudonym is what the documentation says it is`() throws {
    _ = try ingest("--pseudonymize")
    let key = try place.text("funnel-store/key")
    #expect(key.wholeMatch(of: #/[0-9a-f]{64}\n/#) != nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path("funnel-store/key"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let script = "import hmac,sys;print(hmac.new(bytes.fromhex(sys.argv[1]),sys.argv[2].encode(),'sha256').hexdigest()[:32])"
    let digest = try FunnelRun(
      shell: "python3 -c \"\(script)\" \(key.dropLast()) \(Self.subject)", directory: place.url
    ).output
    let pseudonym = "ps_" + digest.dropLast()
    let events = try place.run("log", "cat", "--subject", pseudonym).output.split(separator: "\n")
    #expect(events.count == 9)
    // A value that equals the id becomes the same pseudonym everywhere, so that it can still be joined.
    #expect(
      events.contains { $0.contains("\"install\":\"\(pseudonym)\"") }
        && events.contains { $0.contains("\"u\":\"\(pseudonym)\"") })
    #expect(events.contains { $0.contains("\"attempt\":\"\(pseudonym)\"") })
  }

  @Test func `a subject that is a number, or part of a key, is found among the properties`() throws {
    let props = #""props":{"user_id":12345678,"n":1234567,"k_12345678":1,"z":true},"ctx":{"u":"12345678"}"#
    try place.write(LogLine.event("opened", "12345678", at: 1, props), to: "b.ndjson")
    #expect(try ingest("--pseudonymize", file: "b.ndjson").output.contains(#""accepted":1"#))
    #expect(try TraceSearch(for: "12345678").traces(in: place.folder, below: "funnel-store/") == [])
    let event = try place.run("log", "cat").output
    let form =
      #/.*"subject":"(ps_[0-9a-f]{32})".*"props":\{"n":1234567,"ps_[0-9a-f]{32}":1,"user_id":"(ps_[0-9a-f]{32})","z":true\}.*\n/#
    let match = try #require(event.wholeMatch(of: form))
    #expect(match.1 == match.2)
    #expect(try ingest("--pseudonymize", file: "b.ndjson").output.contains(#""duplicates":1"#))
  }

  @Test func `a user has the pseudonym of an equal subject, and occurs nowhere as it is`() throws {
    let (device, account) = ("inst_77", "account_88")
    try place.write(
      LogLine.event(
        "opened", device, at: 1,
        #""user":"\#(account)","id":"\#(account)-1","attempt":"\#(account)","props":{"by":"\#(account)","\#(account)":1,"both":"\#(device)/\#(account)"}"#
      )
        + LogLine.event("opened", account, at: 2, #""user":"\#(account)""#)
        + LogLine.event("opened", "anonymous", at: 3, #""user":"\#(account)""#)
        + LogLine.event("opened", device, at: 4, #""user":"ann@example.org""#),
      to: "b.ndjson")
    #expect(try ingest("--pseudonymize", file: "b.ndjson").output.contains(#""accepted":4"#))
    for id in [device, account, "ann@example"] {
      #expect(try TraceSearch(for: id).traces(in: place.folder, below: "funnel-store/") == [], "\(id)")
    }
    let events = try place.run("log", "cat").output.split(separator: "\n").map(String.init)
    let pseudonym = try #require(events[1].firstMatch(of: #/"subject":"(ps_[0-9a-f]{32})"/#)).1
    #expect(events[1].contains(#""user":"\#(pseudonym)""#))
    #expect(events[0].contains(#""user":"\#(pseudonym)""#) && events[0].contains(#""by":"\#(pseudonym)""#))
    #expect(events[0].contains(#""attempt":"\#(pseudonym)""#))
    // Nobody can tell that a pseudonym is that of a placeholder, so the placeholder links nobody.
    #expect(!events[2].contains("user"))
    let raw = try FunnelRun(
      arguments: ["ingest", "b.ndjson", "--now", Workplace.now, "--store", "raw", "--format", "json"], directory: place.url)
    #expect(raw.output.contains(#""personal_data":1"#) && raw.output.contains(#""accepted":3"#), "\(raw.output)")
  }

  @Test func `reports are the same as of raw ids`() throws {
    _ = try ingest("--pseudonymize")
    _ = try ingest("--store", "raw")
    for question in [[], ["--by", "ctx.variant"], ["--count-by", "attempt"]] {
      let reports = try ["funnel-store", "raw"].map { store in
        try FunnelRun(
          arguments: ["report", "--now", Workplace.now, "--format", "json", "--store", store] + question, directory: place.url
        ).output
      }
      #expect(reports[0] == reports[1] && reports[0].contains("\"entered\":"), "\(question)")
    }
  }

  @Test func `the same input again adds nothing, and of bad lines the place and the reason are kept`() throws {
    _ = try ingest("--pseudonymize")
    let again = try ingest("--pseudonymize")
    #expect(again.output.contains(#""accepted":0,"duplicates":16,"rejected":4,"#) && again.output.contains(#""commit":null"#))
    let letters = try place.run("rejected", "ls", "--format", "json").output.split(separator: "\n")
    #expect(letters.count == 4)
    #expect(
      letters.allSatisfy {
        $0.contains(#""raw":"""#) && $0.hasSuffix(#""masked":true}"#) && $0.contains("\"file\":\"a.ndjson\"")
      })
    #expect(try place.run("rejected", "retry").output.contains("4 can't be retried"))
  }

  @Test func `raw ids and pseudonyms do not mix in one store`() throws {
    _ = try ingest("--pseudonymize")
    let before = try place.storeBytes()
    for arguments in [[], ["--dry-run"]] {
      let run = try FunnelRun(arguments: ["ingest", "a.ndjson"] + arguments, directory: place.url)
      let message =
        "funnel: the store funnel-store holds pseudonyms, raw ids must not get into it, ingest with --pseudonymize\n"
      #expect(run.status == 64 && run.errors == message, "\(run.errors)")
    }
    #expect(try place.storeBytes() == before)
    let events = try place.run("log", "cat").output
    try place.write(String(decoding: place.folder.contents("a.ndjson"), as: UTF8.self), to: "inbox/a.ndjson")
    let night = try place.run("nightly", "--settle", "0", "--inbox", "inbox", "--out", "out")
    #expect(night.status == 64 && night.errors.contains("--pseudonymize"), "\(night.errors)")
    #expect(try place.run("log", "cat").output == events, "what else the night does adds no event")
    _ = try ingest("--store", "raw")
    let run = try ingest("--store", "raw", "--pseudonymize")
    let message =
      "funnel: the store raw holds raw ids, --pseudonymize can't change them, ingest into a new store with --store\n"
    #expect(run.status == 64 && run.errors == message, "\(run.errors)")
    #expect(try ingest("--store", "new", "--key-file", "k").status == 64)
  }

  @Test func `a key that is missing, broken or another one is told, and nothing is ingested`() throws {
    _ = try ingest("--pseudonymize", "--key-file", "secret.key")
    #expect(try !place.folder.files().contains("funnel-store/key") && place.folder.files().contains("secret.key"))
    let before = try place.storeBytes()
    try place.write("not a key", to: "broken.key")
    _ = try ingest("--pseudonymize", "--store", "other")
    for (file, message) in [
      (nil, "the key of the store's pseudonyms is missing, funnel-store/key, restore it from a backup or give --key-file"),
      ("broken.key", "broken.key is not a key: a key is 64 hexadecimal digits, give the right file with --key-file"),
      (
        "other/key",
        "other/key is not the key that the pseudonyms of funnel-store were made with, give that one with --key-file"
      ),
    ] {
      let run = try FunnelRun(
        arguments: ["ingest", "a.ndjson", "--pseudonymize"] + (file.map { ["--key-file", $0] } ?? []), directory: place.url)
      #expect(run.status == 78 && run.errors == "funnel: \(message)\n", "\(run.errors)")
    }
    #expect(try place.storeBytes() == before)
    #expect(try ingest("--pseudonymize", "--key-file", "secret.key").output.contains(#""duplicates":16"#))
  }

  @Test func `a key of one's own makes the same pseudonyms in every store`() throws {
    try place.write(String(repeating: "0f", count: 32) + "\n", to: "own.key")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.folder.path("own.key"))
    for store in ["one", "two"] {
      let run = try ingest("--pseudonymize", "--key-file", "own.key", "--store", store)
      #expect(run.status == 0 && run.output.contains(#""accepted":16"#), "\(run.errors)")
    }
    let logs = try ["one", "two"].map { try place.run("log", "cat", "--store", $0).output }
    #expect(logs[0] == logs[1] && logs[0].contains("\"subject\":\"ps_"))
    #expect(try !place.folder.files().contains { $0.hasSuffix("/key") })
    #expect(try place.text("own.key") == String(repeating: "0f", count: 32) + "\n")
  }

  @Test(arguments: ["", "{", "{\"v\":2}", "[]"])
  func `a store that does not say any more how its pseudonyms were made takes nothing in`(text: String) throws {
    _ = try ingest("--pseudonymize")
    try place.write(text, to: "funnel-store/pseudonyms.json")
    let before = try place.storeBytes()
    for arguments in [["--pseudonymize"], []] {
      let run = try FunnelRun(arguments: ["ingest", "a.ndjson"] + arguments, directory: place.url)
      let message = "funnel: funnel-store/pseudonyms.json is not what funnel wrote, restore it from a backup\n"
      #expect(run.status == 78 && run.errors == message, "\(run.errors)")
    }
    #expect(try place.storeBytes() == before)
    #expect(try place.run("report", "--now", Workplace.now).status == 0)
  }

  @Test(arguments: ["secret.key", "funnel-store/key"])
  func `a key that others may read or write is refused, as ssh does`(file: String) throws {
    let options = ["--pseudonymize"] + (file == "secret.key" ? ["--key-file", file] : [])
    func run() throws -> FunnelRun {
      try FunnelRun(arguments: ["ingest", "a.ndjson", "--now", Workplace.now] + options, directory: place.url)
    }
    #expect(try run().status == 0)
    let before = try place.storeBytes()
    for mode in [0o640, 0o604, 0o620, 0o602, 0o644] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.folder.path(file))
      for run in [try run(), try place.run("forget", "s1", "--key-file", file)] {
        #expect(
          run.status == 78
            && run.errors
              == "funnel: other users can read or write the key \(file): anyone who has it can match pseudonyms to people, make it private with: chmod 600 \(file)\n",
          "\(mode): \(run.errors)")
      }
    }
    #expect(try place.storeBytes() == before)
    for mode in [0o600, 0o400] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.folder.path(file))
      #expect(try run().status == 0, "\(mode)")
    }
  }

  @Test func `a dry run makes no key and no store`() throws {
    let files = try place.folder.files()
    let run = try ingest("--pseudonymize", "--dry-run")
    #expect(run.status == 0 && run.output.contains(#""accepted":16"#))
    #expect(try place.folder.files() == files)
  }

  @Test func `nightly makes pseudonyms too`() throws {
    try place.write(Self.log, to: "inbox/a.ndjson")
    let night = try place.run(
      "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--pseudonymize", "--now", Workplace.now)
    #expect(night.status == 0, "\(night.errors)")
    #expect(try traces() == [] && place.run("log", "cat").output.contains("\"subject\":\"ps_"))
  }

  @Test func `who is forgotten by the raw id is found under the pseudonym, and kept out`() throws {
    _ = try ingest("--pseudonymize")
    let run = try place.run("forget", Self.subject, "--now", Workplace.now, "--format", "json")
    #expect(run.output.contains(#""found":1,"forgotten_before":0,"events":9,"#), "\(run.output)\(run.errors)")
    #expect(try !place.run("log", "cat").output.contains("\"u\":\"ps_"))
    let again = try ingest("--pseudonymize")
    #expect(again.output.contains(#""accepted":0,"duplicates":7,"rejected":13,"#), "\(again.output)")
    #expect(again.output.contains(#""forgotten":13"#))
    // A subject can also be named by its pseudonym, as the log and reports show it.
    let other = try place.run("log", "cat").output.firstMatch(of: #/ps_[0-9a-f]{32}/#)
    let second = try place.run("forget", String(try #require(other).output), "--now", Workplace.now, "--format", "json")
    #expect(second.output.contains(#""found":1,"#) && second.output.contains(#""events_in_store":0,"#), "\(second.output)")
  }
}
