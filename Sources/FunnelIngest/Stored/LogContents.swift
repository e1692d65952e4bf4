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
/// Of more than ``Limits/unclaimedNamesMax`` names those are kept whose hashes begin with enough zeros: the same ones, with the same counts,
/// whatever the order of the events and however they were shared out among threads and folds. Hostile input may name a new step each time.
public struct LogContents: Hashable, Sendable {
  /// The names by number, from 1; nil for one that is not kept any more.
  private var names: [EventTypeName?] = []
  /// The numbers of the names that are kept. A number stays the same.
  private var numbers: [EventTypeName: Int] = [:]
  /// The counts by number. The first one counts events whose names were never kept.
  private var eventCounts = [0]
  /// The number of zeros with which the hash of a name that is kept begins.
  private var zeroBits = 0
  private var firstMilliseconds = Int64.max
  private var lastMilliseconds = Int64.min

  /// The apps of the events, also of those whose names are not counted, up to the same number.
  public private(set) var apps: Set<String> = []

  public init() {}

  /// The number of events.
  public var eventCount: Int { eventCounts.reduce(0, +) }

  /// The number of events of each name that is kept.
  public var countByName: [EventTypeName: Int] {
    var counts: [EventTypeName: Int] = [:]
    for (name, count) in zip(names, eventCounts.dropFirst()) where count > 0 { if let name { counts[name] = count } }
    return counts
  }

  /// The number of events whose names are not kept; 0 if all are.
  public var unnamedEventCount: Int {
    zip(names, eventCounts.dropFirst()).reduce(eventCounts[0]) { $1.0 == nil ? $0 + $1.1 : $0 }
  }

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
    // Where names were left out, those that are kept tell which.
    if unnamedEventCount > 0 { zeroBits = countByName.keys.map(\.zeroBits).min() ?? 0 }
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

  /// The number of numbers that were given, with 0.
  package var numberCount: Int { eventCounts.count }

  /// Returns the name with a number, or nil if it is not kept.
  package func name(of number: Int) -> EventTypeName? { number == 0 ? nil : names[number - 1] }

  /// Returns the number under which events of a name are counted.
  package mutating func number(of name: EventTypeName) -> Int {
    if let number = numbers[name] { return number }
    if apps.count < Limits.unclaimedNamesMax { apps.insert(name.app) }
    guard name.zeroBits >= zeroBits else { return 0 }
    names.append(name)
    eventCounts.append(0)
    numbers[name] = names.count
    let number = names.count
    while numbers.count > Limits.unclaimedNamesMax { keepNames(zeroBits: zeroBits + 1) }
    return number
  }

  /// Keeps the names alone whose hashes begin with so many zeros.
  private mutating func keepNames(zeroBits bits: Int) {
    guard bits > zeroBits else { return }
    zeroBits = bits
    for (name, number) in numbers where name.zeroBits < bits {
      names[number - 1] = nil
      numbers[name] = nil
    }
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
    for number in 0..<min(eventCounts.count, block.capacity) {
      eventCounts[number] += block.counts[number]
      block.counts[number] = 0
    }
    firstMilliseconds = min(firstMilliseconds, block.firstMilliseconds)
    lastMilliseconds = max(lastMilliseconds, block.lastMilliseconds)
  }

  /// Adds the counts of another thread.
  package mutating func add(_ other: LogContents) {
    keepNames(zeroBits: other.zeroBits)
    eventCounts[0] += other.unnamedEventCount
    for app in other.apps where apps.count < Limits.unclaimedNamesMax { apps.insert(app) }
    for (name, count) in zip(other.names, other.eventCounts.dropFirst()) {
      if let name { eventCounts[number(of: name)] += count }
    }
    firstMilliseconds = min(firstMilliseconds, other.firstMilliseconds)
    lastMilliseconds = max(lastMilliseconds, other.lastMilliseconds)
  }

  /// Takes away events that proved to be duplicates.
  ///
  /// - Parameters:
  ///   - counts: The number of events of each name, nil for those whose names are not kept.
  ///   - span: The times of the first and the last event that is left.
  package mutating func remove(_ counts: [EventTypeName?: Int], leaving span: ClosedRange<Int64>?) {
    for (name, count) in counts { eventCounts[name.flatMap { numbers[$0] } ?? 0] -= count }
    if let span { (firstMilliseconds, lastMilliseconds) = (span.lowerBound, span.upperBound) }
  }
}

extension EventTypeName {
  /// The number of zeros with which a hash of the name begins, the same on any machine.
  fileprivate var zeroBits: Int {
    var bytes = Array(app.utf8)
    for part in [flow, flowVersion.map(String.init), name, step] {
      // No part has this byte.
      bytes.append(0)
      bytes += Array((part ?? "").utf8)
    }
    return bytes.withUnsafeBytes { ByteWords.hash($0.baseAddress!, count: $0.count, seed: 0) }.leadingZeroBitCount
  }
}

extension LogContents {
  /// Compares the counts only: the order in which names were found makes no difference.
  public static func == (left: LogContents, right: LogContents) -> Bool {
    left.countByName == right.countByName && left.unnamedEventCount == right.unnamedEventCount && left.span == right.span
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(countByName)
    hasher.combine(unnamedEventCount)
    hasher.combine(span)
  }
}

/// The counts of the events of one block, by the numbers of a ``LogContents``.
///
/// They are in memory of their own: an `Array` checks at each change that nothing else shares its elements, which takes longer than
/// counting an event.
struct BlockEventCounts: ~Copyable {
  fileprivate var counts: UnsafeMutablePointer<Int>
  fileprivate private(set) var capacity: Int
  fileprivate var firstMilliseconds = Int64.max
  fileprivate var lastMilliseconds = Int64.min

  private static let capacityMin = 1 << 10

  init() {
    capacity = Self.capacityMin
    counts = .allocate(capacity: capacity)
    counts.initialize(repeating: 0, count: capacity)
  }

  deinit { counts.deallocate() }

  /// Makes room for a number.
  mutating func reserve(number: Int) {
    guard number >= capacity else { return }
    let larger = max(2 * capacity, number + 1)
    let copy = UnsafeMutablePointer<Int>.allocate(capacity: larger)
    copy.initialize(repeating: 0, count: larger)
    copy.update(from: counts, count: capacity)
    counts.deallocate()
    (counts, capacity) = (copy, larger)
  }

  /// Counts an event of a number for which there is room.
  @inline(__always)
  mutating func add(number: Int, milliseconds: Int64) {
    counts[number] &+= 1
    firstMilliseconds = min(firstMilliseconds, milliseconds)
    lastMilliseconds = max(lastMilliseconds, milliseconds)
  }
}
