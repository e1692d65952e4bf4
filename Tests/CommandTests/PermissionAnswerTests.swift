import Foundation
import FunnelTestSupport
import Testing

/// Answers besides granted, limited and denied, and the period in which an answer counts.
@Suite struct PermissionAnswerTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func log(_ answers: [String]) -> String {
    answers.enumerated().map { number, answer in
      let subject = "\"subject\":\"u\(number)\",\"app\":\"cleaner\"}\n"
      let names = ["flow_start", "push_pre_prompt_shown", "push_\(answer)", "flow_completed"]
      return names.enumerated().map { second, name in
        "{\"name\":\"perm_\(name)\",\"ts\":\"2026-11-10T10:00:0\(second)Z\",\(subject)"
      }.joined()
    }.joined()
  }

  private func run(_ arguments: String..., input: String = "") throws -> FunnelRun {
    try FunnelRun(arguments: arguments + ["--now", Workplace.now], directory: place.url, input: input)
  }

  private func push(_ json: String) -> String {
    json.split(separator: "\n").first { $0.contains("\"permission\":\"push\"") }.map(String.init) ?? ""
  }

  @Test func `quiet notifications are an answer of their own, and access for a while is limited`() throws {
    let log = log(["granted", "denied", "provisional", "provisional", "ephemeral", "once", "while_using", "not_determined"])
    let run = try run("report", "grants", "-", "--flow", "cleaner/permissions_flow", "--format", "json", input: log)
    let row = push(run.output)
    #expect(
      row.contains(
        #""prompted":8,"granted":1,"limited":2,"provisional":3,"denied":1,"skipped":1,"unanswered":0,"in_progress":0,"recovered":0,"unprimed":0,"grant_rate":0.125,"#
      ), "\(row)")
    #expect(row.contains(#""access_rate":0.75,"#) && row.contains(#""dialog_grant_rate":0.25,"#))
    #expect(run.errors.contains("perm_push_not_determined, not_determined is not an answer: nobody has been asked yet"))
    #expect(!run.errors.contains("provisional"))
    let table = try self.run("report", "grants", "-", "--flow", "cleaner/permissions_flow", input: log).output
    #expect(table.contains("Provi-"))
    let listed = try self.run(
      "groups", "provisional", "-", "--permission", "push", "--flow", "cleaner/permissions_flow", "--format", "lines",
      input: log)
    #expect(listed.output == "u2\nu3\nu4\n")
    let compared = try self.run(
      "report", "funnel", "-", "--steps", "perm_flow_start,perm:push:provisional", "--format", "csv", input: log)
    #expect(compared.output.contains(",8,3,"))
  }

  @Test func `without such an answer there is no key and no column`() throws {
    let log = log(["granted", "denied"])
    for format in ["json", "csv", "table"] {
      let output = try run("report", "grants", "-", "--flow", "cleaner/permissions_flow", "--format", format, input: log).output
      #expect(!output.lowercased().contains("provi"), "\(format)")
    }
  }

  @Test func `features of the app are open to who has quiet notifications`() throws {
    try place.write(
      #"{"app":"notes","flow":"intro","version":1,"steps":[{"id":"one","asks":["push"]}],"locks":{"push":["reminders"]}}"#,
      to: "flows/notes.intro.v1.json")
    let log = ["step_viewed\",\"step\":\"one", "perm_push_pre_prompt_shown", "perm_push_provisional"].enumerated().map {
      "{\"name\":\"\($1)\",\"ts\":\"2026-11-10T10:00:0\($0)Z\",\"subject\":\"a\",\"app\":\"notes\",\"flow\":\"intro\"}\n"
    }.joined()
    let json = try run("report", "access", "-", "--schemas", "flows", "--format", "json", input: log).output
    #expect(
      json.contains(#""feature":"reminders","permission":"push","open":1,"limited":0,"locked":0,"undecided":0,"#), "\(json)")
  }

  @Test func `an answer counts in the period of the first pre-prompt, and days add up`() throws {
    // Asked on the 10th and refused; asked again on the 12th and granted.
    let subject = "\"subject\":\"u\",\"app\":\"cleaner\"}\n"
    let log = [
      ("flow_start", "10T10:00:00"), ("push_pre_prompt_shown", "10T10:00:01"), ("push_skipped", "10T10:00:02"),
      ("push_pre_prompt_shown", "12T10:00:01"), ("push_granted", "12T10:00:02"),
    ].map { "{\"name\":\"perm_\($0.0)\",\"ts\":\"2026-11-\($0.1)Z\",\(subject)" }.joined()
    try place.write(log, to: "log.ndjson")
    func counts(_ more: String...) throws -> [String] {
      let run = try FunnelRun(
        arguments: [
          "report", "grants", "log.ndjson", "--flow", "cleaner/permissions_flow", "--format", "csv", "--now", Workplace.now,
        ]
          + more, directory: place.url)
      return run.output.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[4..<7].joined(separator: " ") }
    }
    #expect(try counts() == ["1 1 0"])
    #expect(try counts("--since", "2026-11-10", "--until", "2026-11-11") == ["1 1 0"])
    #expect(try counts("--since", "2026-11-12") == [])
    #expect(try counts("--by", "day") == ["2026-11-10 1 1"])
  }

  @Test func `a screen that primes a permission asks for it at its first entry of all`() throws {
    try place.write(
      #"""
      {"app":"notes","flow":"intro","version":1,"window":"7d","steps":[
       {"id":"one","asks":[{"permission":"health","primed_by":"step"}]},{"id":"two"}]}
      """#, to: "flows/notes.intro.v1.json")
    let log = [("a", "10", "one"), ("a", "12", "one"), ("a", "13", "two"), ("b", "12", "one")].map {
      "{\"name\":\"step_viewed\",\"ts\":\"2026-11-\($0.1)T10:00:00Z\",\"subject\":\"\($0.0)\",\"app\":\"notes\",\"step\":\"\($0.2)\"}\n"
    }.joined()
    let json = try run(
      "report", "grants", "-", "--schemas", "flows", "--format", "json", "--since", "2026-11-11", input: log
    ).output
    #expect(json.contains(#""prompted":1,"granted":0,"limited":0,"denied":0,"skipped":0,"unanswered":1,"#), "\(json)")
  }

  @Test func `an outcome in the middle of the flow does not end a group`() throws {
    func flow(_ ends: String) -> String {
      #"""
      {"app":"notes","flow":"intro","version":1,"window":"30d","steps":[{"id":"one"},{"id":"two"}],
       "outcomes":{"closed":{"events":["paywall_closed"],"success":false\#(ends)}}}
      """#
    }
    let log = ["step_viewed\",\"step\":\"one", "paywall_closed"].enumerated().map {
      "{\"name\":\"\($1)\",\"ts\":\"2026-11-10T10:00:0\($0)Z\",\"subject\":\"a\",\"app\":\"notes\"}\n"
    }.joined()
    try place.write(flow(",\"ends\":false"), to: "flows/notes.intro.v1.json")
    try place.write(flow(""), to: "ending/notes.intro.v1.json")
    func funnel(_ schemas: String, _ now: String) throws -> String {
      try FunnelRun(
        arguments: ["report", "-", "--schemas", schemas, "--flow", "notes/intro", "--format", "json", "--now", now],
        directory: place.url, input: log
      ).output
    }
    let passed = try funnel("flows", Workplace.now)
    #expect(passed.contains(#""entered":1,"completed":0,"in_progress":1,"dropped":0"#), "\(passed)")
    let closed = try funnel("flows", "2027-01-01T00:00:00Z")
    #expect(closed.contains(#""back":0,"left":1,"ended":0"#), "\(closed)")
    let ended = try funnel("ending", Workplace.now)
    #expect(ended.contains(#""in_progress":0,"dropped":1"#) && ended.contains(#""back":0,"left":0,"ended":1"#), "\(ended)")
  }
}
