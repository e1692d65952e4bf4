public import FunnelModel

/// What names an event besides its properties.
public struct EventTypeName: Hashable, Sendable {
  public var app: String
  public var flow: String?
  public var flowVersion: Int?
  public var name: String
  public var step: String?

  public init(app: String, flow: String? = nil, flowVersion: Int? = nil, name: String, step: String? = nil) {
    self.app = app
    self.flow = flow
    self.flowVersion = flowVersion
    self.name = name
    self.step = step
  }

  init(_ event: borrowing EventFields) {
    self.init(
      app: event.app.text, flow: event.flow?.text, flowVersion: event.flowVersion.map { Int($0) }, name: event.name.text,
      step: event.step?.text)
  }
}

/// What a log has: how many events of which names, and from when to when they happened.
///
/// It is counted while events are read, so it says nothing of duplicates: they are counted as often as they were read.
public struct LogContents: Hashable, Sendable {
  private var names: [EventTypeName] = []
  private var numbers: [EventTypeName: Int] = [:]
  /// By number. The first counts all events whose names are beyond ``Limits/unclaimedNamesMax``: hostile input may name a new step each time.
  private var eventCounts = [0]
  private var firstMilliseconds = Int64.max
  private var lastMilliseconds = Int64.min

  public init() {}

  /// How many events there are.
  public var eventCount: Int { eventCounts.reduce(0, +) }

  /// How many events there are of each name; the names beyond ``Limits/unclaimedNamesMax`` are left out.
  public var countByName: [EventTypeName: Int] {
    Dictionary(uniqueKeysWithValues: zip(names, eventCounts.dropFirst())).filter { $0.value > 0 }
  }

  /// When the first and the last of them happened; nil if there are none.
  public var span: ClosedRange<Timestamp>? {
    guard firstMilliseconds <= lastMilliseconds else { return nil }
    return Timestamp(milliseconds: firstMilliseconds)...Timestamp(milliseconds: lastMilliseconds)
  }

  /// The number under which events of a name are counted.
  package mutating func number(of name: EventTypeName) -> Int {
    if let number = numbers[name] { return number }
    guard names.count < Limits.unclaimedNamesMax else { return 0 }
    names.append(name)
    eventCounts.append(0)
    numbers[name] = names.count
    return names.count
  }

  /// Counts an event.
  @inline(__always)
  package mutating func add(number: Int, milliseconds: Int64) {
    eventCounts[number] &+= 1
    firstMilliseconds = min(firstMilliseconds, milliseconds)
    lastMilliseconds = max(lastMilliseconds, milliseconds)
  }

  /// Adds what another thread counted.
  mutating func add(_ other: LogContents) {
    eventCounts[0] += other.eventCounts[0]
    for (name, count) in zip(other.names, other.eventCounts.dropFirst()) { eventCounts[number(of: name)] += count }
    firstMilliseconds = min(firstMilliseconds, other.firstMilliseconds)
    lastMilliseconds = max(lastMilliseconds, other.lastMilliseconds)
  }
}

extension LogContents {
  /// By the counts alone: in which order names were met makes no difference.
  public static func == (left: LogContents, right: LogContents) -> Bool {
    left.countByName == right.countByName && left.eventCounts[0] == right.eventCounts[0] && left.span == right.span
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(countByName)
    hasher.combine(eventCounts[0])
    hasher.combine(span)
  }
}
