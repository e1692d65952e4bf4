import Foundation
import FunnelDecoding
import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct MutatedLineTests {
  private static let lines: [[UInt8]] = {
    var random = SeededGenerator(seed: 5)
    var lines = (0..<60).map { _ in Array(RandomEvents.wildLine(using: &random).utf8) }
    var odd = OddLines(seed: 6, brokenPercentage: 30)
    lines += (0..<60).map { _ in odd.text(1) }
    lines.append(
      Array(
        #"{"name":"step_failed","ts":1795168800000,"subject":"s1","app":"smilepile","step":"categories","props":{"reason":"no_piles"}}"#
          .utf8))
    // Samples of several lines, so that a mutated line break can merge neighbours.
    lines += (0..<10).map { _ in Array((0..<20).map { _ in RandomEvents.wildLine(using: &random) }.joined(separator: "\n").utf8)
    }
    return lines
  }()

  @Test func `no line does harm: it is an event that is read back, or a dead letter with a sentence`() throws {
    let complaints = try MutationSweep("lines", samples: Self.lines, count: 500).run { bytes in
      let decoded = Decoded(bytes)
      let isOneByOne = Decoded(bytes, blockBytesTarget: 1)
      try require(decoded.records == isOneByOne.records && decoded.letters == isOneByOne.letters, "blocks differ from lines")
      for record in decoded.records {
        let again = Decoded(record + "\n", isTrusted: true)
        try require(again.records == [record], "the record reads back as \(again.outcome): \(record)")
      }
      for letter in decoded.letters { try requireSound(letter) }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func `no dead letter does harm`() throws {
    var samples: [[UInt8]] = []
    for line in ["{", "\u{0}", "x\u{1B}", #"{"name":"a","ctx":{"email":"ann@example.org"}}"#] {
      for letter in Decoded(Array(line.utf8) + [0xFF, 10]).letters + Decoded(line).letters {
        var bytes: [UInt8] = []
        letter.appendJSON(at: Decoded.now, to: &bytes)
        samples.append(bytes)
      }
    }
    let complaints = try MutationSweep("letters", samples: samples, count: 500).run { bytes in
      guard let (letter, time) = DeadLetter.parse(bytes) else { return }
      var again: [UInt8] = []
      letter.appendJSON(at: time, to: &again)
      try require(DeadLetter.parse(again.dropLast())?.letter == letter, "it reads back as another")
      _ = letter.isReplayable
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  private func requireSound(_ letter: DeadLetter) throws {
    try require(!letter.message.isEmpty && letter.line >= 1 && letter.byteOffset >= 0, "a letter without place or reason")
    var bytes: [UInt8] = []
    letter.appendJSON(at: Decoded.now, to: &bytes)
    try require(DeadLetter.parse(bytes.dropLast())?.letter == letter, "a letter that reads back as another: \(letter)")
  }

  private struct Unexpected: Error {
    var what: String
  }

  private func require(_ condition: Bool, _ what: String) throws {
    if !condition { throw Unexpected(what: what) }
  }
}

extension DeadLetter {
  fileprivate static func parse(_ line: ArraySlice<UInt8>) -> (letter: DeadLetter, time: Timestamp)? { parse(Array(line)) }
}
