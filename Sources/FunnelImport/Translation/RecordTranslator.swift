import FunnelModel

/// Turns foreign records into lines of native events, one record at a time. It knows nothing of files and stores. Not to be shared between
/// threads.
///
/// A line it makes is read like any line of an input afterwards, by the decoder of native events, so that everything the specification says
/// about events holds for imported ones without being written a second time.
public final class RecordTranslator {
  /// What became of a record.
  public enum Outcome: Hashable, Sendable {
    /// It became this many lines.
    case events(Int)
    /// The mapping leaves it out.
    case dropped
    /// It is not one JSON object; the decoder of native events says why.
    case unreadable
    /// It lacks what every event needs, or has it in a form that can't be used.
    case refused(Refusal)
  }

  /// The reason why a record is no event.
  public struct Refusal: Error, Hashable, Sendable {
    /// Whether a value is missing, not invalid.
    public var isMissing: Bool
    /// A sentence for people.
    public var message: String
  }

  let plan: ImportPlan
  private let parser = ForeignParser()
  private let time: ForeignTime
  private var walker: RecordWalker
  private var names: EventNames
  private var writer = NativeLineWriter()
  private var leftOutCounts: [Int]
  /// What became of the records since the last call of ``takeTally()``.
  private var tally = ImportTally()

  /// Creates a translator of records of the plan's format.
  public init(_ plan: ImportPlan) {
    self.plan = plan
    time = ForeignTime(reading: plan.timeReading, zone: plan.sourceZone)
    walker = RecordWalker(tree: plan.tree)
    names = EventNames(plan)
    leftOutCounts = Array(repeating: 0, count: plan.tree.nodes.count)
  }

  /// Translates a record and appends the native lines, each with its line feed. The parser's padding must follow the record.
  public func translate(_ record: UnsafeRawBufferPointer, into lines: inout [UInt8]) -> Outcome {
    guard let fields = parser.parse(record) else { return .unreadable }
    walker.walk(fields)
    let start = lines.count
    do throws(Refusal) {
      guard !walker.isTooLong else {
        throw Refusal(
          isMissing: false,
          message: "props: the keys of nested objects, joined with dots, have more than \(Limits.lineBytesMax) bytes")
      }
      let name = try names.number(of: walker)
      guard let rules = rulesThatHold(of: name) else {
        tally.droppedByMap += 1
        return .dropped
      }
      let subject = try subject()
      let moment = try timestamp()
      let id = eventID(moment)
      writer.beginRecord()
      for rule in rules { try write(rule, name: name, subject: subject, moment, id: id, to: &lines) }
      countLeftOut(subjectField: subject.field)
      names.count(name)
      return .events(rules.count)
    } catch {
      lines.removeSubrange(start...)
      return .refused(error)
    }
  }

  /// Returns what became of the records since the last call.
  public func takeTally() -> ImportTally {
    for node in leftOutCounts.indices where leftOutCounts[node] > 0 {
      tally.leaveOut(plan.tree.nodes[node].path, count: leftOutCounts[node])
      leftOutCounts[node] = 0
    }
    names.moveCounts(to: &tally)
    defer { tally = ImportTally() }
    return tally
  }

  /// Returns the rules that hold for an event, nil in place of a rule that changes nothing, or nil if the event is left out.
  private func rulesThatHold(of name: Int) -> [EventRule?]? {
    guard let rules = names.rules(of: name) else { return plan.keepsOtherEvents ? [nil] : nil }
    guard !rules.isEmpty else { return nil }
    let holding = rules.filter { rule in rule.conditions.allSatisfy(holds) }
    if holding.isEmpty { return plan.keepsOtherEvents ? [nil] : nil }
    return holding
  }

  private func holds(_ condition: (slot: Int, values: [PropertyValue])) -> Bool {
    let field = walker.slots[condition.slot]
    guard field >= 0, let value = value(of: field) else { return condition.values.contains(.null) && field < 0 }
    return condition.values.contains { $0.isSame(as: value) }
  }

