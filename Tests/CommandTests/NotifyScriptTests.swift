import Foundation
import FunnelTestSupport
import Testing

/// The scripts of `Deploy/notify`, with programs in the place of `mail` and `curl` that write down what they get.
@Suite(.enabled("jq is not installed") { try FunnelRun(shell: "command -v jq").status == 0 })
struct NotifyScriptTests {
  private static let hostile = [
    "a \"quoted\" \\ $(touch pwned) `touch pwned` ; touch pwned", "'; touch pwned; '\n~!touch pwned\n.\n~r /etc/passwd",
    "<!channel> <https://evil.example|text> & \u{1b}[31m \u{7} é 漢字 _a_ *b*", "{\"text\":\"}]}\n--upload-file",
  ]

  private let place: NightlyFixture

  init() throws {
    place = try NightlyFixture()
    try place.folder.makeFolder("bin")
    let recorder = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$OUT/arguments\"\ncat >\"$OUT/input\"\n"
    for name in ["mail", "curl"] {
      try place.folder.write(Array(recorder.utf8), to: "bin/\(name)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.folder.path("bin/\(name)"))
    }
    try place.folder.write(Array("url = \"https://hooks.example/secret\"\n".utf8), to: "hook.curl")
  }

  private func run(_ script: String, _ argument: String, _ texts: [String]) throws -> FunnelRun {
    let messages = texts.map { ["kind": "alert", "rule": "r", "text": $0] }
    let json = try JSONSerialization.data(
      withJSONObject: ["as_of": "2026-11-21T02:10:00.000Z", "store": "$(touch pwned)", "messages": messages])
    try place.folder.write([UInt8](json), to: "messages.json")
    let path = DeployFile.folder.appending(path: "notify/\(script)").path
    return try FunnelRun(
      shell: "export OUT=$PWD PATH=$PWD/bin:$PATH; '\(path)' '\(argument)' <messages.json",
      directory: URL(filePath: place.folder.path))
  }

  private func written(_ name: String) throws -> String { String(decoding: try place.folder.contents(name), as: UTF8.self) }

  private func post() throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(place.folder.contents("input")))
    return try #require(object as? [String: Any])
  }

  private func expectNothingRan() throws {
    #expect(try place.folder.files().allSatisfy { !$0.contains("pwned") })
    // The address of the webhook is on no command line.
    #expect(try !written("arguments").contains("secret"))
  }

  @Test func `a mail has a line a message, and none that a mail program takes for a command`() throws {
    let run = try run("mail.sh", "you@example.org", Self.hostile)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try written("arguments") == "-s\nfunnel: 4 messages of the night of 2026-11-21\nyou@example.org\n")
    let lines = try written("input").split(separator: "\n")
    #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("- alert: ") })
    #expect(lines.first?.hasSuffix("a \"quoted\" \\ $(touch pwned) `touch pwned` ; touch pwned") == true)
    #expect(try !written("input").contains("\u{1b}"))
    try expectNothingRan()
  }

  @Test(arguments: ["-oQ/tmp", "a b@example.org", "$(touch pwned)@example.org"])
  func `what is no address is refused`(address: String) throws {
    #expect(try run("mail.sh", address, ["x"]).status == 64)
    #expect(try place.folder.files().allSatisfy { !$0.contains("pwned") && $0 != "arguments" })
  }

  @Test func `Slack gets the texts, with its own signs escaped`() throws {
    let run = try run("slack.sh", "hook.curl", Self.hostile)
    #expect(run.status == 0, "\(run.errors)")
    let text = try #require(try post()["text"] as? String)
    let unescaped = text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    for message in Self.hostile { #expect(unescaped.contains("• alert: \(message)")) }
    #expect(!text.contains("<") && !text.contains(">"))
    #expect(try written("arguments").contains("--config\nhook.curl\n"))
    try expectNothingRan()
  }

  @Test func `Teams gets a card whose texts are no Markdown`() throws {
    let run = try run("teams.sh", "hook.curl", Self.hostile + (0..<9).map { "message \($0)" })
    #expect(run.status == 0, "\(run.errors)")
    let attachment = try #require((try post()["attachments"] as? [[String: Any]])?.first)
    let card = try #require(attachment["content"] as? [String: Any])
    let body = try #require(card["body"] as? [[String: Any]])
    let texts = body.compactMap { ($0["inlines"] as? [[String: String]])?.first?["text"] }
    #expect(texts.prefix(4) == Self.hostile.map { "alert: \($0)" }[...])
    #expect(texts.count == 11 && texts.last == "and 3 more, see status.json")
    try expectNothingRan()
  }

  @Test(arguments: ["slack.sh", "teams.sh"])
  func `without a readable file of the webhook nothing is sent`(script: String) throws {
    #expect(try run(script, "missing.curl", ["x"]).status == 64)
    #expect(try !place.folder.files().contains("arguments"))
  }

  @Test func `a night runs the script, and says so where it fails`() throws {
    let script = DeployFile.folder.appending(path: "notify/slack.sh").path
    let environment = ["OUT": place.folder.path, "PATH": "\(place.folder.path("bin")):/usr/bin:/bin"]
    func night(_ file: String) throws -> FunnelRun {
      try FunnelRun(
        arguments: [
          "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", "2026-11-21T02:10:00Z",
          "--min-events",
          "1",
          "--notify", "'\(script)' \(file)",
        ], directory: URL(filePath: place.folder.path), environment: environment)
    }
    #expect(try night("hook.curl").status == 1)
    #expect((try post()["text"] as? String)?.contains("• threshold: too few events, 0 are new") == true)
    let failed = try night("missing.curl")
    #expect(failed.status == 1 && failed.errors.contains("it exited with 64, it said: which webhook?"), "\(failed.errors)")
  }
}
