import Foundation
import Testing

/// Compares the tool's outputs for each folder of `SampleLogs/` with the expected ones in that folder. `UPDATE_EXPECTED=1`
/// renews them.
@Suite struct SampleLogsTests {
  @Test(arguments: SampleFolder.all)
  func `ingesting a sample gives its expected summary, and ingesting it again adds nothing`(sample: SampleFolder) throws {
    let workspace = try SampleWorkspace(sample)
    let first = try workspace.ingest("--format", "json")
    #expect(first.status == 0)
    // Notes are told beside the summary: steps that nobody entered, events that no flow declares.
    let notes = first.errors.split(separator: "\n")
    let undeclared = notes.filter { $0.hasSuffix(" that no flow declares, kept all the same:") }
    let names = notes.filter { $0.hasPrefix("funnel:   ") }
    let neverEntered = notes.filter { $0.hasPrefix("funnel: steps nobody entered: ") }
    // The expectations beside the logs, a log in another encoding, and zero bytes.
    let files = notes.filter { note in
      note.hasPrefix("funnel: not read, because ") || note.contains("utf16.ndjson as utf-16le")
        || note.hasSuffix(" before records")
    }
    #expect(neverEntered.count <= 1, "\(first.errors)")
    #expect(undeclared.count + names.count + neverEntered.count + files.count == notes.count, "\(first.errors)")
    // Every sample has events that no flow declares.
    #expect(undeclared.count == 1 && !names.isEmpty, "\(first.errors)")
    try Expectation.check(first.output, "ingest.json", of: sample)
    let letters = try workspace.run("rejected", "ls").output

    var expected = try IngestAnswer(first)
    expected.duplicates += expected.accepted
    expected.accepted = 0
    expected.commit = nil
    #expect(try IngestAnswer(workspace.ingest("--format", "json")) == expected)
    #expect(try workspace.run("rejected", "ls").output == letters)
  }

  @Test(arguments: SampleFolder.all.filter(\.isRefusedInPart))
  func `what is refused or unclaimed is told to a person as expected`(sample: SampleFolder) throws {
    let workspace = try SampleWorkspace(sample)
    try Expectation.check(workspace.ingest().output, "ingest.txt", of: sample)
    try Expectation.check(workspace.run("rejected", "ls").output, "rejected.txt", of: sample)
  }

  @Test(arguments: SampleFolder.all)
  func `reports of a sample are as expected, the same from files and from the store`(sample: SampleFolder) throws {
    let workspace = try SampleWorkspace(sample)
    try #require(workspace.ingest().status == 0)
    for question in sample.reports {
      let fromFiles = try workspace.reportFromFiles(question)
      #expect(fromFiles.status == 0)
      #expect(fromFiles.errors.contains(" lines were rejected: ") == sample.isRefusedInPart)
      try Expectation.check(fromFiles.output, question.file, of: sample)
      let fromStore = try workspace.reportFromStore(question)
      #expect(fromStore.status == 0)
      let isTold =
        fromStore.errors.hasPrefix("funnel: nothing matched: ") || fromStore.errors.hasPrefix("funnel: 1 permission event ")
        || fromStore.errors.hasPrefix("funnel: steps nobody entered: push, all_set of ")
        || sample == .sharedEvents
          && fromStore.errors.contains("perm_notifications_authorized, did you mean perm_notifications_granted?")
      // People in progress, or who finished in another way, are in the report too.
      let others = fromStore.errors.split(separator: "\n").filter {
        !$0.contains(" are in progress: ") && !$0.contains(" reached the last step in another way: ")
      }
      #expect(others.isEmpty || isTold)
      #expect(Data(fromStore.output.utf8) == Data(fromFiles.output.utf8), "\(question.file)")
    }
  }

  @Test func `the recipe still makes the same events`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.output(
      of: ["/bin/sh", SampleFolder.root.appending(path: "make").path, folder.path],
      environment: ["FUNNEL": FunnelRun.executable.path])
    for sample in SampleFolder.simulated {
      let name = "\(sample.name)/\(sample.name).ndjson.gz"
      let made = try Self.output(of: ["/usr/bin/env", "gzip", "-dc", folder.appending(path: name).path])
      let shipped = try Self.output(of: ["/usr/bin/env", "gzip", "-dc", SampleFolder.root.appending(path: name).path])
      #expect(!made.isEmpty)
      #expect(made == shipped, "\(name) is not what SampleLogs/make makes")
    }
  }

  @Test func `the samples' logs together are small enough to clone`() throws {
    var total = 0
    for sample in SampleFolder.simulated {
      let path = sample.url.appending(path: "\(sample.name).ndjson.gz").path
      let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      #expect(size < 300_000, "\(path)")
      total += size
    }
    #expect(total < 1_000_000)
  }

  @Test func `the whole folder can be ingested: no expectation or recipe is taken for a log`() throws {
    let lines = try SampleFolder.all.map { sample in
      try JSONDecoder().decode(IngestAnswer.self, from: Data(contentsOf: sample.url.appending(path: "ingest.json.expected")))
    }
    // The exports of other products need their mappings.
    let folders = try FileManager.default.contentsOfDirectory(at: SampleFolder.root, includingPropertiesForKeys: nil)
      .filter { $0.hasDirectoryPath && $0.lastPathComponent != "vendors" }.map(\.path).sorted()
    let run = try FunnelRun(
      arguments: ["ingest"] + folders + ["--dry-run", "--format", "json", "--now", SampleFolder.now],
      directory: FileManager.default.temporaryDirectory, environment: ["FUNNEL_STORE": "/nonexistent/store"])
    let answer = try IngestAnswer(run)
    #expect(answer.inputs == lines.map(\.inputs).reduce(0, +))
    #expect(answer.lines == lines.map(\.lines).reduce(0, +))
    #expect(answer.rejected == lines.map(\.rejected).reduce(0, +))
  }

  /// Returns the standard output of a command.
  ///
  /// - Throws: An error if the command fails.
  @discardableResult
  private static func output(of command: [String], environment: [String: String] = [:]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
    return output
  }
}
