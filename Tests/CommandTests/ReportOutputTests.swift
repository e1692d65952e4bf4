import Foundation
import FunnelTestSupport
import Testing

/// `funnel report`: where it is written, how wide, and in which format.
@Suite struct ReportOutputTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(LogLine.completedRun("s1") + LogLine.event("perm_flow_start", "s2", at: 200), to: "log.ndjson")
  }

  private func report(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["report"] + arguments + ["log.ndjson", "--now", Workplace.now], directory: place.url)
  }

  @Test(arguments: [
    ("out.json", "json"), ("out.MD", "markdown"), ("out.txt", "table"), ("out.csv", "csv"), ("out.html", "html"),
    ("out", "table"),
  ])
  func `the ending of the file's name chooses the format`(name: String, format: String) throws {
    let run = try report("funnel", "--output", name)
    #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run.errors)")
    #expect(try place.text(name) == report("funnel", "--format", format).output)
  }

  @Test func `a format that is given is taken, however the file is called`() throws {
    let run = try report("--format", "json", "--output", "out.csv")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try place.text("out.csv").hasPrefix("{\n"))
    #expect(try report("--format", "json", "--output", "out.html").status == 0)
    #expect(try place.text("out.html").hasPrefix("{\n"))
  }

  @Test(arguments: [
    (["--output", "a.csv"], "a CSV file holds only one report, --output a.csv, name it: funnel report funnel --output a.csv"),
    (["--excel"], "--excel is only for CSV, the format is table, add --format csv or leave it out"),
    (
      ["--excel", "--output", "a.json"],
      "--excel is only for CSV, the format is json, add --format csv or leave it out"
    ),
  ])
  func `what can't be written is one line that says what to write instead, 64`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: ["report", "log.ndjson"] + arguments, directory: place.url)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
    #expect(try place.folder.files() == ["log.ndjson"])
  }

  @Test func `a table is as wide as asked, also in a file`() throws {
    for width in [40, 57, 100, 132] {
      let run = try report("--width", "\(width)")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.split(separator: "\n").map(\.count).max() == width)
      #expect(try report("--width", "\(width)", "--output", "out.txt").status == 0)
      #expect(try place.text("out.txt") == run.output)
    }
    #expect(try report("--width", "100").output == report().output)
  }

  @Test func `a width that no table has is refused with those it has, 64`() throws {
    for width in ["39", "1001", "-5"] {
      let run = try report("--width", width)
      #expect(run.status == 64)
      #expect(run.errors == "funnel: --width \(width): give 40 to 1000 columns, see 'funnel report --help'\n", "\(run.errors)")
    }
    #expect(try report("--width", "x").status == 64)
  }

  @Test func `CSV for Excel begins with a byte order mark`() throws {
    let run = try report("funnel", "--excel", "--output", "out.csv")
    #expect(run.status == 0, "\(run.errors)")
    let bytes = try place.folder.contents("out.csv")
    #expect(bytes.prefix(3) == [0xEF, 0xBB, 0xBF])
    #expect(bytes.count { $0 == UInt8(ascii: "\r") } == 7 && bytes.count { $0 == UInt8(ascii: "\n") } == 7)
  }
}
