#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// Options of `funnel collect` that contradict each other.
  @Suite struct CollectOptionTests {
    @Test(arguments: [
      (["--spool", "spool", "--pseudonymize", "--key-file", "key"], "--key-file is for --store; with --spool, give it to "),
      (["--spool", "spool", "--every", "5m"], "--every is for --store"),
      (["--spool", "spool", "--store", "store"], "give either --spool or --store"),
    ])
    func `what is for a store is refused with a spool`(options: [String], message: String) throws {
      let folder = try TemporaryFolder()
      let run = try FunnelRun(arguments: ["collect", "--keys", "keys"] + options, directory: URL(filePath: folder.path))
      #expect(run.status == 64)
      #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `with a spool, ids may be personal data, for the ingest makes pseudonyms of them`() throws {
      let folder = try TemporaryFolder()
      let arguments = ["collect", "--keys", "missing", "--spool", "spool", "--pseudonymize"]
      let run = try FunnelRun(arguments: arguments, directory: URL(filePath: folder.path))
      // The options are valid: the key file is the first thing that is missing.
      #expect(run.status == 66, "\(run.errors)")
    }
  }
#endif
