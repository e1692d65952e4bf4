import ArgumentParser
import FunnelModel
import FunnelServer
import FunnelStore
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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

  func validate() throws {
    for name in host where ServerAddress.named(byHeader: name) == nil {
      throw ValidationError("--host \(name.printable): give a name, or a name and a port")
    }
  }

  func run() throws {
    let wanted = try ServerAddress(listen)
    let token = try tokenFile.map { (file) throws(FunnelError) in try AccessToken(file: file) }
    guard token != nil || wanted.isLoopback else {
      throw FunnelError(
        .usage,
        "everybody could read what is served on \(wanted), --listen \(listen.printable), give --token-file, or listen on 127.0.0.1"
      )
    }
    var memory = try MemoryOption.parse([])
    memory.memoryLimit = memoryLimit
    _ = try memory.byteCount()
    try StoreReader.requireStore(store.path)
    _ = try schemas.catalog(store: store.path)
    let ended = EndSignals()
    let runner = ReportRunner(source: sourceArguments, processes: max(1, Environment.processorCount))
    let (path, schemas, names) = (store.path, schemas, host)
    let server = try HTTPServer(address: wanted) { address in
      ReportService(
        store: path, schemas: schemas, address: address, names: names, token: token, runner: runner,
        present: { try ClockOption.parse([]).present() })
    }
    Console.print("http://\(server.address)/\n")
    Console.note("funnel: these are the pages of \(store.path.printable); Control-C ends them")
    ended.wait()
    server.stop()
  }

  /// The arguments by which a report finds the same events and definitions.
  private var sourceArguments: [String] {
    ["--store=\(store.path)", "--threads=1"] + schemas.schemas.map { "--schemas=\($0)" } + ["--memory-limit=\(memoryLimit)"]
  }
}

/// The signals that end a server: those of a terminal's Control-C, of a closed terminal, and of a service manager.
private struct EndSignals {
  private var signals = sigset_t()

  /// Keeps the signals from ending the process, in this thread and in all that it starts from now on.
  init() {
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for one of them.
  func wait() {
    var (signals, signal) = (signals, Int32(0))
    sigwait(&signals, &signal)
  }
}
