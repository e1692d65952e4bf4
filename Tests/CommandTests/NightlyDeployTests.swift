import Foundation
import FunnelTestSupport
import Testing

/// Checks the files of `Deploy` with the programs that read them, and runs the commands they contain.
@Suite struct NightlyDeployTests {
  private static let linter = "/usr/bin/systemd-analyze"

  private func text(_ name: String) throws -> String { try DeployFile.text(name) }

  /// Checks that a command line has valid options, by running it up to the error that the inbox is missing.
  private func expectToRun(_ command: [String]) throws {
    let scratch = try TemporaryFolder()
    let arguments = Self.withoutDatabase(Array(command.dropFirst())).map {
      $0.hasPrefix("/var/") || $0.hasPrefix("/usr/local/var/") ? scratch.path("missing" + $0) : $0
    }
    let run = try FunnelRun(arguments: Array(arguments))
    #expect(run.status == 66)
    #expect(run.errors.hasPrefix("funnel: no such inbox, "))
    #expect(try scratch.files() == [])
  }

  /// Returns the words without what only a program with its database knows, if the program under test has none.
  private static func withoutDatabase(_ words: [String]) -> [String] {
    #if FUNNEL_DATABASE
      return words
    #else
      guard let place = words.firstIndex(of: "--database") else { return words }
      return Array(words[..<place] + words[(place + 2)...])
    #endif
  }

  /// Runs systemd's own linter on copies of the units that name the program under test.
  private func lint(_ arguments: String..., units: [String], dropIn: String? = nil) throws -> (status: Int32, output: String) {
    let scratch = try TemporaryFolder()
    for name in units {
      let unit = try text(name).replacing("/usr/local/bin/funnel", with: FunnelRun.executable.path)
      try scratch.write(Array(unit.utf8), to: name)
    }
    if let dropIn {
      try scratch.makeFolder("\(units[0]).d")
      try scratch.write(Array(text("notify/\(dropIn)").utf8), to: "\(units[0]).d/\(dropIn)")
    }
    let run = try FunnelRun(
      shell:
        "exec 2>&1; '\(Self.linter)' \(arguments.joined(separator: " ")) \(units.map { "'./\($0)'" }.joined(separator: " "))",
      directory: URL(filePath: scratch.path))
    return (run.status, run.output)
  }

  @Test(.enabled("systemd is not installed") { FileManager.default.isExecutableFile(atPath: linter) })
  func `systemd takes the units`() throws {
    // Their manual pages need not be installed.
    let units = ["funnel-nightly.service", "funnel-nightly.timer", "funnel-failed@.service"]
    #expect(try lint("verify", "--man=no", units: units) == (0, ""))
    #expect(try lint("verify", "--man=no", units: units, dropIn: "notify.conf") == (0, ""))
  }

  // The threshold is in tenths.
  @Test(
    .enabled("systemd is not installed") { FileManager.default.isExecutableFile(atPath: linter) },
    arguments: [(String?.none, 10), ("notify.conf", 20)])
  func `the service may do little on the machine`(dropIn: String?, threshold: Int) throws {
    let run = try lint(
      "security", "--offline=true", "--no-pager", "--threshold=\(threshold)", units: ["funnel-nightly.service"], dropIn: dropIn)
    #expect(run.status == 0 && run.output.contains("Overall exposure level"), "\(run.output)")
  }

  @Test func `the service's command runs, and a failure is mailed`() throws {
    let service = try text("funnel-nightly.service").replacing("\\\n", with: "")
    #expect(service.contains("\nOnFailure=funnel-failed@%n.service\n"))
    let line = try #require(service.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    // systemd writes a percent sign as two.
    var words = line.dropFirst("ExecStart=".count).replacing("%%", with: "%").split(separator: " ").map(String.init)
    #expect(words.popLast() == "$FUNNEL_OPTIONS" && service.contains("\nEnvironmentFile=-/etc/default/funnel\n"))
    try expectToRun(words)
    // The example of further options, as systemd cuts it.
    let options = try #require(text("funnel.default").firstMatch(of: /\n#FUNNEL_OPTIONS="([^"]*)"/)?.1)
    let arguments = try FunnelRun(shell: "printf '%s\\n' \(options)").output.split(separator: "\n").map(String.init)
    #expect(arguments.suffix(2) == ["--notify", "/usr/local/share/funnel/notify/slack.sh /etc/funnel/slack.curl"])
    try expectToRun(words + arguments)
  }

  @Test func `the unit that mails a failure passes names on as words`() throws {
    let line = try #require(
      text("funnel-failed@.service").split(separator: "\n").first { $0.hasPrefix("ExecStart=/bin/sh -c ") })
    let script = line.dropFirst("ExecStart=".count).replacing("$$", with: "$")
      .replacing("%i", with: "'a;b.service'").replacing("%H", with: "host")
    let scratch = try TemporaryFolder()
    try scratch.write(Array("#!/bin/sh\nprintf '%s\\n' \"$@\"; cat\n".utf8), to: "mail")
    try scratch.write(Array("#!/bin/sh\nprintf 'state of %s\\n' \"$*\"\n".utf8), to: "systemctl")
    let run = try FunnelRun(
      shell: "chmod +x mail systemctl; export MAIL_TO=you@example.org PATH=$PWD:$PATH; \(script)",
      directory: URL(filePath: scratch.path))
    #expect(
      run.output
        == "-s\na;b.service failed on host\nyou@example.org\nstate of status --full --no-pager --lines=50 a;b.service\n",
      "\(run.errors)")
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
    let data = try Data(contentsOf: DeployFile.folder.appending(path: "org.funnel.nightly.plist"))
    let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    #expect(list["Label"] as? String == "org.funnel.nightly")
    #expect(list["Umask"] as? Int == 0o027)
    #expect(list["StartCalendarInterval"] as? [String: Int] == ["Hour": 2, "Minute": 10])
    try expectToRun(try #require(list["ProgramArguments"] as? [String]))
  }
}
