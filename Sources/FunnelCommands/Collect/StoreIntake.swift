// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import Dispatch
  import FunnelCollect
  import FunnelIngest
  import FunnelKit
  import FunnelModel
  import FunnelSystem

  /// Ingests the finished files of a store's spool into the store, from time to time.
  ///
  /// A file is removed after its events are in the store. If the process ends in between, the next ingest finds them there, because
  /// each event has an ID.
  final class StoreIntake: Sendable {
    private let store: String
    private let definitions: DefinitionSources
    private let lockTimeout: TimeSpan
    private let subjects: SubjectForm
    private let thread = ThreadGroup()
    /// Signaled to end the thread.
    private let ended = DispatchSemaphore(value: 0)
    /// The spool, or `nil` before ``start(every:from:)``.
    private let spool = Guarded<Spool?>(nil)

    init(store: String, definitions: DefinitionSources, lockTimeout: TimeSpan, subjects: SubjectForm) {
      self.store = store
      self.definitions = definitions
      self.lockTimeout = lockTimeout
      self.subjects = subjects
    }

    /// The folder of the files.
    var spoolPath: String { "\(store)/spool" }

    private var operation: IngestOperation {
      IngestOperation(
        storePath: store, definitions: definitions, now: WallClock.now(), threads: 1, lockTimeout: lockTimeout, app: nil,
        subjects: subjects, imports: ImportSettings(format: "native", mappingFiles: []))
    }

    /// Throws the error that every ingest would end with, such as a wrong definition, or raw ids for a store of pseudonyms.
    func check() throws { _ = try operation.preview([], isStrict: false, monitor: Console.monitor) }

    /// Ingests what an earlier process left, and then what is finished after each interval.
    func start(every interval: TimeSpan, from spool: Spool) {
      self.spool.withLock { $0 = spool }
      thread.start {
        repeat {
          self.ingest(from: spool)
        } while self.ended.wait(timeout: .now() + .milliseconds(Int(interval.milliseconds))) == .timedOut
      }
    }

    /// Ingests what is finished, and ends the thread.
    func finish() {
      guard let spool = spool.withLock({ $0 }) else { return }
      ended.signal()
      thread.wait()
      ingest(from: spool)
    }

    private func ingest(from spool: Spool) {
      do {
        let files = try spool.finishedFiles()
        guard !files.isEmpty else { return }
        _ = try operation.ingest(try InputFile.files(at: files.map(\.description)), isStrict: false, monitor: Console.monitor)
        for file in files { try LocalFileSystem().remove(file) }
      } catch let error as FunnelError {
        Console.printError(
          "\(error.messageOfServer); the events stay in \(spoolPath.printable), and the next ingest tries again")
      } catch {
        Console.printError("\(error); the events stay in \(spoolPath.printable), and the next ingest tries again")
      }
    }
  }
#endif
