import ArgumentParser
import FunnelModel

/// The `funnel serve` command: serves the reports of a store as web pages.
struct ServeCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(.noInput, .inputOutput, .configuration)

  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the reports of a store as pages in a browser.",
    discussion: """
      Every view of a page has its own link that you can share. Each page links to the same numbers as JSON and CSV, and shows the \
      command that prints them. The server only reads the store. A new commit is visible from the next request on.

      Without a token file, pages can be opened only on this machine. With a token file, whose mode must be 600, each request needs the \
      file's first line, as 'Authorization: Bearer TOKEN' or by a login form. There is no TLS: put a proxy in front, and give its name \
      with --host.

      EXAMPLE
        funnel serve
        funnel serve --listen 127.0.0.1:9000 --store logs-store
        funnel serve --listen 0.0.0.0:8080 --token-file token --host funnel.example.org
        curl 'http://127.0.0.1:8080/api/v1/report/funnel?since=7d&by=ctx.variant'

      \(exitStatus)
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var schemas: SchemaOption

  @Option(help: ArgumentHelp("Address and port to listen on.", valueName: "address:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("File whose first line is the access token.", valueName: "file"), completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Host name under which the server can be reached, for example through a proxy (repeatable).", valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Memory for the events of a report that can't use the index, as for 'funnel report' (default: 192MiB).",
      valueName: "size"))
  var memoryLimit = "192MiB"

  func run() throws {
    #if FUNNEL_SERVER
      try serve()
    #else
      throw FunnelError(
        .configuration, "this program was built without the server, funnel serve, build the complete program: make build")
    #endif
  }
}
