public import FunnelModel

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
  /// The format of the records.
  public var format: ImportFormat { plan.format }
  /// The native lines so far, each with its line feed. Whoever takes them removes them.
  public let lines = LineBuffer()
  private let parser = ForeignParser()
  private let time: ForeignTime
  let walker: RecordWalker
  private let names: EventNames
  private let folded = FoldedTexts()
  private let writer: NativeLineWriter
  /// The rules that hold for the record, nil in place of one that changes nothing.
  private var rules: [EventRule?] = []
  /// The native names of the record's events so far.
  private var writtenNames: [[UInt8]] = []
  /// The number of records with a value that was left out, by its node, and by the number of its path if it has no node.
  private var leftOutCounts: [Int]
  private var unknownLeftOutCounts: [Int] = []
  /// What became of the records since the last call of ``takeTally()``.
  private var tally = ImportTally()

  /// Creates a translator of records of the plan's format.
  public init(_ plan: ImportPlan) {
    self.plan = plan
    time = ForeignTime(reading: plan.timeReading, zone: plan.sourceZone)
    walker = RecordWalker(tree: plan.tree)
    names = EventNames(plan)
    writer = NativeLineWriter(lines)
    leftOutCounts = Array(repeating: 0, count: plan.tree.nodes.count)
  }

  /// Translates a record and appends the native lines to ``lines``. The parser's padding must follow the record.
  public func translate(_ record: UnsafeRawBufferPointer) -> Outcome {
    guard let fields = parser.parse(record) else { return .unreadable }
    walker.walk(fields)
    let start = lines.count
    do throws(Refusal) {
      guard !walker.isTooLong else { throw Self.tooLong }
      let name = try names.entry(of: walker)
      guard findRules(of: name) else {
        tally.droppedByMap += 1
        return .dropped
      }
      let subject = try subjectField()
      let moment = try timestamp()
      if rules.count > 1 { writtenNames.removeAll() }
      for rule in rules { try write(rule, name: name, subject: subject, moment) }
      countLeftOut(subjectField: subject.field)
      name.countRecord()
      return .events(rules.count)
    } catch {
      lines.removeAll(from: start)
      return .refused(error)
    }
  }

  /// Returns what became of the records since the last call.
  public func takeTally() -> ImportTally {
    for node in leftOutCounts.indices where leftOutCounts[node] > 0 {
      tally.leaveOut(walker.tree.paths[node], count: leftOutCounts[node])
      leftOutCounts[node] = 0
    }
    for number in unknownLeftOutCounts.indices where unknownLeftOutCounts[number] > 0 {
      tally.leaveOut(walker.unknownPaths[number], count: unknownLeftOutCounts[number])
      unknownLeftOutCounts[number] = 0
    }
    names.moveCounts(to: &tally)
    defer { tally = ImportTally() }
    return tally
  }

  private static let tooLong = Refusal(
    isMissing: false,
    message: "props: the keys of nested objects, joined with dots, have more than \(Limits.lineBytesMax) bytes")

  /// Finds the rules that hold for an event; returns false if it is left out.
  private func findRules(of name: EventNames.Entry) -> Bool {
    rules.removeAll(keepingCapacity: true)
    if let all = name.rules {
      guard !all.isEmpty else { return false }
      for rule in all where rule.conditions.isEmpty || rule.conditions.allSatisfy(holds) { rules.append(rule) }
      if !rules.isEmpty { return true }
    }
    if plan.keepsOtherEvents { rules.append(nil) }
    return plan.keepsOtherEvents
  }

  private func holds(_ condition: (slot: Int, values: [PropertyValue])) -> Bool {
    guard let field = walker.field(condition.slot) else { return condition.values.contains(.null) }
    // An empty string counts as absent, as it does for every other path; a condition may name it all the same.
    if walker.fields[field].isAbsent, condition.values.contains(.null) { return true }
    guard let value = value(of: field) else { return false }
    return condition.values.contains { $0.isSame(as: value) }
  }

  private func value(of field: Int) -> PropertyValue? {
    if let text = integerText(of: field) { return Int64(String(decoding: text, as: UTF8.self)).map(PropertyValue.integer) }
    return walker.fields[field].propertyValue
  }

  /// Returns the digits of an integer that Google's export writes as a string, or nil for any other value.
  @inline(__always)
  private func integerText(of field: Int) -> UnsafeRawBufferPointer? {
    plan.format == .ga4 ? walker.fields[field].integerText : nil
  }

  // MARK: Envelope

  /// Returns the first of several slots that has a value.
  @inline(__always)
  private func firstPresent(_ slots: [Int]) -> Int? {
    for slot in slots { if let field = present(slot) { return field } }
    return nil
  }

  @inline(__always)
  private func firstPresent(_ candidates: [ImportPlan.Candidate]) -> Int? {
    for candidate in candidates { if let field = present(candidate.slot) { return field } }
    return nil
  }

  @inline(__always)
  private func present(_ slot: Int) -> Int? {
    guard let field = walker.field(slot), !walker.fields[field].isAbsent else { return nil }
    return field
  }

  /// Returns the field of the subject, and its text if that is not the field's own.
  private func subjectField() throws(Refusal) -> (field: Int, text: [UInt8]?) {
    guard let field = firstPresent(plan.subject) else {
      throw Refusal(
        isMissing: true,
        message:
          "subject: the record has none of \(plan.subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)"
      )
    }
    guard let string = walker.fields[field].string else {
      guard let number = walker.fields[field].numberText else {
        throw Refusal(isMissing: false, message: "subject is \(walker.fields[field].kindName); a string is needed")
      }
      if number.withUnsafeBytes({ BannedIdentities.contains($0) }) { throw Self.nobody(number) }
      return (field, number)
    }
    let prefix: StaticString = "$device:"
    guard plan.dropsDevicePrefix, string.starts(with: UnsafeRawBufferPointer(prefix)) else {
      if BannedIdentities.contains(string) { throw Self.nobody(Array(string)) }
      return (field, nil)
    }
    let text = UnsafeRawBufferPointer(rebasing: string[prefix.utf8CodeUnitCount...])
    if BannedIdentities.contains(text) { throw Self.nobody(Array(text)) }
    return (field, Array(text))
  }

  private static func nobody(_ id: [UInt8]) -> Refusal {
    Refusal(
      isMissing: false,
      message: "subject: \(String(decoding: id, as: UTF8.self).quoted) stands for nobody; it would make strangers one person")
  }

  private func timestamp() throws(Refusal) -> Timestamp {
    guard let field = firstPresent(plan.timestamp) else {
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

  // MARK: Writing

  @inline(__always)
  private func write(
    _ rule: EventRule?, name: EventNames.Entry, subject: (field: Int, text: [UInt8]?), _ moment: Timestamp
  ) throws(Refusal) {
    let native = try nativeName(rule, name: name)
    native.withUnsafeBytes { writer.begin(name: $0, moment) }
    if let text = subject.text {
      text.withUnsafeBytes { writer.add(",\"subject\":", $0) }
    } else if let text = walker.fields[subject.field].string {
      writer.add(",\"subject\":", text)
    }
    plan.app?.withUnsafeBytes { writer.add(",\"app\":", $0) }
    if let rule {
      write(rule.flow, ",\"flow\":")
      write(rule.step, ",\"step\":")
    }
    writeID(native)
    let contextFields = writeContext(rule)
    writeProperties(rule, without: contextFields)
    writer.end()
  }

  private func nativeName(_ rule: EventRule?, name: EventNames.Entry) throws(Refusal) -> [UInt8] {
    switch rule?.name {
    case nil: return try name.nativeName()
    case .literal(let text): return text
    case .slot(let slot, let path):
      guard let field = present(slot) else { throw Refusal(isMissing: true, message: "name: the record has no \(path)") }
      guard let text = walker.fields[field].string else {
        throw Refusal(isMissing: false, message: "name is \(walker.fields[field].kindName); a string is needed")
      }
      let form = folded.form(of: text)
      guard !form.isEmpty else {
        throw Refusal(isMissing: false, message: "name: no letter or digit is left of the value of \(path)")
      }
      return form
    }
  }

  /// Writes the flow or the step of a rule.
  private func write(_ text: EventRule.RuleText?, _ key: StaticString) {
    switch text {
    case nil: return
    case .literal(let text): text.withUnsafeBytes { writer.add(key, $0) }
    case .slot(let slot, _):
      guard let field = present(slot) else { return }
      if let string = walker.fields[field].string {
        folded.form(of: string).withUnsafeBytes { writer.add(key, $0) }
      } else if let number = walker.fields[field].numberText {
        NameFolding.fold(number).withUnsafeBytes { writer.add(key, $0) }
      }
    }
  }

  /// Writes the id, unless it is to be derived from the event itself. A second event of one name has one of its own.
  private func writeID(_ native: [UInt8]) {
    var repetition = 1
    if rules.count > 1 {
      repetition = writtenNames.count { $0 == native } + 1
      writtenNames.append(native)
    }
    if repetition == 1, case .first(let slots) = plan.identity, let field = firstPresent(slots),
      let text = walker.fields[field].string
    {
      return writer.add(",\"id\":", text)
    }
    guard var id = eventID() else { return }
    if repetition > 1 { id += Array("#\(repetition)".utf8) }
    id.withUnsafeBytes { writer.add(",\"id\":", $0) }
  }

  /// Returns the id of the event, or nil if it is to be derived from the event itself.
  private func eventID() -> [UInt8]? {
    switch plan.identity {
    case .first(let slots): return firstPresent(slots).flatMap(scalarText)
    case .joined(let slots, let separator):
      var id: [UInt8] = []
      for (index, slot) in slots.enumerated() {
        guard let field = present(slot), let text = scalarText(field) else { return nil }
        id += (index > 0 ? separator : []) + text
      }
      return DerivedIdentity.shortened(id)
    case .derived(let slots):
      var identity = DerivedIdentity()
      for slot in slots { identity.add(walker.field(slot).flatMap(scalarText) ?? []) }
      for property in walker.properties {
        identity.add(Array(walker.key(of: property)))
        identity.add(scalarText(Int(property.field)) ?? [])
      }
      return identity.text
    }
  }

  /// Returns a string or a number as text; nil for any other value.
  private func scalarText(_ field: Int) -> [UInt8]? {
    walker.fields[field].string.map { Array($0) } ?? walker.fields[field].numberText
  }

  /// Writes `ctx` and returns the fields of a rule's own members, which are no properties of this event.
  private func writeContext(_ rule: EventRule?) -> [Int] {
    var used: [Int] = []
    let own = rule?.context ?? []
    writer.beginObject(",\"ctx\":", checksKeys: !own.isEmpty)
    for member in own {
      guard let field = present(member.slot), isScalar(field) else { continue }
      used.append(field)
      member.key.withUnsafeBytes { writer.addMember($0, walker.fields[field]) }
    }
    for member in plan.context {
      guard let field = firstPresent(member.slots), isScalar(field) else { continue }
      member.key.withUnsafeBytes { writer.addMember($0, walker.fields[field]) }
    }
    writer.endObject()
    return used
  }

  private func writeProperties(_ rule: EventRule?, without contextFields: [Int]) {
    let hasAdded = !plan.props.isEmpty || rule?.props.isEmpty == false
    writer.beginObject(",\"props\":", checksKeys: walker.mayRepeatKeys || hasAdded)
    if hasAdded { for member in (rule?.props ?? []) + plan.props { writeAdded(member) } }
    for property in walker.properties {
      let field = Int(property.field)
      if !contextFields.isEmpty, contextFields.contains(field) { continue }
      writer.addMember(walker.key(of: property), walker.fields[field], integer: integerText(of: field))
    }
    writer.endObject()
  }

  private func writeAdded(_ member: (key: [UInt8], slot: Int)) {
    guard let field = walker.field(member.slot), isScalar(field) else { return }
    member.key.withUnsafeBytes { writer.addMember($0, walker.fields[field], integer: integerText(of: field)) }
  }

  private func isScalar(_ field: Int) -> Bool { !walker.fields[field].isObject && !walker.fields[field].isArray }

  // MARK: Counting

  /// Counts what is left out of a record that became events.
  private func countLeftOut(subjectField: Int) {
    for node in walker.leftOut { leftOutCounts[Int(node)] += 1 }
    for identity in walker.identities where Int(identity.field) != subjectField { leftOutCounts[Int(identity.node)] += 1 }
    for number in walker.unknownLeftOut {
      while unknownLeftOutCounts.count <= number { unknownLeftOutCounts.append(0) }
      unknownLeftOutCounts[number] += 1
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a text of the program.
  init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
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
