import ArgumentParser
import FunnelKit
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

  /// The default of `--memory-limit`. It is lower than that of `funnel report`, because several workers run at once.
  private static let memoryLimitDefault = "192MiB"

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
      "Memory for the events of a report that can't use the index, as for 'funnel report' (default: \(memoryLimitDefault)).",
      valueName: "size"))
  var memoryLimit = ServeCommand.memoryLimitDefault

  func run() throws {
    #if FUNNEL_SERVER
      try serve()
    #else
      throw FunnelError(
        .configuration, "this program was built without the server, funnel serve, build the complete program: make build")
    #endif
  }
}

// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import ArgumentParser
  import FunnelModel
  import FunnelServer
  import FunnelStore
  import FunnelSystem

  extension ServeCommand {
    /// Runs the server until SIGINT, SIGTERM or SIGHUP.
    ///
    /// - Throws: `usage` if an option is not valid, or errors of the store, the definitions, the token file or the address.
    func serve() throws {
      for name in host where ServerAddress.named(byHeader: name) == nil {
        throw FunnelError(.usage, "not a host name, --host \(name.printable), give a name, or a name and a port")
      }
      let wanted = try ServerAddress(listen)
      let token = try tokenFile.map { (file) throws(FunnelError) in try AccessToken(file: file) }
      guard token != nil || wanted.isLoopback else {
        throw FunnelError(
          .usage,
          "anyone could read the pages on \(wanted), --listen \(listen.printable), give --token-file, or listen on 127.0.0.1"
        )
      }
      _ = try MemoryOption.limit(memoryLimit)
      try StoreReader.requireStore(store.path)
      _ = try schemas.catalog(store: store.path)
      let ended = EndSignals()
      let runner = ReportRunner(source: sourceArguments, processes: Environment.processorCount)
      let path = store.path
      let schemas = schemas
      let names = host
      let server = try HTTPServer(address: wanted) { address in
        ReportService(
          store: path, schemas: schemas, address: address, names: names, token: token, runner: runner,
          present: { try ClockOption.parse([]).present() })
      }
      runner.warmUp()
      Console.print("http://\(server.address)/\n")
      Console.note("funnel: serving the pages of \(store.path.printable); press Control-C to stop")
      ended.wait()
      server.stop()
    }

    /// The arguments with which a worker reads the same events and definitions.
    private var sourceArguments: [String] {
      ["--store=\(store.path)", "--threads=1"] + schemas.schemas.map { "--schemas=\($0)" } + ["--memory-limit=\(memoryLimit)"]
    }
  }
#endif
