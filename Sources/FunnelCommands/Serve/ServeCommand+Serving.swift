// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
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
      var memory = try MemoryOption.parse([])
      memory.memoryLimit = memoryLimit
      _ = try memory.byteCount()
      try StoreReader.requireStore(store.path)
      _ = try schemas.catalog(store: store.path)
      let ended = EndSignals()
      let runner = ReportRunner(source: sourceArguments, processes: max(1, Environment.processorCount))
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

  /// Waits for the signals that end a server: SIGINT (Control-C), SIGHUP (closed terminal) and SIGTERM (service manager).
  private struct EndSignals {
    private var signals = sigset_t()

    /// Blocks the signals in this thread and in all threads that it starts later.
    init() {
      sigemptyset(&signals)
      for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
      pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for one of the signals.
    func wait() {
      var signals = signals
      var signal: Int32 = 0
      sigwait(&signals, &signal)
    }
  }
#endif
