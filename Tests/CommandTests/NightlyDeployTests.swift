import Foundation
import FunnelTestSupport
import Testing

/// Checks the files of `Deploy` with the programs that read them, and runs the commands they contain.
@Suite struct NightlyDeployTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Deploy").standardized
  private static let linter = "/usr/bin/systemd-analyze"

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  /// Checks that a command line has valid options, by running it up to the error that the inbox is missing.
  private func expectToRun(_ command: [String]) throws {
    let scratch = try TemporaryFolder()
    let arguments = command.dropFirst().map {
      $0.hasPrefix("/var/") || $0.hasPrefix("/usr/local/var/") ? scratch.path("missing" + $0) : $0
    }
    let run = try FunnelRun(arguments: Array(arguments))
    #expect(run.status == 66)
    #expect(run.errors.hasPrefix("funnel: no such inbox, "))
    #expect(try scratch.files() == [])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: linter)))
  func `systemd takes the service and its timer`() throws {
    let scratch = try TemporaryFolder()
    let service = try text("funnel-nightly.service").replacing("/usr/local/bin/funnel", with: FunnelRun.executable.path)
    try scratch.write(Array(service.utf8), to: "funnel-nightly.service")
    try scratch.write(Array(text("funnel-nightly.timer").utf8), to: "funnel-nightly.timer")
    let verify = Process()
    verify.executableURL = URL(filePath: Self.linter)
    verify.arguments = ["verify", scratch.path("funnel-nightly.service"), scratch.path("funnel-nightly.timer")]
    let errors = Pipe()
    verify.standardError = errors
    try verify.run()
    let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    verify.waitUntilExit()
    #expect(complaints == "")
    #expect(verify.terminationStatus == 0)
  }

  @Test func `the service's command runs`() throws {
    let line = try #require(try text("funnel-nightly.service").split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    // systemd writes a percent sign as two.
    try expectToRun(line.dropFirst("ExecStart=".count).replacing("%%", with: "%").split(separator: " ").map(String.init))
  }

  @Test func `the crontab has one job whose command runs and who gets the mail`() throws {
    let lines = try text("funnel-nightly.crontab").split(separator: "\n").filter { !$0.hasPrefix("#") }
    let job = /^[0-9*\/,-]+ [0-9*\/,-]+ [0-9*\/,-]+ [0-9*\/,-]+ [0-9*\/,-]+ nice -n 10 (\S.*)$/
    let commands = try lines.compactMap { try job.wholeMatch(in: $0)?.1 }
    #expect(commands.count == 1)
    #expect(try lines.count { try /[A-Z_]+=\S+/.wholeMatch(in: $0) != nil } == lines.count - 1)
    #expect(lines.contains { $0.hasPrefix("MAILTO=") })
    let command = try #require(commands.first)
    // cron takes a percent sign for a line break.
    #expect(!command.contains("%"))
    try expectToRun(command.split(separator: " ").map(String.init) + ["--store", "/var/store"])
  }

  @Test func `launchd's property list can be read and its command runs`() throws {
    let data = try Data(contentsOf: Self.folder.appending(path: "org.funnel.nightly.plist"))
    let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    #expect(list["Label"] as? String == "org.funnel.nightly")
    #expect(list["Umask"] as? Int == 0o027)
    #expect(list["StartCalendarInterval"] as? [String: Int] == ["Hour": 2, "Minute": 10])
    try expectToRun(try #require(list["ProgramArguments"] as? [String]))
  }
}
