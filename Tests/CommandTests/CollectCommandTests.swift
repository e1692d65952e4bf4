import Testing

/// The options of `funnel collect`.
@Suite struct CollectCommandTests {
  @Test(arguments: ["0", "-1"])
  func `a limit of events below one is refused`(limit: String) throws {
    let run = try FunnelRun("collect", "--keys", "keys", "--spool", "spool", "--max-events-per-minute=\(limit)")
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(
      run.errors
        == "funnel: --max-events-per-minute \(limit): write a number of at least 1, see 'funnel collect --help'\n")
  }
}
