package import FunnelModel

/// The contents of a log: the number of events of each type, and their time span.
///
/// The memory is bounded: malicious input may name a new step in every event. If there are more than
/// ``Limits/unclaimedNamesMax`` types, a sample is counted: the types whose hash begins with a minimum number
/// of zero bits. The sample depends only on the set of types, not on the order of events or their distribution
/// among threads.
package struct LogContents: Hashable, Sendable {
  /// The types by number, from 1, or `nil` for a type that is no longer in the sample.
  private var names: [EventTypeName?] = []
  /// The numbers of the types in the sample. A type keeps its number.
  private var numbers: [EventTypeName: Int] = [:]
  /// The event counts by number. Number 0 counts the events of types that were never in the sample.
  private var eventCounts = [0]
  /// The minimum number of leading zero bits in the hash of a type in the sample.
  private var zeroBits = 0
  // The span is empty if the first time is after the last.
  private var firstMilliseconds = Int64.max
  private var lastMilliseconds = Int64.min

  /// The apps of all events, including types outside the sample, at most ``Limits/unclaimedNamesMax``.
  package private(set) var apps: Set<String> = []

  /// Creates contents without events.
  package init() {}

  /// The number of events.
  package var eventCount: Int { eventCounts.reduce(0, +) }

  /// The number of events of each type in the sample.
  package var countByName: [EventTypeName: Int] {
    var counts: [EventTypeName: Int] = [:]
    for (name, count) in zip(names, eventCounts.dropFirst()) where count > 0 { if let name { counts[name] = count } }
    return counts
  }

  /// The number of events whose types are not in the sample.
  package var unnamedEventCount: Int {
    zip(names, eventCounts.dropFirst()).reduce(eventCounts[0]) { $1.0 == nil ? $0 + $1.1 : $0 }
  }

  /// Creates contents from stored counts.
  ///
  /// - Parameters:
  ///   - countByName: The number of events of each type in the sample.
  ///   - unnamedEventCount: The number of events whose types are not in the sample.
  ///   - apps: The apps of all events.
  ///   - span: The times of the first and the last event, or `nil` if there are no events.
  package init(
    countByName: [EventTypeName: Int], unnamedEventCount: Int, apps: Set<String>, span: ClosedRange<Timestamp>?
  ) {
    // If there is a sample, its minimum of zero bits is not stored, so it is computed from the types.
    if unnamedEventCount > 0 { zeroBits = countByName.keys.map(\.zeroBits).min() ?? 0 }
    for (name, count) in countByName { eventCounts[number(of: name)] += count }
    eventCounts[0] += unnamedEventCount
    self.apps.formUnion(apps)
    if let span {
      firstMilliseconds = span.lowerBound.milliseconds
      lastMilliseconds = span.upperBound.milliseconds
    }
  }

  /// The times of the first and the last event, or `nil` if there are no events.
  package var span: ClosedRange<Timestamp>? {
    guard firstMilliseconds <= lastMilliseconds else { return nil }
    return Timestamp(milliseconds: firstMilliseconds)...Timestamp(milliseconds: lastMilliseconds)
  }

  /// The number of type numbers that are in use, including 0.
  package var numberCount: Int { eventCounts.count }

  /// Returns the type with a number, or `nil` if the type is not in the sample.
  package func name(of number: Int) -> EventTypeName? { number == 0 ? nil : names[number - 1] }

  /// Returns the number of a type, or 0 if the type is not in the sample. A new type may remove others from the sample.
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

  /// Removes the types from the sample whose hashes begin with fewer zero bits.
  private mutating func keepNames(zeroBits bits: Int) {
    guard bits > zeroBits else { return }
    zeroBits = bits
    for (name, number) in numbers where name.zeroBits < bits {
      names[number - 1] = nil
      numbers[name] = nil
    }
  }

  /// Counts an event of the type with a number.
  @inline(__always)
  package mutating func add(number: Int, milliseconds: Int64) {
    eventCounts[number] &+= 1
    firstMilliseconds = min(firstMilliseconds, milliseconds)
    lastMilliseconds = max(lastMilliseconds, milliseconds)
  }

  /// Adds the counts of a block, and sets them to zero for the next block. The span of the block is kept: it
  /// includes earlier blocks.
  mutating func take(_ block: inout BlockEventCounts) {
    for number in 0..<min(eventCounts.count, block.capacity) {
      eventCounts[number] += block.removeCount(of: number)
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

  /// Subtracts events that are duplicates of others.
  ///
  /// - Parameters:
  ///   - counts: The number of duplicates of each type. The key `nil` means all types outside the sample.
  ///   - span: The times of the first and the last remaining event in milliseconds, or `nil` to keep the span.
  package mutating func remove(_ counts: [EventTypeName?: Int], leaving span: ClosedRange<Int64>?) {
    for (name, count) in counts { eventCounts[name.flatMap { numbers[$0] } ?? 0] -= count }
    if let span {
      firstMilliseconds = span.lowerBound
      lastMilliseconds = span.upperBound
    }
  }
}

extension LogContents {
  /// Whether the counts and the spans are equal. Type numbers may differ.
  package static func == (left: LogContents, right: LogContents) -> Bool {
    left.countByName == right.countByName && left.unnamedEventCount == right.unnamedEventCount && left.span == right.span
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(countByName)
    hasher.combine(unnamedEventCount)
    hasher.combine(span)
  }
}
