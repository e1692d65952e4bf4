import Foundation
import Testing

/// The help of each command, which is also its manual page, lists the exit codes that the command can give.
@Suite struct ExitStatusTests {
  static let codes: [(command: [String], codes: [Int])] = [
    ([], [0, 1, 64, 65, 66, 73, 74, 75, 78]),
    (["ingest"], [0, 1, 64, 65, 66, 73, 74, 75, 78]), (["report"], [0, 64, 65, 66, 73, 74, 78]),
    (["nightly"], [0, 1, 64, 65, 66, 73, 74, 75, 78]), (["log"], [0, 64]), (["log", "ls"], [0, 64, 66, 74, 78]),
    (["log", "cat"], [0, 64, 66, 74, 78]), (["log", "verify"], [0, 64, 66, 74, 78]),
    (["log", "repair"], [0, 64, 66, 73, 74, 75, 78]), (["log", "compact"], [0, 64, 66, 73, 74, 75, 78]),
    (["log", "info"], [0, 64, 66, 74, 78]), (["rejected"], [0, 64]), (["rejected", "ls"], [0, 64, 66, 74, 78]),
    (["rejected", "show"], [0, 64, 66, 74, 78]), (["rejected", "retry"], [0, 64, 66, 73, 74, 75, 78]),
    (["forget"], [0, 64, 65, 66, 73, 74, 75, 78]), (["retain"], [0, 64, 66, 73, 74, 75, 78]),
    (["snapshots"], [0, 64, 66, 74, 78]), (["schema"], [0, 64]), (["schema", "list"], [0, 64, 66, 74, 78]),
    (["schema", "show"], [0, 64, 66, 74, 78]), (["schema", "check"], [0, 64, 65, 66, 74, 78]),
    (["schema", "infer"], [0, 64, 65, 66, 74, 78]),
    (["map"], [0, 64]), (["map", "init"], [0, 64, 65, 66, 74, 78]),
    (["simulate"], [0, 64, 66, 73, 74, 78]),
  ]

  @Test(arguments: codes.indices) func `help lists the exit codes that the command can give, and an example`(index: Int) throws
  {
    let (command, codes) = Self.codes[index]
    let help = try FunnelRun(arguments: command + ["--help"]).output
    let section = help.components(separatedBy: "\nEXIT STATUS\n").dropFirst().first?.components(separatedBy: "\n\n").first ?? ""
    let found = section.split(separator: "\n").compactMap { Int($0.split(separator: " ").first ?? "") }
    #expect(found == codes, "\(command): \(section)")
    #expect(help.contains("EXAMPLE\n  "), "\(command)")
  }

  @Test func `the meaning of a code is told for the command`() throws {
    #expect(
      try FunnelRun("simulate", "--help").output.contains(
        """
        EXIT STATUS
          0   done
          64  a mistake in the command line
          66  no such input
          73  an output can't be created
          74  reading or writing failed, or the log is damaged
          78  a flow definition is wrong

        """))
    #expect(
      try FunnelRun("ingest", "--help").output.contains(
        "  65  every line was rejected (with --strict: any line), or the input can't be\n"))
  }
}
