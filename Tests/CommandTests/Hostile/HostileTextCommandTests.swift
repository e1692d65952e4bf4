import Foundation
import FunnelModel
import FunnelTestSupport
import Testing

/// Puts hostile texts into event fields, options, flow definitions and file names, and checks what commands print of them.
@Suite struct HostileTextCommandTests {
  private let work: Workplace
  private let now = "2026-11-22T12:00:00Z"

  init() throws { work = try Workplace() }

  /// Characters that control a terminal or are invisible, each between two letters, and sequences that are known to break
  /// formats.
  static let texts: [String] = {
    let hidden: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x115F...0x1160, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x2069, 0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0001...0xE0001, 0xE0020...0xE007F,
    ]
    let characters = hidden.joined().compactMap { Unicode.Scalar($0).map { "a\($0)b" } }
    let sequences = [
      "\u{1B}[31mred", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://evil.example\u{1B}\\link", "\u{1B}[2J", "\u{9B}31m",
      "\u{1B}P+q\u{1B}\\", "=1+1",
      "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|'/C calc'!A0", " =1+1", "\u{FF1D}1", "\u{200B}=1", "\u{FEFF}=1",
      "a|b", "||",
      "\\|", "`x`", "<script>", "</td>", "<!-- x -->", "[x](http://evil.example)", "![x](y)", "http://evil.example",
      "www.evil.example", "$x$",
      "# x", "> x", "- x", "---", "\\", "\"", "\"\"", "'", ",", ";", "a\nb", "a\r\nb", "%s%n", "{{x}}", "../../etc/passwd",
      "null", "👩‍👩‍👧", "e\u{301}",
      "\u{202E}gnp.exe", "\u{2066}x\u{2069}", "שלום", "\u{10FFFF}", "\u{FFFE}",
    ]
    return characters + sequences
  }()

  @Test func `there are at least two hundred texts`() {
    #expect(Self.texts.count >= 200)
  }

  @Test func `texts of events`() throws {
    var lines = ""
    for (number, text) in Self.texts.enumerated() {
      let json = Self.json(text)
      let time = 1_795_168_800_000 + number * 1000
      // Each text is the key or value of many fields. Lines that are rejected become dead letters, which quote it.
      lines +=
        #"{"name":"perm_flow_start","ts":\#(time),"subject":"s\#(number)","app":"cleaner","attempt":\#(json),"id":\#(json),"ctx":{"variant":\#(json),\#(json):1}}\#n"#
        .replacing("\\#n", with: "\n")
      for field in ["name", "step", "subject", "app", "flow", "ts", "v", "seq", "props"] {
        lines += "{\"\(field)\":\(json)" + (field == "name" ? "" : ",\"name\":\"step_viewed\"") + "}\n"
      }
      lines +=
        "{\"name\":\"perm_flow_start\",\"ts\":\(time),\"subject\":\"s\",\"app\":\"cleaner\",\"props\":{\"trigger\":\(json)}}\n"
      lines +=
        "{\(json):[1],\"name\":\"a\",\"ts\":\(time),\"subject\":\"s\",\"app\":\"x\"}\n{\(json):1,\(json):2}\n\(text.replacing("\n", with: " "))\n"
    }
    try work.write(lines, to: "hostile.ndjson")
    try expectSafe(["ingest", "hostile.ndjson", "--now", now])
    for arguments in [["rejected", "ls"], ["rejected", "show"], ["log", "ls"], ["log", "info"], ["log", "verify"]] {
      try expectSafe(arguments)
    }
    for name in [[], ["funnel"], ["grants"], ["dropoff"]] {
      try expectSafe(["report"] + name + ["--by", "ctx.variant", "--now", now])
      try expectSafe(["report"] + name + ["--by", "ctx.variant", "--format", "markdown", "--now", now])
    }
    try expectSafe(["ingest", "hostile.ndjson", "--strict", "--store", "other", "--now", now])
    let listed = try run(["rejected", "ls", "--format", "json"])
    for line in listed.output.split(separator: "\n") { _ = try JSONDocument(parsing: Array(line.utf8)) }
    let csv = try run(["report", "funnel", "--by", "ctx.variant", "--format", "csv", "--now", now])
    for cell in csvRows(csv.output).joined() where Double(cell) == nil {
      #expect(cell.unicodeScalars.first.map { !"=+-@\t\r\n".unicodeScalars.contains($0) } ?? true, "\(cell.debugDescription)")
    }
    let json = try run(["report", "funnel", "--by", "ctx.variant", "--format", "json", "--now", now])
    let rows = try #require(JSONDocument(parsing: Array(json.output.utf8)).root["funnel"]?.array)
    let reported = Set(rows.compactMap { $0["by"]?["ctx.variant"]?.string.map { Array($0.utf8) } })
    // A text that is a number is one segment with the number, which JSON writes as such.
    #expect(reported == Set(Self.texts.filter { $0 != "-1" }.map { Array($0.utf8) }))
    #expect(rows.compactMap { $0["by"]?["ctx.variant"]?.integer } == [-1])
  }

  @Test func `values of options`() throws {
    try work.write(LogLine.completedRun("s1"), to: "log.ndjson")
    try #require(run(["ingest", "log.ndjson", "--now", now]).status == 0)
    let options: [[String]] = [
      ["report", "--since"], ["report", "--until"], ["report", "--now"], ["report", "--window"], ["report", "--tz"],
      ["report", "--by"],
      ["report", "--where"], ["report", "--flow"], ["report", "--order"], ["report", "--count-by"], ["report", "--format"],
      ["report", "--schemas"],
      ["report", "--output"], ["report", "--memory-limit"], ["report", "--store"], ["report", "--threads"], ["report"],
      ["ingest"],
      ["ingest", "log.ndjson", "--app"], ["ingest", "log.ndjson", "--lock-timeout"],
      ["ingest", "log.ndjson", "--max-reject-rate"], ["schema", "show"],
      ["schema", "check"], ["rejected", "ls", "--reason"], ["rejected", "ls", "--file"], ["log", "cat", "--since"], ["log"], [],
      ["nightly", "--out", "o", "--inbox"], ["simulate", "--flow"],
    ]
    // Each text is tried with one of the options.
    let texts = Self.texts.filter { !$0.contains("\0") && !$0.contains("/") }
    let tried = texts.enumerated().filter { Sweeps.tries($0.offset, oneIn: 3) }.map(\.element)
    for (number, text) in tried.enumerated() {
      let option = options[number % options.count]
      // The form changes with each round through the options, so that every option meets both.
      let isAssigned = (number / options.count + number) % 2 == 1
      let run = try FunnelRun(arguments: option + [isAssigned ? "=\(text)" : text], directory: work.url)
      #expect(run.status < 128, "\(option) \(text.debugDescription)")
      try expectSafe(run.output + run.errors, "\(option) \(text.debugDescription)")
      #expect(
        run.status == 0 || run.errors.split(separator: "\n").count == 1, "\(option) \(text.debugDescription): \(run.errors)")
    }
  }

  @Test func `texts of flow definitions, and names of files`() throws {
    let texts = Self.texts.filter { !$0.contains("/") && !$0.contains("\0") }
    for (number, text) in texts.enumerated() {
      let json = Self.json(text)
      let sound = #"{"app":"a","flow":"f\#(number)","version":1,"title":\#(json),"steps":[{"id":"s","label":\#(json)}]}"#
      let bad =
        #"{"app":\#(json),"flow":"f","version":1,\#(json):1,"steps":[{"id":\#(json)}],"rules":[{"rule":\#(json)}],"title":1}"#
      try work.write(sound, to: "sound/\(number)\(text).json")
      try work.write(bad, to: "bad/\(number)\(text).json")
      try work.write(#"{\#(json):1,\#(json):2}"#, to: "twice/\(number)\(text).json")
      try work.write("{}\n{\n", to: "logs/\(number)\(text).ndjson")
    }
    try expectSafe(["schema", "list", "--schemas", "sound"])
    for folder in ["sound", "bad", "twice"] { try expectSafe(["schema", "check", folder]) }
    try expectSafe(["report", "logs", "--schemas", "bad", "--now", now])
    try expectSafe(["ingest", "logs", "--schemas", "sound", "--now", now])
    for arguments in [["rejected", "ls"], ["rejected", "show"]] { try expectSafe(arguments) }
    try FileManager.default.copyItem(atPath: work.folder.path("logs"), toPath: work.folder.path("inbox"))
    try expectSafe(["nightly", "--inbox", "inbox", "--out", "out\u{1B}[31m", "--store", "night\u{202E}", "--now", now])
    let listed = try run(["schema", "list", "--schemas", "sound", "--format", "json"])
    _ = try JSONDocument(parsing: Array(listed.output.utf8))
  }

  /// Tests the check that the other tests rely on.
  @Test func `a text that is printed as it is would be noticed`() {
    for text in ["a\u{1B}b", "a\u{202E}b", "a\u{200B}b", "a\u{9B}b", "a\u{7F}b", "a\tb", "a\u{FE0F}b"] {
      #expect(Self.harm(in: text) != nil)
    }
    #expect(Self.harm(in: "plain, é 日本\n") == nil)
  }

  private func run(_ arguments: [String]) throws -> FunnelRun { try FunnelRun(arguments: arguments, directory: work.url) }

  private func expectSafe(_ arguments: [String]) throws {
    let run = try run(arguments)
    #expect(run.status < 128 && !(run.output + run.errors).isEmpty)
    try expectSafe(run.output + run.errors, "\(arguments)")
  }

  private func expectSafe(_ text: String, _ what: String) throws {
    // The zero-width joiners inside an emoji are allowed, because they hide nothing.
    let text = text.replacing("👩\u{200D}👩\u{200D}👧", with: "👩👩👧")
    guard let place = Self.harm(in: text) else { return }
    let start = text.unicodeScalars.index(place, offsetBy: -40, limitedBy: text.unicodeScalars.startIndex) ?? text.startIndex
    Issue.record("\(what): \(String(text.unicodeScalars[start...].prefix(80)).debugDescription)")
  }

  /// Returns the position of the first character that controls a terminal or is invisible, or nil if there is none.
  private static func harm(in text: String) -> String.Index? {
    text.unicodeScalars.firstIndex { scalar in
      guard scalar != "\n", !(0x20..<0x7F).contains(scalar.value) else { return false }
      if scalar.properties.isDefaultIgnorableCodePoint { return true }
      return [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
  }

  private static func json(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
