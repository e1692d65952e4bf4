import FunnelIndex
import FunnelModel

/// Splits the event sequence of a subject into groups: one for each flow version, or for each attempt at it
/// (specification section 3).
///
/// The columns of each group are contiguous, in the order of the sequence. Reuse a partitioner for all sequences,
/// because it keeps its memory. Not thread-safe: each worker owns one.
// A hash table identifies the groups, so the time per event does not grow with the number of a subject's attempts.
struct GroupPartitioner: ~Copyable {
  private struct Group {
    /// The index of the flow version in the catalog.
    var flow: Int32
    /// The attempt hash, or 0 if the flow version does not count by attempt or the events have no attempt.
    var attempt: UInt64
    /// The index of the group's first event in the columns.
    var start: Int
    var count: Int
  }

  // Constants of Fibonacci hashing (2⁶⁴ divided by the golden ratio) and of wyhash.
  private static let flowMultiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let hashMultiplier: UInt64 = 0xA076_1D64_78BD_642F
  /// The value of a free slot of ``table``. No group has a negative index.
  private static let free: Int32 = -1

  private var groups: [Group] = []
  /// The index of each event's group.
  private var groupOfEvent: [Int32] = []
  /// A hash table with linear probing: the index of the group in each slot, or ``free``.
  private var table: [Int32] = []
  private var classIDs: [UInt32] = []
  private var times: [Int64] = []
  private var rows: [UInt32] = []
  private var measurementStarts: [UInt32] = []
  private var positions: [UInt32] = []

  /// Calls `body` with each group of an event sequence. A group is valid only during the call.
  ///
  /// - Parameters:
  ///   - classes: The entries of the source's `EventClassTable`, by event class ID.
  ///   - countsByAttempt: Whether the attempts at each flow version of the catalog are separate groups.
  ///   - keepsPositions: Whether the groups have ``EventSequence/positions``, the indices of their events in the sequence.
  ///   - flow: The index of the group's flow version in the catalog.
  mutating func forEachGroup(
    of sequence: EventSequence, classes: [EventClassTable.Entry], countsByAttempt: [Bool], keepsPositions: Bool,
    _ body: (_ flow: Int32, _ group: EventSequence) -> Void
  ) {
    findGroups(of: sequence, classes: classes, countsByAttempt: countsByAttempt)
    gatherColumns(of: sequence, keepsPositions: keepsPositions)
    withColumns(of: sequence, keepsPositions: keepsPositions) { columns in
      for group in groups { body(group.flow, columns.slice(group.start..<group.start + group.count)) }
    }
  }

  /// Calls `body` with the sequence of the events of all groups, one group after the other.
  private func withColumns(of sequence: EventSequence, keepsPositions: Bool, _ body: (EventSequence) -> Void) {
    classIDs.withUnsafeBufferPointer { classIDs in
      times.withUnsafeBufferPointer { times in
        rows.withUnsafeBufferPointer { rows in
          measurementStarts.withUnsafeBufferPointer { starts in
            positions.withUnsafeBufferPointer { positions in
              // The buffers keep their capacity, so they may have more elements than the sequence has events.
              let events = 0..<sequence.count
              body(
                EventSequence(
                  classIDs: BorrowedColumn(classIDs)[events], times: BorrowedColumn(times)[events],
                  rows: sequence.rows == nil ? nil : BorrowedColumn(rows)[events],
                  measurements: sequence.measurements.map {
                    EventMeasurements(starts: BorrowedColumn(starts)[events], all: $0.all)
                  },
                  positions: keepsPositions ? BorrowedColumn(positions)[events] : nil, names: sequence.names))
            }
          }
        }
      }
    }
  }

  /// Assigns each event to a group and counts the events of each group.
  private mutating func findGroups(
    of sequence: EventSequence, classes: [EventClassTable.Entry], countsByAttempt: [Bool]
  ) {
    groups.removeAll(keepingCapacity: true)
    groupOfEvent.removeAll(keepingCapacity: true)
    // The size is the smallest power of two that is at least twice the event count, so the table is at most half full.
    let size = 1 << (Int.bitWidth - (sequence.count * 2 - 1).leadingZeroBitCount)
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(Self.free, count: size))
    for event in 0..<sequence.count {
      let flow = classes[Int(sequence.classIDs[event])].flow
      let attempt = countsByAttempt[Int(flow)] ? sequence.attempts?[event] ?? 0 : 0
      let group = group(flow: flow, attempt: attempt)
      groups[group].count += 1
      groupOfEvent.append(Int32(group))
    }
  }

  /// Returns the index of a group, adding the group if it is new.
  private mutating func group(flow: Int32, attempt: UInt64) -> Int {
    let hash = (attempt ^ UInt64(truncatingIfNeeded: flow) &* Self.flowMultiplier) &* Self.hashMultiplier
    var index = Int(truncatingIfNeeded: hash >> 32) & (table.count - 1)
    while table[index] != Self.free {
      let group = Int(table[index])
      if groups[group].flow == flow, groups[group].attempt == attempt { return group }
      index = (index + 1) & (table.count - 1)
    }
    table[index] = Int32(groups.count)
    groups.append(Group(flow: flow, attempt: attempt, start: 0, count: 0))
    return groups.count - 1
  }

  /// Copies the events of each group to adjacent elements of the columns.
  private mutating func gatherColumns(of sequence: EventSequence, keepsPositions: Bool) {
    var start = 0
    for group in groups.indices {
      groups[group].start = start
      start += groups[group].count
      groups[group].count = 0
    }
    // Columns grow to twice the size that is needed, so they grow rarely.
    if classIDs.count < sequence.count {
      classIDs = Array(repeating: 0, count: sequence.count * 2)
      times = Array(repeating: 0, count: sequence.count * 2)
    }
    if sequence.rows != nil, rows.count < sequence.count { rows = Array(repeating: 0, count: sequence.count * 2) }
    if sequence.measurements != nil, measurementStarts.count < sequence.count {
      measurementStarts = Array(repeating: 0, count: sequence.count * 2)
    }
    if keepsPositions, positions.count < sequence.count { positions = Array(repeating: 0, count: sequence.count * 2) }
    for event in 0..<sequence.count {
      let group = Int(groupOfEvent[event])
      let target = groups[group].start + groups[group].count
      groups[group].count += 1
      classIDs[target] = sequence.classIDs[event]
      times[target] = sequence.times[event]
      if let value = sequence.rows?[event] { rows[target] = value }
      if let start = sequence.measurements?.starts[event] { measurementStarts[target] = start }
      if keepsPositions { positions[target] = UInt32(truncatingIfNeeded: event) }
    }
  }
}
