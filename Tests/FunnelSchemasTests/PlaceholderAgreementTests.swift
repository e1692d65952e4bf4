import FunnelEvents
import FunnelModel
import Testing

/// The library for apps signs nobody in whom `funnel ingest` would read as absent.
@Suite struct PlaceholderAgreementTests {
  private static let words = [
    "0", "-1", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", "anon", "anonymous", "nil", "none",
    "null", "(null)", "n/a", "na", "nan", "undefined", "unknown", "unidentified", "guest", "distinct_id", "distinctid", "id",
    "not_authenticated", "not authenticated", "email", "true", "false", "[]", "{}", "[object object]", "lmy47d", "-", "--", ".",
    "(not set)", "not set", "(none)", "(unknown)", " ", "   ", "u-17", "00", "1", "anonymous1", "ann", "nobody", "ids", "..",
    "x",
    "tru", "00000000-0000-0000-0000-000000000001", "änon", "not  set", " id",
  ]

  @Test func `both have the same placeholders, in any letter case`() throws {
    var count = 0
    for id in words(in: [{ $0 }, { $0.uppercased() }, { $0.prefix(1).uppercased() + $0.dropFirst() }]) {
      let recorder = try RecordedEvents(app: "a")
      recorder.identify(user: id)
      let isPlaceholder = PlaceholderIDs.contains(id)
      #expect(recorder.events.isEmpty == isPlaceholder, "\(id)")
      #expect(recorder.problems.isEmpty == !isPlaceholder, "\(id)")
      count += isPlaceholder ? 1 : 0
    }
    #expect(count == 3 * 38)
  }

  private func words(in cases: [(String) -> String]) -> [String] {
    Self.words.flatMap { word in cases.map { $0(word) } }
  }
}
