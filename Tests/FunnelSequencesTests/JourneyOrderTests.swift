import FunnelProjections
import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelTestSupport
import Testing

/// The events of a group are ordered by time, `seq`, the step that they enter, and id.
@Suite struct JourneyOrderTests {
  private func expectOrder(_ lines: [String], _ labels: String, location: SourceLocation = #_sourceLocation) throws {
    for order in [lines, lines.reversed(), Array(lines.dropFirst(lines.count / 2) + lines.prefix(lines.count / 2))] {
      let sequences = try Journeys(lines: order)
      #expect(sequences.labels == ["cleaner/permissions_flow@1: \(labels)"], sourceLocation: location)
    }
  }

  @Test func `time comes first, to the millisecond`() throws {
    try expectOrder(
      [
        Journeys.event("a", "perm_flow_completed", at: 1, #""seq":9"#),
        Journeys.event("b", "perm_flow_start", at: 2, #""seq":1"#),
        Journeys.event("c", "perm_flow_start", at: 3),
      ], "a b c")
  }

  @Test func `at one time seq comes first, a missing one is 0`() throws {
    try expectOrder(
      [
        Journeys.event("b", "perm_flow_start", at: 0, #""seq":1"#), Journeys.event("a", "perm_flow_completed", at: 0),
        Journeys.event("c", "perm_flow_start", at: 0, #""seq":9223372036854775807"#),
      ], "a b c")
  }

  @Test func `then the index of the step an event enters; what enters none comes last`() throws {
    try expectOrder(
      [
        Journeys.event("e", "perm_photos_granted", at: 0, #""id":"0""#),
        Journeys.event("d", "perm_flow_completed", at: 0, #""id":"1""#),
        Journeys.event("c", "perm_contacts_pre_prompt_shown", at: 0, #""id":"2""#),
        Journeys.event("b", "perm_photos_pre_prompt_shown", at: 0, #""id":"3""#),
        Journeys.event("a", "perm_flow_start", at: 0, #""id":"4""#),
      ], "a b c d e")
  }

  @Test func `then the id by its bytes, and last the name`() throws {
    try expectOrder(
      [
        Journeys.event("c", "perm_photos_granted", at: 0, #""id":"b""#),
        Journeys.event("a", "perm_photos_granted", at: 0, #""id":"B""#),
        Journeys.event("b", "perm_photos_denied", at: 0, #""id":"b""#),
        Journeys.event("d", "perm_photos_denied", at: 0, #""id":"bb""#),
        Journeys.event("e", "perm_photos_denied", at: 0, #""id":"é""#),
      ], "a b c d e")
  }

  @Test func `an event at now counts, one after it does not`() throws {
    let seconds = Int(Journeys.now.milliseconds - 1_795_168_800_000)
    try expectOrder(
      [
        Journeys.event("a", "perm_flow_start", at: seconds), Journeys.event("x", "perm_flow_start", at: seconds + 1),
        Journeys.event("y", "perm_flow_start", at: seconds + 3_600_000),
      ], "a")
  }

  @Test(arguments: 0..<6)
  func `the journeys are the same for any order of lines, any files and any number of threads`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = RandomEvents.lines(200, using: &random)
    let expected = try Journeys(lines: lines) { $0.by = [.context("variant")] }
    let kinds = try states(expected)
    #expect(!kinds.isEmpty)
    for threads in [1, 2, 5] {
      let shuffled = lines.shuffled(using: &random)
      let cut = Int.random(in: 0...lines.count, using: &random)
      let texts = [shuffled[..<cut].joined(separator: "\n"), shuffled[cut...].joined(separator: "\r\n")]
      let sequences = try Journeys(texts, threads: threads) { $0.by = [.context("variant")] }
      #expect(try states(sequences) == kinds, "seed \(seed), \(threads) threads")
      #expect(sequences.counts.rejected == expected.counts.rejected, "seed \(seed)")
    }
  }

  /// Returns every journey with all its values, sorted.
  private func states(_ sequences: Journeys) throws -> [String] {
    var states: [String] = []
    sequences.forEachJourney { flow, sequence in
      let events = sequence.events.map { event in
        "\(event.milliseconds) \(event.kind) \(sequence.segments.value(of: .context("variant"), row: event.row))"
      }
      states.append("\(flow): \(events.joined(separator: ", "))")
    }
    return states.sorted()
  }
}
