import FunnelDecoding
import FunnelModel
import FunnelProjections

// The encoding of the input counts of a state (``StateFile``).

extension StateWriter {
  /// Appends a time, or null.
  mutating func append(_ time: Timestamp?) { append(time.map { PropertyValue.integer($0.milliseconds) } ?? .null) }

  /// Appends the counts of lines, and the names of the events.
  mutating func append(_ input: InputCounts) {
    for count in [input.lines, input.bytes, input.events] { append(number: count) }
    let rejected = input.rejected.sorted { $0.key.rawValue < $1.key.rawValue }
    append(number: rejected.count)
    for (reason, count) in rejected {
      append(counted: reason.rawValue.utf8)
      append(number: count)
    }
    append(input.contents)
  }

  private mutating func append(_ contents: LogContents) {
    let names = contents.countByName.sorted { $0.key.precedes($1.key) }
    append(number: names.count)
    for (name, count) in names {
      append(.string(name.app))
      append(name.flow.map(PropertyValue.string) ?? .null)
      append(name.flowVersion.map { .integer(Int64($0)) } ?? .null)
      append(.string(name.name))
      append(name.step.map(PropertyValue.string) ?? .null)
      append(number: count)
    }
    append(number: contents.unnamedEventCount)
    append(number: contents.apps.count)
    for app in contents.apps.sorted() { append(counted: app.utf8) }
    append(contents.span?.lowerBound)
    append(contents.span?.upperBound)
  }
}

extension StateReader {
  /// Reads a list that is preceded by the number of its elements. Each element has at least `bytesMin` bytes.
  mutating func list<Element>(
    bytesMin: Int, _ element: (inout StateReader) throws(StateDamage) -> Element
  ) throws(StateDamage) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<(try count(bytesMin: bytesMin)) { elements.append(try element(&self)) }
    return elements
  }

  /// Reads a time, or `nil` for null.
  mutating func time() throws(StateDamage) -> Timestamp? {
    switch try value() {
    case .null: return nil
    case .integer(let milliseconds):
      guard Timestamp.writable.contains(Timestamp(milliseconds: milliseconds)) else { throw damage("a time out of range") }
      return Timestamp(milliseconds: milliseconds)
    default: throw damage("not a time")
    }
  }

  /// Reads the counts of lines, and the names of the events.
  mutating func input() throws(StateDamage) -> InputCounts {
    var input = InputCounts()
    input.lines = try quantity()
    input.bytes = try number()
    input.events = try quantity()
    for _ in 0..<(try count(bytesMin: 2)) {
      guard let reason = RejectionReason(rawValue: try text()) else { throw damage("not a reason of a rejected line") }
      input.rejected[reason] = try quantity()
    }
    input.contents = try contents()
    guard InputCounts().hasRoom(for: input) else {
      throw damage("the counts of lines contradict each other")
    }
    return input
  }

  private mutating func contents() throws(StateDamage) -> LogContents {
    var counts: [EventTypeName: Int] = [:]
    for _ in 0..<(try count(bytesMin: 6)) {
      let app = try requiredText()
      let flow = try optionalText()
      let version = try optionalNumber()
      let name = EventTypeName(app: app, flow: flow, flowVersion: version, name: try requiredText(), step: try optionalText())
      counts[name] = try quantity()
    }
    let unnamed = try quantity()
    let apps = try list(bytesMin: 1) { (reader) throws(StateDamage) in try reader.text() }
    let first = try time()
    let last = try time()
    var span: ClosedRange<Timestamp>?
    if let first, let last {
      guard first <= last else { throw damage("the last event is before the first") }
      span = first...last
    }
    return LogContents(countByName: counts, unnamedEventCount: unnamed, apps: Set(apps), span: span)
  }

  private mutating func requiredText() throws(StateDamage) -> String {
    guard let text = try optionalText() else { throw damage("not a name") }
    return text
  }

  private mutating func optionalText() throws(StateDamage) -> String? {
    switch try value() {
    case .null: return nil
    case .string(let text): return text
    default: throw damage("not a name")
    }
  }

  private mutating func optionalNumber() throws(StateDamage) -> Int? {
    switch try value() {
    case .null: return nil
    case .integer(let number): return Int(number)
    default: throw damage("not a version")
    }
  }
}

extension EventTypeName {
  /// Returns whether a name is sorted before another in a state. An absent component comes first.
  fileprivate func precedes(_ other: EventTypeName) -> Bool {
    let a = (app, flow ?? "", flowVersion ?? -1)
    let b = (other.app, other.flow ?? "", other.flowVersion ?? -1)
    return a != b ? a < b : (name, step ?? "") < (other.name, other.step ?? "")
  }
}

extension InputCounts {
  /// Returns whether the counts of another fold can be added within the limits.
  func hasRoom(for other: InputCounts) -> Bool {
    let (byteCount, overflow) = bytes.addingReportingOverflow(other.bytes)
    return !overflow && byteCount <= Limits.foldedBytesMax && lines + other.lines <= Limits.countMax
      && events + other.events <= Limits.countMax
      && rejectedCount + other.rejectedCount <= Limits.countMax
      && contents.eventCount + other.contents.eventCount <= Limits.countMax
  }
}
