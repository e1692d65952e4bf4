public import FunnelModel

/// The names that identify an event's type, without its properties.
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

/// The contents of a log: the number of events by name, and their time span.
///
/// Events are counted as they are read, so duplicates are counted each time.
public struct LogContents: Hashable, Sendable {
  private var names: [EventTypeName] = []
  private var numbers: [EventTypeName: Int] = [:]
  /// The counts by number. The first one counts all events whose names exceed ``Limits/unclaimedNamesMax``: hostile input may name a new
  /// step each time.
  private var eventCounts = [0]
  private var firstMilliseconds = Int64.max
  private var lastMilliseconds = Int64.min

  /// The apps of the events, also of those whose names are not counted, up to the same number.
  public private(set) var apps: Set<String> = []

  public init() {}

  /// The number of events.
  public var eventCount: Int { eventCounts.reduce(0, +) }

  /// The number of events of each name; names beyond ``Limits/unclaimedNamesMax`` are left out.
  public var countByName: [EventTypeName: Int] {
    Dictionary(uniqueKeysWithValues: zip(names, eventCounts.dropFirst())).filter { $0.value > 0 }
  }

  /// The number of events whose names are beyond ``Limits/unclaimedNamesMax``.
  public var unnamedEventCount: Int { eventCounts[0] }

  /// Creates contents of counts that were kept.
  ///
  /// - Parameters:
  ///   - countByName: The number of events of each name.
  ///   - unnamedEventCount: The number of events whose names are not kept.
  ///   - apps: The apps of all events.
  ///   - span: The times of the first and the last event, or nil if there are none.
  public init(
    countByName: [EventTypeName: Int], unnamedEventCount: Int, apps: Set<String>, span: ClosedRange<Timestamp>?
  ) {
    for (name, count) in countByName { eventCounts[number(of: name)] += count }
    eventCounts[0] += unnamedEventCount
    self.apps.formUnion(apps)
    if let span { (firstMilliseconds, lastMilliseconds) = (span.lowerBound.milliseconds, span.upperBound.milliseconds) }
  }

  /// The times of the first and the last event, or nil if there are none.
  public var span: ClosedRange<Timestamp>? {
    guard firstMilliseconds <= lastMilliseconds else { return nil }
    return Timestamp(milliseconds: firstMilliseconds)...Timestamp(milliseconds: lastMilliseconds)
  }

  /// Returns the number under which events of a name are counted.
  package mutating func number(of name: EventTypeName) -> Int {
    if let number = numbers[name] { return number }
    if apps.count < Limits.unclaimedNamesMax { apps.insert(name.app) }
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

  /// Adds the counts of a block, and clears them for the next one.
  mutating func take(_ block: inout BlockEventCounts) {
    for number in eventCounts.indices {
      eventCounts[number] += block.counts[number]
      block.counts[number] = 0
    }
    firstMilliseconds = min(firstMilliseconds, block.firstMilliseconds)
    lastMilliseconds = max(lastMilliseconds, block.lastMilliseconds)
  }

  /// Adds the counts of another thread.
  package mutating func add(_ other: LogContents) {
    eventCounts[0] += other.eventCounts[0]
    for app in other.apps where apps.count < Limits.unclaimedNamesMax { apps.insert(app) }
    for (name, count) in zip(other.names, other.eventCounts.dropFirst()) { eventCounts[number(of: name)] += count }
    firstMilliseconds = min(firstMilliseconds, other.firstMilliseconds)
    lastMilliseconds = max(lastMilliseconds, other.lastMilliseconds)
  }
}

extension LogContents {
  /// Compares the counts only: the order in which names were found makes no difference.
  public static func == (left: LogContents, right: LogContents) -> Bool {
    left.countByName == right.countByName && left.eventCounts[0] == right.eventCounts[0] && left.span == right.span
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(countByName)
    hasher.combine(eventCounts[0])
    hasher.combine(span)
  }
}

/// The counts of the events of one block, by the numbers of a ``LogContents``.
///
/// They are in memory of their own: an `Array` checks at each change that nothing else shares its elements, which takes longer than
/// counting an event.
struct BlockEventCounts: ~Copyable {
  fileprivate let counts: UnsafeMutablePointer<Int>
  fileprivate var firstMilliseconds = Int64.max
  fileprivate var lastMilliseconds = Int64.min

  init() {
    // The numbers begin with 0, for all names beyond the limit.
    counts = .allocate(capacity: Limits.unclaimedNamesMax + 1)
    counts.initialize(repeating: 0, count: Limits.unclaimedNamesMax + 1)
  }

  deinit { counts.deallocate() }

  /// Counts an event.
  @inline(__always)
  mutating func add(number: Int, milliseconds: Int64) {
    counts[number] &+= 1
    firstMilliseconds = min(firstMilliseconds, milliseconds)
    lastMilliseconds = max(lastMilliseconds, milliseconds)
  }
}
