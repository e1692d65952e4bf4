import Foundation
import FunnelTestSupport
import Testing

/// Conditions on subjects, values from files, and the subjects that a store lists as internal.
@Suite struct SubjectConditionTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let log = ["a1", "a2", "i1", "i2", "@x"].map { LogLine.completedRun($0, "\"ctx\":{\"variant\":\"\($0)\"}") }
    try place.write(log.joined(), to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func groups(_ arguments: String..., from input: [String] = []) throws -> [String] {
    let run = try FunnelRun(
      arguments: ["groups", "entered"] + input + [
        "--flow", "cleaner/permissions_flow", "--format", "lines", "--now", Workplace.now,
      ]
        + arguments, directory: place.url)
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `a subject is asked for as any other key`() throws {
    for input in [[], ["log.ndjson"]] {
      #expect(try groups("--where", "subject=i1,a2", from: input) == ["a2", "i1"])
      #expect(try groups("--where", "subject!=i1,a2", from: input) == ["@x", "a1", "i2"])
      #expect(try groups("--where", "subject~i*", from: input) == ["i1", "i2"])
      #expect(try groups("--where", "subject!~i*", "--where", "subject!=a2", from: input) == ["@x", "a1"])
    }
  }

  @Test func `an internal user of too many subjects leaves none of them out, and the report says so`() throws {
    let log = (1...4).map { LogLine.completedRun("d\($0)", at: $0 * 10, #""user":"demo""#) }.joined()
    try place.write(log, to: "demo.ndjson")
    _ = try place.ingest("demo.ndjson", "--store", "demo")
    try place.write("demo\n", to: "demo/internal.txt")
    let sentence =
      "demo of internal.txt does not leave out the 4 subjects that name it, because it is not one person; "
      + "list the subjects, or raise --merge-limit"
    func report(_ limit: String, _ more: String...) throws -> FunnelRun {
      let arguments = ["report", "funnel", "--store", "demo", "--merge-limit", limit, "--now", Workplace.now] + more
      return try FunnelRun(arguments: arguments, directory: place.url)
    }
    let counted = try report("3", "--format", "json")
    #expect(counted.output.contains(#""entered":4"#) && counted.errors.contains("funnel: \(sentence)\n"), "\(counted.errors)")
    let page = try report("3", "--format", "markdown").output
    #expect(page.contains("does not leave out the 4 subjects that name it"), "\(page)")
    let merged = try report("4", "--format", "json")
    #expect(!merged.errors.contains("does not leave out"), "\(merged.errors)")
    #expect(merged.errors.contains("1 subject of internal.txt is left out"), "\(merged.errors)")
    #expect(try !report("3", "--format", "json", "--internal").errors.contains("does not leave out"))
  }

  @Test func `values may be in a file, one a line`() throws {
    try place.write("i1\r\n\n  a2  \n", to: "office.txt")
    #expect(try groups("--where", "subject=@office.txt") == ["a2", "i1"])
    #expect(try groups("--where", "ctx.variant!=@office.txt") == ["@x", "a1", "i2"])
    #expect(try groups("--where", "subject=\\@x") == ["@x"])
  }

  @Test(arguments: [
    (
      "subject=@nobody.txt", 66,
      "cannot read nobody.txt: No such file or directory, check the path, --where subject=@nobody.txt"
    ),
    ("subject=@", 64, "no file name after @, --where subject=@, name a file with one value per line"),
    (
      "subject=@empty.txt", 65,
      "empty.txt has no values, --where subject=@empty.txt, write one per line, or leave the condition out"
    ),
    ("subject<5", 64, "subjects have no order, --where subject<5, compare them with =, !=, ~ or !~"),
  ]) func `what can't be asked of a subject is said`(condition: String, status: Int, message: String) throws {
    try place.write("\n", to: "empty.txt")
    let run = try FunnelRun(arguments: ["report", "--where", condition, "--now", Workplace.now], directory: place.url)
    #expect(run.status == Int32(status))
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test func `groups are not split by their subjects`() throws {
    let run = try FunnelRun(arguments: ["report", "--by", "subject", "--now", Workplace.now], directory: place.url)
    #expect(run.status == 64)
    #expect(
      run.errors
        == "funnel: subject can be used only in conditions, --by subject, list people with 'funnel groups', or use --where subject=ID\n"
    )
  }

  @Test func `internal subjects are left out of every report, which says how many`() throws {
    try place.write("# the office\n\ni*\na1\n", to: "funnel-store/internal.txt")
    #expect(try groups() == ["@x", "a2"])
    #expect(try groups("--internal").count == 5)
    #expect(try groups(from: ["log.ndjson"]).count == 5)
    let note = "3 subjects of internal.txt are left out; --internal counts them"
    for format in ["table", "json", "csv", "markdown", "html"] {
      let run = try FunnelRun(
        arguments: ["report", "funnel", "--flow", "cleaner/permissions_flow", "--format", format, "--now", Workplace.now],
        directory: place.url)
      #expect(run.errors.contains("funnel: \(note)\n"), "\(format)")
      let shown = format == "html" ? note.replacing("--internal", with: "<code>--internal</code>") : note
      #expect(run.output.contains(shown) == ["table", "markdown", "html"].contains(format), "\(format)")
    }
    let known = try FunnelRun(arguments: ["report", "funnel", "--now", Workplace.now, "--internal"], directory: place.url)
    #expect(!known.errors.contains("internal") && !known.output.contains("internal"))
    let trace = try FunnelRun(arguments: ["trace", "i1", "--now", Workplace.now], directory: place.url)
    #expect(trace.status == 0)
    let verify = try FunnelRun(arguments: ["log", "verify"], directory: place.url)
    #expect(verify.status == 0, "\(verify.errors)")
  }
}
