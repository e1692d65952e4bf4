import FunnelLog
import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct RoundTripTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws { folder = try TemporaryFolder() }

  @Test func whatIsCommittedIsRead() throws {
    let batch = StoreScenario.batch(1)
    let commit = try StoreScenario.writer(store).commit(batch)
    #expect(commit.number == 1 && commit.events == 6 && commit.rejected == 1)
    #expect(try StoreScenario.lines(store).sorted() == StoreScenario.lines(of: [batch]))
    #expect(try StoreScenario.lines(store, .rejected) == StoreScenario.lines(of: [batch], .rejected))
    let reader = try StoreReader.open(store)
    #expect(reader.eventCount == 6 && reader.deadLetterCount == 1 && reader.commits == [commit])
    #expect(reader.hash == commit.hash)
  }
}
