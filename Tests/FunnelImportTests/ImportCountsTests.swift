import FunnelImport
import FunnelModel
import FunnelTestSupport
import Testing

/// The statistics of an import are the same however the input is divided.
@Suite struct ImportCountsTests {
  /// Returns the statistics of Segment's calls with some delays, in minutes, from the event to its receipt.
  private static func counts(_ delays: some Sequence<Int>) throws -> ImportCounts {
    let translating = try Translating(.segment)
    for (number, delay) in delays.enumerated() {
      let received = Timestamp(milliseconds: 1_795_169_730_000 + Int64(delay) * 60_000)
      _ = try translating.line(
        #"{"type":"track","event":"a","anonymousId":"d","messageId":"m\#(number)","timestamp":"2026-11-20T10:15:30Z","receivedAt":"\#(received)"}"#
      )
    }
    return translating.aggregate()
  }

  @Test(
    arguments: [
      ([0, 1, 0, 2, 0, 1], nil), (Array(repeating: -120, count: 9) + [3], -120),
      (Array(repeating: 300, count: 8) + [0, 1], 300),
      (Array(repeating: 330, count: 6), 330), ([60, 60, 60, 60], nil), (Array(repeating: 60, count: 7) + [0, 1, 2], nil),
      ([60, 120, 180, 240, 300, 360], nil), (Array(repeating: 100_000, count: 9), nil), (Array(repeating: 67, count: 9), 60),
    ] as [([Int], Int?)]) func `nearly all records with one delay are a project on local time`(delays: [Int], minutes: Int?)
    throws
  {
    #expect(try Self.counts(delays).receiptDelays.common?.minutes == minutes)
  }

  @Test func `a record more than a day after its receipt is rejected`() throws {
    let translating = try Translating(.segment)
    let record =
      #"{"type":"track","event":"a","anonymousId":"d","timestamp":"2026-11-20T10:15:30Z","receivedAt":"2026-11-19T10:15:29Z"}"#
    guard case .rejected(let rejection) = translating.outcome(record) else { return #expect(Bool(false)) }
    #expect(rejection.message == "ts is more than 24 hours after receivedAt, when the record was received")
    #expect(try !translating.line(record.replacing("15:29Z", with: "15:30Z")).isEmpty)
  }

  @Test(arguments: Sweeps.seeds(100, sample: 10)) func `parts add up in any order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parts = try (0..<4).map { _ in
      var part = try Self.counts((0..<6).map { _ in Int.random(in: -3...3, using: &random) * 60 })
      var files = PassedOverFiles()
      for _ in 0..<Int.random(in: 0...5, using: &random) { files.add("f\(Int.random(in: 0...99, using: &random))") }
      part.add(ImportCounts(passedOver: files))
      return part
    }
    func sum(_ parts: [ImportCounts]) -> ImportCounts { parts.reduce(into: ImportCounts()) { $0.add($1) } }
    let whole = sum(parts)
    #expect(sum(parts.shuffled(using: &random)) == whole, "seed \(seed)")
    #expect(sum([sum(Array(parts[..<2])), sum(Array(parts[2...]))]) == whole, "seed \(seed)")
    #expect(whole.passedOver.examples.count == min(whole.passedOver.count, PassedOverFiles.examplesMax))
  }
}