  private func value(of field: Int) -> PropertyValue? {
    if let text = integerText(of: field) { return Int64(String(decoding: text, as: UTF8.self)).map(PropertyValue.integer) }
    return walker.fields[field].propertyValue
  }

  /// Returns the digits of an integer that Google's export writes as a string, or nil for any other value.
  private func integerText(of field: Int) -> UnsafeRawBufferPointer? {
    guard plan.format == .ga4, let text = walker.fields[field].string,
      walker.fields[field].key.elementsEqual("int_value".utf8), DecimalMoment(text)?.isWhole == true,
      !text.contains(UInt8(ascii: "."))
    else { return nil }
    return text
  }

  // MARK: Envelope

  /// Returns the first of several slots that has a value.
  private func firstPresent(_ slots: some Sequence<Int>) -> Int? {
    for slot in slots {
      let field = walker.slots[slot]
      if field >= 0, !walker.fields[field].isAbsent { return field }
    }
    return nil
  }

  private func subject() throws(Refusal) -> (field: Int, text: [UInt8]) {
    guard let field = firstPresent(plan.subject.lazy.map(\.slot)) else {
      throw Refusal(
        isMissing: true,
        message:
          "subject: the record has none of \(plan.subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)"
      )
    }
    var text = try self.text(of: field, as: "subject")
    let prefix = "$device:"
    if plan.dropsDevicePrefix, text.starts(with: prefix.utf8) { text.removeFirst(prefix.utf8.count) }
    if text.withUnsafeBytes({ BannedIdentities.contains($0) }) {
      throw Refusal(
        isMissing: false,
        message:
          "subject: \(String(decoding: text, as: UTF8.self).quoted) stands for nobody; it would make strangers one person")
    }
    return (field, text)
  }

  private func timestamp() throws(Refusal) -> Timestamp {
    guard let field = firstPresent(plan.timestamp.lazy.map(\.slot)) else {
      let paths = plan.timestamp.map(\.path).joined(separator: ", ")
      throw Refusal(isMissing: true, message: "ts: the record has no \(paths); what can't be dated is not taken")
    }
    let value = walker.fields[field]
    guard let moment = time.timestamp(value) else {
      let shown = value.string.map { String(decoding: $0.prefix(60), as: UTF8.self).quoted } ?? value.kindName
      throw Refusal(
        isMissing: false, message: "ts: \(shown) is no time, or one without a zone; --source-tz names the zone of such times")
    }
    return moment
  }

  /// Returns the id of the event, or nil if it is to be derived from the event itself.
  private func eventID(_ moment: Timestamp) -> [UInt8]? {
    switch plan.identity {
    case .first(let slots): return firstPresent(slots).flatMap(scalarText)
    case .joined(let slots, let separator):
      var id: [UInt8] = []
      for (index, slot) in slots.enumerated() {
        guard let field = firstPresent([slot]), let text = scalarText(field) else { return nil }
        id += (index > 0 ? separator : []) + text
      }
      return DerivedIdentity.shortened(id)
    case .derived(let slots):
      var identity = DerivedIdentity()
      for slot in slots { identity.add(walker.slots[slot] < 0 ? [] : scalarText(walker.slots[slot]) ?? []) }
      for property in walker.properties {
        walker.key(of: property) { identity.add(Array($0)) }
        identity.add(scalarText(property.field) ?? [])
      }
      return identity.text
    }
  }

  /// Returns a string or a number as text; nil for any other value.
  private func scalarText(_ field: Int) -> [UInt8]? {
    walker.fields[field].string.map { Array($0) } ?? walker.fields[field].numberText
  }

  private func text(of field: Int, as name: StaticString) throws(Refusal) -> [UInt8] {
    guard let text = scalarText(field) else {
      throw Refusal(isMissing: false, message: "\(name) is \(walker.fields[field].kindName); a string is needed")
    }
    return text
  }

