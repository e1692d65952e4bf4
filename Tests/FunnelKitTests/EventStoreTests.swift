import Foundation
import FunnelKit
import FunnelTestSupport
import Testing

@Suite struct EventStoreTests {
  /// The time of the expected outputs in `SampleLogs`.
  private static let now = Date(timeIntervalSince1970: 1_795_176_000)
  private static let cleaner = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("SampleLogs/cleaner").path

  private let folder: TemporaryFolder
  private let store: EventStore

  init() throws {
    folder = try TemporaryFolder()
    store = try EventStore.openOrCreate(at: folder.path("store"))
  }

  private func ingestSample() async throws -> EventStore.IngestResult {
    var options = EventStore.IngestOptions()
    options.now = Self.now
    return try await store.ingest(files: [Self.cleaner], options: options)
  }

  private func query(_ reports: [ReportName] = [.funnel, .grants, .dropoff]) -> Query {
    var query = Query(flows: ["cleaner/permissions_flow"], reports: reports)
    query.now = Self.now
    return query
  }

  @Test func `an ingest counts its lines, and a second one finds duplicates only`() async throws {
    let first = try await ingestSample()
    #expect(first.lines == 3626)
    #expect(first.accepted == 3596)
    #expect(first.duplicates == 30)
    #expect(first.commit == 1)
    let second = try await ingestSample()
    #expect(second.accepted == 0)
    #expect(second.duplicates == 3626)
    #expect(second.commit == nil)
    #expect(try store.eventCount == 3596)
  }

  @Test func `a report has typed rows`() async throws {
    _ = try await ingestSample()
    let report = try await store.report(query())
    let funnel = try #require(report.funnel.first)
    #expect(funnel.flow == "cleaner/permissions_flow@1")
    #expect((funnel.entered, funnel.completed, funnel.dropped, funnel.inProgress) == (527, 375, 129, 23))
    #expect(funnel.steps.map(\.reached) == [527, 492, 456, 361, 30, 375])
    #expect(try #require(funnel.conversion).low < 0.68)
    #expect(report.grants.map(\.permission) == ["photos", "contacts", "push"])
    #expect(report.grants.map(\.granted) == [245, 200, 186])
    #expect(report.dropoff.first?.steps.map(\.dropped).reduce(0, +) == 129)
    #expect(report.missingEventCount == 0)
  }

  @Test func `filters and dimensions split the same groups`() async throws {
    _ = try await ingestSample()
    var byVariant = query([.funnel])
    byVariant.by = [.context("variant")]
    let rows = try await store.report(byVariant).funnel
    #expect(rows.map(\.entered).reduce(0, +) == 527)
    var ofOne = query([.funnel])
    ofOne.filters = [Query.Filter(.context("variant"), .isOneOf(["A"]))]
    let filtered = try await store.report(ofOne).funnel
    #expect(filtered.first?.entered == rows.first { $0.segment == ["A"] }?.entered)
  }

  @Test func `rows of any report have the fields of its JSON`() async throws {
    _ = try await ingestSample()
    let rows = try await store.report(query([.funnel])).rows(of: .funnel)
    #expect(rows.first?["entered"] == .integer(527))
    #expect(rows.first?["closed"]["completed"] == .integer(330))
    #expect(rows.first?["unknown"] == .null)
  }

  @Test func `files without a store give the report of a store`() async throws {
    _ = try await ingestSample()
    let ofStore = try await store.report(query()).rendered(as: .json)
    let ofFiles = try await EventFiles([Self.cleaner]).report(query()).rendered(as: .json)
    #expect(ofStore == ofFiles)
  }

  @Test func `lines are ingested, and a forgotten subject stays forgotten`() async throws {
    let lines = ["a", "b"].map {
      #"{"name":"app_opened","ts":"2026-11-01T10:00:00Z","subject":"\#($0)","app":"cleaner"}"#
    }
    var options = EventStore.IngestOptions()
    options.now = Self.now
    #expect(try await store.ingest(lines: lines, options: options).accepted == 2)
    let preview = try await store.forget(["a"], isDryRun: true)
    #expect((preview.events, preview.commit) == (1, nil))
    let result = try await store.forget(["a"])
    #expect((result.found, result.events, result.eventsInStore) == (1, 1, 1))
    #expect(try await store.ingest(lines: lines, options: options).accepted == 0)
    #expect(try await store.verify().isEmpty)
  }

  @Test func `verify finds a changed byte`() async throws {
    _ = try await ingestSample()
    let name = try #require(try folder.files().first { $0.hasPrefix("store/log/") })
    var bytes = try folder.contents(name)
    bytes[bytes.count / 2] ^= 0xFF
    try folder.write(bytes, to: name)
    let damage = try await store.verify()
    #expect(damage.first?.path.hasSuffix(name) == true)
  }

  @Test func `a query has a limited number of dimensions`() async throws {
    var query = Query()
    query.by = (0...Query.termsMax).map { .context("key_\($0)") }
    let error = await #expect(throws: EventStoreError.self) { try await store.report(query) }
    #expect(error?.message == "too many dimensions or filters, give at most 32 of each")
  }

  @Test func `errors have a code, and name the path or the argument`() async throws {
    let missing = folder.path("missing")
    let noStore = try #require(throws: EventStoreError.self) { try EventStore(at: missing) }
    #expect(noStore.code == .noInput)
    #expect(noStore.message.contains(missing))
    let noFile = await #expect(throws: EventStoreError.self) { try await store.ingest(files: [missing]) }
    #expect(noFile?.code == .noInput)
    #expect(noFile?.message.contains(missing) == true)
    let noFlow = await #expect(throws: EventStoreError.self) { try await store.report(Query(flows: ["cleaner/none"])) }
    #expect(noFlow?.code == .invalidArgument)
    #expect(noFlow?.message.contains("cleaner/none") == true)
    let noPath = #expect(throws: EventStoreError.self) { try EventFiles([]) }
    #expect(noPath?.code == .invalidArgument)
    #expect(noPath?.message == "no input given, name files or folders")
    let noSubject = await #expect(throws: EventStoreError.self) { try await store.forget([""]) }
    #expect(noSubject?.code == .invalidArgument)
  }
}
