// The server is a trait of the package: without it, SwiftNIO need not be built.
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
    /// Serves until a signal ends it.
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
      let (path, schemas, names) = (store.path, schemas, host)
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
#endif
