import FunnelDecoding
import FunnelIngest
import FunnelIndex
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelSchemas
import FunnelSystem
import FunnelTestSupport
import Testing

/// An erasure is interrupted at every call that changes the disk. The store is then in its old or its new state, and repeating
/// the erasure leaves no trace.
@Suite struct ErasureCrashTests {
  private static let subject = "inst_4f2a91c07d"

  /// The ways in which the erasure ends at a call.
  enum Ending: CaseIterable {
    case killed, killedAndPowerLost, failed

    func fault(at call: Int) -> FaultyFileSystem.Fault {
      switch self {
      case .killed, .killedAndPowerLost: .killDuring(call: call)
      case .failed: .failure(atCall: call)
      }
    }
  }

  @Test(arguments: Ending.allCases)
  func aBrokenErasureIsOldOrNewAndDoneAgainItIsWhole(_ ending: Ending) throws {
    let folder = try prepare()
    let (whole, counter) = (try folder.copy(), FaultyFileSystem())
    try forget(whole, counter)
    let (before, after) = (try lines(folder), try lines(whole))
    #expect(before.count > after.count && counter.calls > 25)
    for call in 1...counter.calls {
      let folder = try folder.copy()
      let fileSystem = FaultyFileSystem(ending.fault(at: call))
      let outcome = Result { try forget(folder, fileSystem) }
      if ending == .killedAndPowerLost { try fileSystem.losePower() }
      let comment: Comment = "\(ending) at call \(call) of \(counter.calls)"
      let reader = try StoreReader.open(folder.path("store"))
      let found = try lines(folder)
      #expect(found == before || found == after, comment)
      if case .success = outcome { #expect(found == after, comment) }
      if let index = try (try? EventIndex.open(for: reader))?.completed(with: reader, threads: 1) {
        #expect(index.eventCount == reader.eventCount, comment)
      }
      try forget(folder, LocalFileSystem())
      #expect(try lines(folder) == after, comment)
      #expect(try TraceSearch(for: Self.subject).traces(in: folder, below: "store/") == [], comment)
      #expect(try StoreVerification.run(folder.path("store")) == [], comment)
      #expect(try Tombstones(of: StoreReader.open(folder.path("store"))).count == 1, comment)
    }
  }

  private func prepare() throws -> TemporaryFolder {
    let catalog = try FlowCatalog.loading()
    let store = try IndexedStore(catalog: catalog)
    for round in 0..<2 {
      let events = ["a", Self.subject, "b"].map { subject in
        #"{"name":"perm_flow_start","ts":\#(1_794_787_200_000 + round),"subject":"\#(subject)","app":"cleaner"}"#
      }
      try store.ingest(events + [#"{"subject":"\#(Self.subject)","round":\#(round)}"#, "{"])
      try store.refresh(threads: 1)
    }
    #expect(try TraceSearch(for: Self.subject).traces(in: store.folder, below: "store/index").count > 0)
    return store.folder
  }

  /// Does what `funnel forget` does.
  private func forget(_ folder: TemporaryFolder, _ fileSystem: any FileSystem) throws {
    let writer = try StoreWriter.open(
      folder.path("store"), lockTimeout: lockPatience, fileSystem: fileSystem)
    let erasure = Erasure(of: [Self.subject], key: nil)
    let plan = try erasure.plan(in: writer.reader, at: Journeys.now, threads: 1)
    _ = try erasure.apply(plan, on: writer, at: Journeys.now, threads: 1)
  }

  private func lines(_ folder: TemporaryFolder) throws -> [String] {
    let reader = try StoreReader.open(folder.path("store"))
    return try [LogFileName.Area.log, .rejected].flatMap { try reader.members(of: $0) }.flatMap { member in
      String(decoding: try reader.read(member), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
