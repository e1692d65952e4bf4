import FunnelModel
import FunnelSchemas
import FunnelTestSupport
import Testing

@testable import FunnelDecoding

/// The decoder reads many lines at once from their tokens; each must get the same result as from the decoder of single lines.
@Suite struct BatchDecodingTests {
  private static func options(app: String? = nil, isTrusted: Bool = false) -> DecodingOptions {
    DecodingOptions(now: Decoded.now, privacy: BuiltInSchemas.privacy, defaultApp: app, isTrusted: isTrusted)
  }

  /// A line of a text with its line break, and its position.
  private struct PlacedLine {
    var place: LineBlock.Place
    var bytes: ArraySlice<UInt8>

    /// The line without its line break, as it is decoded and stored.
    var content: ArraySlice<UInt8> {
      var content = bytes
      if content.last == UInt8(ascii: "\n") { content.removeLast() }
      if content.last == UInt8(ascii: "\r") { content.removeLast() }
      return content
    }

    var isBlank: Bool { bytes.allSatisfy { " \t\r\n".utf8.contains($0) } }

    static func all(of text: [UInt8]) -> [PlacedLine] {
      var lines: [PlacedLine] = []
      var start = 0
      while start < text.count {
        let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
        let place = LineBlock.Place(file: "f", line: lines.count + 1, byteOffset: start)
        lines.append(PlacedLine(place: place, bytes: text[start..<end]))
        start = end
      }
      return lines
    }
  }

  /// The result of decoding a line.
  private enum Verdict: Equatable {
    case event(record: String, identity: Hash128, timestamp: Timestamp, unclaimed: UnclaimedName?)
    case refused(RejectionReason, message: String, line: Int, byteOffset: Int)
  }

  private static func events(of block: DecodedBlock) -> [Verdict] {
    var events: [Verdict] = []
    block.forEachRecord { event, record in
      let unclaimed = event.unclaimed < 0 ? nil : block.unclaimedNames[Int(event.unclaimed)]
      events.append(
        .event(
          record: String(decoding: record, as: UTF8.self), identity: event.identity, timestamp: event.timestamp,
          unclaimed: unclaimed))
    }
    return events
  }

  private static func refusals(of block: DecodedBlock) -> [Verdict] {
    block.deadLetters.map { .refused($0.reason, message: $0.message, line: $0.line, byteOffset: $0.byteOffset) }
  }

  /// Returns the result of the decoder of single lines. The line is decoded as the tail of a damaged file, which is never part
  /// of a batch.
  private static func verdict(on line: PlacedLine, _ options: DecodingOptions) -> Verdict? {
    let content = Array(line.content)
    var blocks = BlockDecoder(options: options, catalog: Decoded.builtIn)
    let tail = blocks.decode(LineBlock(place: line.place, content: .damagedTail(Rejection(.damagedGzip, "")), bytes: content))
    if let event = events(of: tail).first { return event }
    func refused(_ reason: RejectionReason, _ message: String) -> Verdict {
      .refused(reason, message: message, line: line.place.line, byteOffset: line.place.byteOffset)
    }
    let padded = content + [UInt8](repeating: 0, count: LineParser.paddingBytes)
    var decoder = EventDecoder(options: options)
    let event = EventStorage()
    return padded.withUnsafeBytes { bytes in
      do throws(Rejection) {
        try decoder.decode(BorrowedText(UnsafeRawBufferPointer(rebasing: bytes[..<content.count])), into: &event.fields.pointee)
      } catch {
        return refused(error.reason, error.message)
      }
      var resolver = FlowMatcher(catalog: Decoded.builtIn)
      let type = resolver.type(of: event.reference)
      return resolver.violation(by: event.reference, type: type).map { refused(.invalidField, $0) }
    }
  }

  private static func decode(_ lines: [PlacedLine], _ options: DecodingOptions, with decoder: inout BlockDecoder)
    -> DecodedBlock
  {
    let place = lines.first?.place ?? LineBlock.Place(file: "f", line: 1, byteOffset: 0)
    return decoder.decode(LineBlock(place: place, content: .lines, bytes: lines.flatMap(\.bytes)))
  }