  // MARK: Writing

  private func write(
    _ rule: EventRule?, name: Int, subject: (field: Int, text: [UInt8]), _ moment: Timestamp, id: [UInt8]?,
    to lines: inout [UInt8]
  ) throws(Refusal) {
    let native = try ruleName(rule, name: name)
    writer.begin(name: native, moment)
    writer.add("subject", subject.text)
    if let app = plan.app { writer.add("app", app) }
    if let flow = foldedText(rule?.flow) { writer.add("flow", flow) }
    if let step = foldedText(rule?.step) { writer.add("step", step) }
    if let id {
      let number = writer.occurrences(of: native)
      writer.add("id", number > 1 ? id + Array("#\(number)".utf8) : id)
    }
    let contextFields = writeContext(rule)
    writeProperties(rule, without: contextFields)
    writer.end(to: &lines)
  }

  private func ruleName(_ rule: EventRule?, name: Int) throws(Refusal) -> [UInt8] {
    switch rule?.name {
    case nil: return try names.nativeName(of: name)
    case .literal(let text): return text
    case .slot(let slot, let path):
      guard let field = firstPresent([slot]) else { throw Refusal(isMissing: true, message: "name: the record has no \(path)") }
      let folded = NameFolding.fold(try text(of: field, as: "name"))
      guard !folded.isEmpty else {
        throw Refusal(isMissing: false, message: "name: no letter or digit is left of the value of \(path)")
      }
      return folded
    }
  }

  private func foldedText(_ text: EventRule.RuleText?) -> [UInt8]? {
    switch text {
    case nil: nil
    case .literal(let text): text
    case .slot(let slot, _): firstPresent([slot]).flatMap(scalarText).map { NameFolding.fold($0) }
    }
  }

  /// Writes `ctx` and returns the fields of a rule's own members, which are no properties of this event.
  private func writeContext(_ rule: EventRule?) -> [Int] {
    var used: [Int] = []
    writer.beginObject("ctx")
    let own = rule?.context ?? []
    for member in own {
      guard let field = firstPresent([member.slot]), isScalar(field) else { continue }
      used.append(field)
      writer.addMember(member.key, walker.fields[field])
    }
    for member in plan.context where !own.contains(where: { $0.key == member.key }) {
      guard let field = firstPresent(member.slots), isScalar(field) else { continue }
      writer.addMember(member.key, walker.fields[field])
    }
    writer.endObject()
    return used
  }

  private func writeProperties(_ rule: EventRule?, without contextFields: [Int]) {
    writer.beginObject("props")
    let added = (rule?.props ?? []) + plan.props
    writer.checksKeys = walker.mayRepeatKeys || !added.isEmpty
    for member in added {
      guard let field = walker.slots[member.slot] >= 0 ? walker.slots[member.slot] : nil, isScalar(field) else { continue }
      writer.addMember(member.key, walker.fields[field], integer: integerText(of: field))
    }
    for property in walker.properties where !contextFields.contains(property.field) {
      walker.key(of: property) { key in
        writer.addMember(key, walker.fields[property.field], integer: integerText(of: property.field))
      }
    }
    writer.endObject()
  }

  private func isScalar(_ field: Int) -> Bool { !walker.fields[field].isObject && !walker.fields[field].isArray }

  // MARK: Counting

  /// Counts what is left out of a record that became events.
  private func countLeftOut(subjectField: Int) {
    for node in walker.leftOut { leftOutCounts[node] += 1 }
    for identity in walker.identities where identity.field != subjectField { leftOutCounts[identity.node] += 1 }
    for path in walker.unknownLeftOut { tally.leaveOut(path) }
  }
}

extension PropertyValue {
  /// Returns whether two values are the same; an integer and a double of one value are.
  fileprivate func isSame(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      double == Double(integer)
    default: self == other
    }
  }
}
