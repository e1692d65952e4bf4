import Foundation
import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct MutatedTextTests {
  private static let definitions: [[UInt8]] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Schemas/flows")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
    return names.compactMap { try? [UInt8](Data(contentsOf: folder.appending(path: $0))) }
  }()

  @Test func `no flow definition does harm, and what is accepted can be used`() throws {
    #expect(Self.definitions.count > 5)
    let sweep = MutationSweep("definitions", samples: Self.definitions, count: 600)
    let complaints = try sweep.run { bytes in
      switch FlowDefinition.read(json: bytes, source: "x\u{1B}.json") {
      case .failure(let failure):
        for problem in failure.problems { try requireOneSafeLine(problem.description) }
      case .success(let definition):
        let catalog = try FlowCatalog(layers: [[FlowFile(definition: definition, name: "x")]])
        _ = catalog.declares(0, name: "step_viewed", step: "x")
        _ = CompiledPropertySchemas(definition).rules(event: "step_viewed", step: "x")
        _ = (definition.requiredSteps, definition.permissions, definition.reference)
        for rule in definition.rules { _ = rule.sentence(target: nil) }
        for outcome in definition.outcomes {
          _ = (outcome.valueKeys, definition.detailKeys(of: outcome))
          for unit in outcome.units { _ = (outcome.amount(in: unit) { _ in .integer(1) } ?? .zero) * .max }
        }
        for exclusion in definition.exclusions { _ = try #require(definition.requiredPlaces(of: exclusion)) }
      }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func `no property schema does harm, whatever the value`() throws {
    let schemas = [
      #"{"type":"string","minLength":1,"maxLength":8,"pattern":"^[a-z]+(-[a-z]+)*$"}"#, #"{"enum":["a",1,1.5,true,null]}"#,
      #"{"type":["integer","null"],"minimum":-5,"maximum":1e10}"#, #"{"const":9007199254740993}"#,
      #"{"pattern":"(?i)x{2,3}|\\d+$"}"#,
    ].map { Array(#"{"app":"a","flow":"f","version":1,"steps":[{"id":"s"}],"events":{"e":{"props":{"k":\#($0)}}}}"#.utf8) }
    let values: [PropertyValue] = [
      .string(""), .string(String(repeating: "a", count: 5000)), .string("a-b\u{0}"), .string("\u{202E}é😀"), .integer(.min),
      .integer(.max),
      .double(1e308), .double(-0.0), .bool(true), .null,
    ]
    let complaints = try MutationSweep("schemas", samples: schemas).run { bytes in
      guard case .success(let definition) = FlowDefinition.read(json: bytes, source: "x") else { return }
      for event in definition.events {
        for (key, schema) in event.props {
          for value in values {
            if let violation = CompiledPropertySchema(schema).violation(of: value, key: key) {
              try requireOneSafeLine(violation)
            }
          }
        }
      }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func `no time, span, day, dimension or name of a flow does harm`() throws {
    let samples = [
      "2026-11-20T10:15:30.123Z", "2026-11-20T10:15:30+02:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-11-20",
      "7d", "500ms",
      "2w", "ctx.variant", "props.x", "month", "ctx.app_version=3.2.1", "ctx.x!=y",
      "ctx.a = 1, b\\,c", "ctx.v>=5.2-beta", "props.n < -1.5e3", "day<=2026-11", "step.photos.ctx.x!~a*?",
      "cleaner/permissions_flow@1", "a/b", "",
    ].map { Array($0.utf8) }
    let complaints = try MutationSweep("options", samples: samples, count: 1500).run { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let time = Timestamp(rfc3339: text) {
        try require(
          Timestamp(rfc3339: time.description) == time || time.day.components.year > 9999
            || time.milliseconds < -62_167_219_200_000, text)
      }
      if let day = CivilDate(text) { try require(CivilDate(day.description) == day, text) }
      if let span = TimeSpan(text) { try require(TimeSpan(span.description) == span, text) }
      if let dimension = Dimension(text) { _ = "\(dimension)" }
      if let condition = SegmentCondition(text) {
        try require(SegmentCondition(condition.description) == condition, text)
        for value in [PropertyValue.null, .string(text), .integer(.max), .double(-0.5), .bool(true)] {
          _ = condition.holds(for: value)
        }
      }
      if Dimension(text) == nil { try requireOneSafeLine(Dimension.advice(insteadOf: text).printable) }
      if let reference = FlowReference(text) { try require(FlowReference(reference.description) == reference, text) }
      try requireOneSafeLine(text.printable)
      try requireOneSafeLine(text.quoted)
      _ = EventField(text)
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func `no JSON document does harm, and what is read is written as it was`() throws {
    let samples = Self.definitions + [Array(#"{"a":[1,-2.5e3,true,null,"\u00e9\ud83d\ude00"],"":{}}"#.utf8)]
    let complaints = try MutationSweep("documents", samples: samples).run { bytes in
      guard let document = try? JSONDocument(parsing: bytes), let text = document.root["title"]?.string else { return }
      var written: [UInt8] = []
      written.appendJSONString(text)
      try require(JSONDocument(parsing: written).root.string.map { Array($0.utf8) } == Array(text.utf8), text)
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test(arguments: [
    "(a+)+$", "([a-z]*)*", "(.+x)+", "(a|b+)*", #"(\w+\s?)*$"#, "((a+b?)+c?)+", "(a{1,9})*", "((a+)?)*", "((.+,)?)+",
  ])
  func `an expression that repeats what repeats itself is refused`(_ pattern: String) {
    let text =
      #"{"app":"a","flow":"f","version":1,"steps":[{"id":"s"}],"events":{"e":{"props":{"k":{"pattern":\#(pattern.debugDescription)}}}}}"#
    guard case .failure(let failure) = FlowDefinition.read(json: Array(text.utf8), source: "x") else {
      Issue.record("\(pattern) was taken")
      return
    }
    #expect(failure.problems[0].message.contains("has a repetition inside a repetition"))
  }

  @Test(arguments: [
    #"^\d+(\.\d+)*$"#, "^[a-z]+(-[a-z]+)*$", "^([0-9]{2}:)+$", "(abc)+", "[+*]+", #"\(a+\)+"#, "^(?:x=[0-9]+;)*$", "a+b+",
    "^.*x.*$", "^([a-z](-[0-9]+)?)*$",
  ])
  func `an expression as people write them is taken`(_ pattern: String) throws {
    let text =
      #"{"app":"a","flow":"f","version":1,"steps":[{"id":"s"}],"events":{"e":{"props":{"k":{"pattern":\#(pattern.debugDescription)}}}}}"#
    _ = try FlowDefinition(json: Array(text.utf8), source: "x")
  }

  /// Tests the sweep itself.
  @Test func `a broken reader is caught`() throws {
    struct Broken: Error {}
    let sweep = MutationSweep("broken", samples: [Array("2026-11-20".utf8)], count: 1000)
    let complaints = try sweep.run { if $0.contains(0xFF) { throw Broken() } }
    #expect(!complaints.isEmpty)
    var isFirst = true
    let slow = try MutationSweep("slow", samples: [Array("7d".utf8)], count: 2, secondsMax: 0.01).run { _ in
      let start = ComputingTime.seconds
      while isFirst, ComputingTime.seconds - start < 0.5 {}
      isFirst = false
    }
    #expect(slow.count == 1 && slow[0].description.contains("it took"))
  }

  private struct Unsafe: Error {
    var text: String
  }

  private func require(_ condition: Bool, _ text: String) throws {
    if !condition { throw Unsafe(text: text) }
  }

  /// Requires that a message is one line and has no characters that control a terminal.
  private func requireOneSafeLine(_ text: String) throws {
    for scalar in text.unicodeScalars {
      let isSafe =
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        && !scalar.properties.isDefaultIgnorableCodePoint
      try require(isSafe, text.debugDescription)
    }
  }
}