  private func expectSame(_ text: [UInt8], _ options: DecodingOptions, seed: UInt64) throws -> (accepted: Int, refused: Int) {
    let lines = PlacedLine.all(of: text)
    var decoder = BlockDecoder(options: options, catalog: Decoded.builtIn)
    let batch = Self.decode(lines, options, with: &decoder)
    // The second pass checks that data the decoder caches from earlier lines changes nothing.
    let again = Self.decode(lines, options, with: &decoder)
    #expect(Self.events(of: again) == Self.events(of: batch), "seed \(seed)")
    #expect(again.deadLetters == batch.deadLetters, "seed \(seed)")

    let wanted = lines.filter { !$0.isBlank }
    #expect(batch.lineCount == wanted.count, "seed \(seed)")
    var (events, refusals) = (Self.events(of: batch)[...], Self.refusals(of: batch)[...])
    var letters = batch.deadLetters[...]
    for line in wanted {
      let shown = "seed \(seed), line \(line.place.line): \(String(decoding: line.bytes, as: UTF8.self).debugDescription)"
      let verdict = try #require(Self.verdict(on: line, options), "\(shown)")
      var alone = BlockDecoder(options: options, catalog: Decoded.builtIn)
      let block = Self.decode([line], options, with: &alone)
      if case .event = verdict {
        let event = events.popFirst()
        try #require(event == verdict, "\(shown)")
        try #require(Self.events(of: block) == [verdict], "alone, \(shown)")
        #expect(block.deadLetters.isEmpty, "alone, \(shown)")
      } else {
        let refusal = refusals.popFirst()
        try #require(refusal == verdict, "\(shown)")
        let letter = letters.popFirst()
        try #require(block.deadLetters == letter.map { [$0] }, "alone, \(shown)")
        #expect(letter?.isMasked == true || letter?.raw == Array(line.content), "\(shown)")
      }
    }
    #expect(events.isEmpty && refusals.isEmpty, "seed \(seed)")
    return (batch.events.count, batch.deadLetters.count)
  }

  @Test(arguments: Sweeps.seeds(16, sample: 5))
  func `a block of odd lines comes to what each of its lines comes to alone`(seed: UInt64) throws {
    // The logs range from nearly valid ones, whose lines are read in whole batches, to ones with many invalid lines.
    var odd = OddLines(seed: seed, brokenPercentage: [1, 4, 12, 40][Int(seed % 4)])
    let text = odd.text(400)
    let app = seed % 3 == 0 ? "clarity" : nil
    let (accepted, refused) = try expectSame(text, Self.options(app: app), seed: seed)
    #expect(accepted > 40 && refused > 10, "seed \(seed): \(accepted) events, \(refused) refused")
  }

  /// The decoder recognizes names it has read before by their bytes, and must compare all of them.
  @Test func `lines that differ in a single byte of what they name are told apart`() throws {
    let line =
      #"{"v":1,"id":"1","ts":"2026-11-20T10:00:00.000Z","name":"perm_notifications_pre_prompt_shown","#
      + #""app":"smilepile","flow":"onboarding_of_families","flow_version":1234,"subject":"s","user":"account_1","attempt":"a","#
      + #""step":"choose_the_first_picture","props":{},"#
      + #""ctx":{"app_version":"3.2.1","os":"iPadOS 18.1","locale":"en_US","variant":"experiment_b"}}"#
    let bytes = Array(line.utf8)
    var text: [UInt8] = []
    for place in bytes.indices.dropFirst(54) where UInt8(ascii: "0") <= bytes[place] {
      for other in Sweeps.isFull ? "xd7" : "d" where bytes[place] != other.asciiValue! {
        var variant = bytes
        variant[place] = other.asciiValue!
        text += bytes + [10] + variant + [10] + variant + [10]
      }
    }
    for spaced in [text, Array(String(decoding: text, as: UTF8.self).replacing(":\"", with: ": \"").utf8)] {
      let (accepted, refused) = try expectSame(spaced, Self.options(), seed: 0)
      #expect(accepted > 300 && refused > 3)
    }
  }

