import ArgumentParser
import FunnelKit
import FunnelModel

/// The `funnel collect` command: receives events from apps over HTTP.
struct CollectCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    special: [
      .noInput: "no such key file", .cannotCreate: "the spool can't be made or written to",
      .inputOutput: "the address can't be listened on", .configuration: "the key file or a flow definition is wrong",
    ])

  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Receive events from apps over HTTP.",
    discussion: """
      Apps send native events, or what the clients of Segment, RudderStack, PostHog, Amplitude, Mixpanel, Snowplow and OpenTelemetry \
      send: give them the address of this server in place of the vendor's. A request is answered with 200 when its events are on the \
      disk.

      With --spool, events become files for 'funnel ingest DIR' or 'funnel nightly --inbox DIR'. With --store, the server ingests \
      them itself, every minute or as --every says.

      The key file has one line for each key: KEY APP. Its mode must be 600. The app of an event is that of the key, whatever the \
      client says. SIGHUP reads the file again. There is no TLS: put a proxy in front, and say so with --public.

      With --pseudonymize ids may be e-mail addresses. They become pseudonyms at the ingest, and stand in the spool until then. With \
      --spool, give --pseudonymize to the ingest too.

      EXAMPLE
        echo "$(openssl rand -hex 16) todo" > keys && chmod 600 keys
        funnel collect --keys keys --store funnel-store
        funnel collect --keys keys --spool inbox --listen 0.0.0.0:8090 --public
        curl -H 'Authorization: Bearer KEY' --data-binary @day.ndjson URL/v1/events

      \(exitStatus)
      """)

  @Option(help: ArgumentHelp("Address and port to listen on.", valueName: "address:port"))
  var listen = "127.0.0.1:8090"

  @Flag(help: "Listen on an address that others can reach: a proxy with TLS stands in front.")
  var `public` = false

  @Option(help: ArgumentHelp("File of the keys and their apps.", valueName: "file"), completion: .file())
  var keys: String

  @Option(help: ArgumentHelp("Folder for files of events.", valueName: "dir"), completion: .directory)
  var spool: String?

  @Option(help: ArgumentHelp("Store that the server ingests events into.", valueName: "dir"), completion: .directory)
  var store: String?

  @Option(help: ArgumentHelp("Time between two ingests, with --store (default: 60s).", valueName: "span"))
  var every: String?

  @Option(
    help: ArgumentHelp("Largest size of the spool, in bytes or as 500MiB. At the limit, clients get 503.", valueName: "size"))
  var spoolLimit = "10GiB"

  @Option(
    help: ArgumentHelp(
      "Most events that one key may send in a minute (default: no limit). Above, its clients get 429.", valueName: "number"))
  var maxEventsPerMinute: Int?

  @Option(
    help: ArgumentHelp(
      "Origin of web pages that may send events, such as https://app.example.org (repeatable).", valueName: "url"))
  var allowOrigin: [String] = []

  @OptionGroup var pseudonyms: PseudonymOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var lock: LockOption

  func validate() throws {
    guard (spool == nil) != (store == nil) else { throw ValidationError("give either --spool or --store") }
    if spool?.isEmpty == true { throw ValidationError("--spool is empty; name a folder") }
    if store?.isEmpty == true { throw ValidationError("--store is empty; name a folder") }
    if every != nil, store == nil { throw ValidationError("--every is for --store") }
    if pseudonyms.key.keyFile != nil, store == nil {
      throw ValidationError("--key-file is for --store; with --spool, give it to 'funnel ingest' or 'funnel nightly'")
    }
    if let maxEventsPerMinute, maxEventsPerMinute < 1 {
      throw ValidationError("--max-events-per-minute \(maxEventsPerMinute): write a number of at least 1")
    }
    for origin in allowOrigin where !Self.isOrigin(origin) {
      throw ValidationError("--allow-origin \(origin.printable): write an origin as https://app.example.org, without a path")
    }
  }

  /// Whether a text is an origin as browsers send it: a scheme, a host, and a port if it is not the usual one.
  private static func isOrigin(_ text: String) -> Bool {
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return false }
    let host = text.drop { $0 != "/" }.dropFirst(2)
    return !host.isEmpty
      && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "*") }
  }

  func run() throws {
    #if FUNNEL_SERVER
      try collect()
    #else
      throw FunnelError(
        .configuration, "this program was built without the server, funnel collect, build the complete program: make build")
    #endif
  }
}

// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import FunnelCollect
  import FunnelSchemas
  import FunnelServer
  import FunnelSystem

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  extension CollectCommand {
    /// The time in which requests in progress are answered at the end.
    private static let stopTime = Duration.seconds(8)
    private static let everyDefault = TimeSpan(milliseconds: 60_000)

    /// The limits of clients. Each body is copied once, so the process holds at most twice the bytes that are buffered.
    private static var limits: UploadLimits {
      var limits = UploadLimits()
      limits.bufferedBytes = 72 << 20
      return limits
    }

    /// Raises the number of files that the process may open to what all connections need.
    private static func allowConnections() {
      var limit = rlimit()
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let resource = RLIMIT_NOFILE
      #endif
      guard getrlimit(resource, &limit) == 0 else { return }
      // Beside connections there are files of the spool and of an ingest.
      let wanted = rlim_t(2 * limits.connections)
      guard limit.rlim_cur < wanted else { return }
      limit.rlim_cur = min(wanted, limit.rlim_max)
      _ = setrlimit(resource, &limit)
    }

    /// Runs the server until SIGINT or SIGTERM.
    ///
    /// - Throws: `usage` if an option is not valid, or errors of the keys, the spool, the store or the address.
    private func collect() throws {
      let wanted = try ServerAddress(listen)
      guard `public` || wanted.isLoopback else {
        throw FunnelError(
          .usage,
          "anyone could send events to \(wanted) without TLS, --listen \(listen.printable), put a proxy with TLS in front and give --public, or listen on 127.0.0.1"
        )
      }
      let interval = try interval()
      var settings = SpoolSettings(now: WallClock.now)
      settings.limitBytes = try SpoolSettings.limitBytes(parsing: spoolLimit)
      // A store shows the truth of a minute ago only if its files are not older.
      if store != nil { settings.fileAgeMax = min(settings.fileAgeMax, interval) }
      Self.allowConnections()
      let ended = EndSignals()
      let keys = try CollectKeys(file: self.keys)
      let intake = try store.map { try makeIntake(store: $0) }
      let spool = try Spool(folder: spool ?? intake?.spoolPath ?? "", settings: settings)
      let metrics = CollectMetrics()
      var parts = Collector.Parts(
        keys: keys, spool: spool, metrics: metrics, privacy: BuiltInSchemas.privacy, inflate: GzipBody.inflated)
      parts.allowedOrigins = Set(allowOrigin)
      parts.awaitsPseudonyms = pseudonyms.pseudonymize
      parts.recordsPerMinuteMax = maxEventsPerMinute
      parts.notify = { Console.note("funnel: \($0)") }
      let collector = Collector(parts, threads: Environment.processorCount)
      let server: UploadServer
      do throws(FunnelError) {
        server = try UploadServer(
          address: wanted, limits: Self.limits, service: CollectService(collector, metrics: metrics), clock: WallClock.now)
      } catch {
        collector.close()
        spool.close()
        throw error
      }
      Console.print("http://\(server.address)/\n")
      Console.note(
        "funnel: collecting events of \(keys.description) into \((store ?? self.spool ?? "").printable); press Control-C to stop"
      )
      intake?.start(every: interval, from: spool)
      while ended.wait() == SIGHUP {
        let problem = collector.reloadKeys(from: self.keys)
        Console.note(problem.map { "funnel: \($0)" } ?? "funnel: the keys were read again")
      }
      server.stop(within: Self.stopTime)
      collector.close()
      spool.close()
      intake?.finish()
    }

    /// - Throws: `usage` if `--every` is not a time span of at least a second.
    private func interval() throws(FunnelError) -> TimeSpan {
      guard let every else { return Self.everyDefault }
      guard let span = TimeSpan(every), span.milliseconds >= 1_000 else {
        throw FunnelError(.usage, "not a time span, --every \(every.printable), write it as 30s or 5m, at least 1s")
      }
      return span
    }

    private func makeIntake(store: String) throws -> StoreIntake {
      let intake = StoreIntake(
        store: store, definitions: schemas.sources, lockTimeout: try lock.timeout(), subjects: pseudonyms.form)
      try intake.check()
      return intake
    }
  }
#endif
