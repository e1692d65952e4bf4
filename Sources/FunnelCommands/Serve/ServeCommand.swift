import ArgumentParser
import FunnelModel

/// The `funnel serve` command, which shows the reports of a store as pages.
struct ServeCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(.noInput, .inputOutput, .configuration)

  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the reports of a store as pages in a browser.",
    discussion: """
      Each state of a page is a link that one can send, the same numbers are there as JSON and CSV, and a page shows the command that \
      prints the same. Nothing is changed: pages only read. A new commit is seen by the next request.

      Without a token file only this machine can ask. With one, whose mode must be 600, each request needs its first line, as \
      'Authorization: Bearer TOKEN' or by a form. There is no TLS: put a proxy in front, and name it with --host.

      EXAMPLE
        funnel serve
        funnel serve --listen 127.0.0.1:9000 --store logs-store
        funnel serve --listen 0.0.0.0:8080 --token-file token --host funnel.example.org
        curl 'http://127.0.0.1:8080/api/v1/report/funnel?since=7d&by=ctx.variant'

      \(exitStatus)
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var schemas: SchemaOption

  @Option(help: ArgumentHelp("The address and the port to listen on.", valueName: "address:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("A file whose first line opens the pages.", valueName: "file"), completion: .file())
  var tokenFile: String?

  @Option(help: ArgumentHelp("A name that the server may be called by, as a proxy calls it (repeatable).", valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Memory for the events of a report that the index does not answer, as for 'funnel report' (default: 192MiB).",
      valueName: "size"))
  var memoryLimit = "192MiB"

  func run() throws {
    #if FUNNEL_SERVER
      try serve()
    #else
      throw FunnelError(
        .configuration, "this program was built without its server, funnel serve, build the whole one: make build")
    #endif
  }
}