  @Test func `a field that two known runs say is there twice`() throws {
    func line(_ first: String, _ second: String) -> String {
      #"{"id":"1","ts":"2026-11-20T10:00:00.000Z","name":"step_viewed",\#(first),"subject":"s",\#(second),"ctx":{"os":"x"}}"#
        + "\n"
    }
    let (app, step) = (#""app":"trendy""#, #""step":"welcome""#)
    let lines = [(app, step), (step, app), (step, step), (app, app), (app, step), (step, step), (step, app), (app, app)]
    let text = Array(lines.map { line($0.0, $0.1) }.joined().utf8)
    let (accepted, refused) = try expectSame(text + text, Self.options(app: "clarity"), seed: 0)
    #expect(accepted == 8 && refused == 8)
  }

  private static let knownLines = [
    #"{"v":1,"id":"1","ts":"2026-11-20T10:00:00.000Z","name":"step_completed","app":"trendy","flow":"onboarding","flow_version":1,"#
      + #""subject":"inst_1","user":"acct_1","attempt":"a1","step":"welcome","props":{"duration_ms":7855,"ok":true},"#
      + #""ctx":{"app_version":"3.2.1","os":"iOS 18.1"}}"#,
    #"{"ts":"2026-11-20T23:59:59.999Z","subject":"s","name":"app_opened","app":"clarity","seq":12,"sent_at":1795219199999,"#
      + #""props":{},"ctx":{}}"# + "\r",
  ]

  /// If a line resembles the previous one, the decoder looks for its fields where that one had them.
  @Test(arguments: knownLines)
  func `any byte of a line like the one before may be another, be missing or come twice`(line: String) {
    let bytes = Array(line.utf8)
    var variants: [[UInt8]] = []
    for place in bytes.indices where Sweeps.tries(place, oneIn: 3) {
      variants.append(Array(bytes[..<place] + bytes[(place + 1)...]))
      for other in Array("\n\r\t \"\\{}[]:,+@-.0369Z_zC".utf8) + [0x1F, 0x7F, 0xC2] {
        variants.append(Array(bytes[..<place] + [other] + bytes[place...]))
        variants.append(Array(bytes[..<place] + [other] + bytes[(place + 1)...]))
      }
    }
    let text: [UInt8] = variants.flatMap { variant in bytes + [10] + variant + [10] }
    var batches = BlockDecoder(options: Self.options(), catalog: Decoded.builtIn)
    let read = Self.events(of: Self.decode(PlacedLine.all(of: text), Self.options(), with: &batches))
    var singles = BlockDecoder(options: Self.options(), catalog: Decoded.builtIn)
    let expected = PlacedLine.all(of: text).flatMap { line in
      let tail = LineBlock(place: line.place, content: .damagedTail(Rejection(.damagedGzip, "")), bytes: Array(line.content))
      return Self.events(of: singles.decode(tail))
    }
    #expect(expected.count > 2 * variants.count / 3 + 2 && expected.count < 2 * variants.count)
    let firstDifference = zip(read, expected).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(firstDifference == nil)
    #expect(read.count == expected.count)
  }

  @Test(arguments: Sweeps.seeds(2, sample: 1))
  func `so does a block of several batches`(seed: UInt64) throws {
    var odd = OddLines(seed: 100 + seed, brokenPercentage: seed == 0 ? 0 : 3)
    let text = odd.text(1500)
    #expect(text.count > 2 << 17)
    _ = try expectSame(text, Self.options(), seed: 100 + seed)
  }

  @Test func `so does a block of very long lines, and of very many keys`() throws {
    func keys(_ count: Int, from first: Int = 0) -> String {
      (first..<first + count).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
    }
    func object(_ count: Int) -> String { "{\(keys(count))}" }
    var lines: [String] = []
    // The lengths are around the size of a batch, the space for escapes, and the maximum of a line.
    let frame = Line.with(["props": #"{"a":""}"#]).utf8.count
    for count in [1 << 16, 130_900, (1 << 17) - frame, 1 << 17, 200_000, (1 << 20) - frame] {
      for unit in ["x", #"\n"#, #"\u00e9"#] {
        let filling = String(repeating: unit, count: count / unit.utf8.count)
        lines.append(Line.with(["props": "{\"a\":\"\(filling)\"}"]))
        lines.append(Line.with(["id": "\"\(lines.count)\""]))
      }
    }
    for count in [1023, 1024, 1025, 2100] {
      lines.append(Line.with(["props": object(count)]))
      lines.append(Line.with(["ctx": object(count), "id": "\"\(lines.count)\""]))
      lines.append(Line.with([:]).dropLast() + ",\(keys(count))}")
    }
    for count in [15, 16, 17, 30] {
      for known in [0, 10, 1008, 1009, 1024] {
        lines.append(Line.with(["props": object(known)]).dropLast() + ",\(keys(count, from: max(0, known - 5)))}")
      }
    }
    let options = Self.options()
    let text = Array((lines + lines.reversed()).joined(separator: "\n").utf8)
    let (accepted, refused) = try expectSame(text, options, seed: 0)
    #expect(accepted > 60 && refused > 10)
  }

  @Test(arguments: Sweeps.seeds(4, sample: 2))
  func `records of the log are read back as they were written`(seed: UInt64) throws {
    var odd = OddLines(seed: 200 + seed, brokenPercentage: 4)
    let records = Decoded(odd.text(400)).records
    let text = Array(records.joined(separator: "\n").utf8)
    let (accepted, refused) = try expectSame(text, Self.options(isTrusted: true), seed: 200 + seed)
    #expect(accepted == records.count && refused == 0, "seed \(seed)")
    #expect(Decoded(text, isTrusted: true).records == records, "seed \(seed)")
  }

  @Test func `plain events are read from their tokens alone`() {
    var random = SeededGenerator(seed: 1)
    let lines = RandomEvents.lines(200, .init(hasBadLines: false), using: &random)
    let text = Array(lines.joined(separator: "\n").utf8)
    let block = LineBlock(place: LineBlock.Place(file: "f", line: 1, byteOffset: 0), content: .lines, bytes: text)
    var walker = LineWalker(options: Self.options(), defaultApp: nil)
    let event = EventStorage()
    block.withText { lines in
      let isSound = walker.begin(lines)
      #expect(isSound)
      var token = 0
      for line in PlacedLine.all(of: text) {
        let start = line.place.byteOffset
        token = walker.firstToken(atOrAfter: start, from: token)
        let end = start + line.content.count
        let isTaken = walker.walk(from: start, to: end, firstToken: token, into: &event.fields.pointee)
        #expect(isTaken, "line \(line.place.line)")
        #expect(event.fields.pointee.subject.count >= 2)
      }
    }
  }
}
