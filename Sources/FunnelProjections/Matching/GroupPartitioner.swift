import FunnelIndex

/// Splits a history into its groups: one for each flow version, or for each attempt at it (specification section 3).
///
/// The columns of each group are made contiguous, in the order of the history. A small hash table identifies the groups, so the time per
/// event does not grow with the number of a subject's attempts. All memory is kept for the next history.
struct GroupPartitioner: ~Copyable {
  private struct Group {
    var flow: Int32
    var attempt: UInt64
    var start: Int
    var count: Int
  }

  private var groups: [Group] = []
  /// The group of each event.
  private var groupOfEvent: [Int32] = []
  /// The group in each slot of the hash table, or -1 if the slot is free.
  private var table: [Int32] = []
  private var kinds: [UInt32] = []
  private var times: [Int64] = []
  private var rows: [UInt32] = []
  private var measurementStarts: [UInt32] = []
  private var positions: [UInt32] = []

  /// Passes each group of a history to `body` once, with the index of its flow version.
  ///
  /// - Parameters:
  ///   - keepsPositions: Whether the groups' events have their index in the history.
  ///   - flowOfKind: Returns the flow version of a kind code.
  ///   - countsByAttempt: Returns whether the attempts at a flow version are separate groups.
  mutating func forEachGroup(
    of sequence: EventSequence, keepsPositions: Bool = false, flowOfKind: (UInt32) -> Int32, countsByAttempt: (Int32) -> Bool,
    _ body: (_ flow: Int32, _ group: EventSequence) -> Void
  ) {
    findGroups(of: sequence, flowOfKind: flowOfKind, countsByAttempt: countsByAttempt)
    gatherColumns(of: sequence, keepsPositions: keepsPositions)
    kinds.withUnsafeBufferPointer { kinds in
      times.withUnsafeBufferPointer { times in
        rows.withUnsafeBufferPointer { rows in
          measurementStarts.withUnsafeBufferPointer { starts in
            positions.withUnsafeBufferPointer { positions in
              guard let kinds = kinds.baseAddress, let times = times.baseAddress else { return }
              for group in groups {
                body(
                  group.flow,
                  EventSequence(
                    count: group.count, kinds: kinds + group.start, times: times + group.start,
                    rows: sequence.rows == nil ? nil : rows.baseAddress.map { $0 + group.start },
                    measurements: measurements(of: sequence, starts.baseAddress.map { $0 + group.start }),
                    positions: keepsPositions ? positions.baseAddress.map { $0 + group.start } : nil, names: sequence.names))
              }
            }
          }
        }
      }
    }
  }

  private func measurements(of sequence: EventSequence, _ starts: UnsafePointer<UInt32>?) -> EventMeasurements? {
    guard let measurements = sequence.measurements, let starts else { return nil }
    return EventMeasurements(starts: starts, all: measurements.all)
  }

  private mutating func findGroups(
    of sequence: EventSequence, flowOfKind: (UInt32) -> Int32, countsByAttempt: (Int32) -> Bool
  ) {
    groups.removeAll(keepingCapacity: true)
    groupOfEvent.removeAll(keepingCapacity: true)
    // The table is at most half full.
    let size = 1 << (Int.bitWidth - (sequence.count * 2 - 1).leadingZeroBitCount)
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(-1, count: size))
    for event in 0..<sequence.count {
      let flow = flowOfKind(sequence.kinds[event])
      let attempt = countsByAttempt(flow) ? sequence.attempts?[event] ?? 0 : 0
      let group = group(flow: flow, attempt: attempt)
      groups[group].count += 1
      groupOfEvent.append(Int32(group))
    }
  }

  private mutating func group(flow: Int32, attempt: UInt64) -> Int {
    let hash = (attempt ^ UInt64(truncatingIfNeeded: flow) &* 0x9E37_79B9_7F4A_7C15) &* 0xA076_1D64_78BD_642F
    var index = Int(truncatingIfNeeded: hash >> 32) & (table.count - 1)
    while table[index] >= 0 {
      let group = Int(table[index])
      if groups[group].flow == flow, groups[group].attempt == attempt { return group }
      index = (index + 1) & (table.count - 1)
    }
    table[index] = Int32(groups.count)
    groups.append(Group(flow: flow, attempt: attempt, start: 0, count: 0))
    return groups.count - 1
  }

  private mutating func gatherColumns(of sequence: EventSequence, keepsPositions: Bool) {
    var start = 0
    for group in groups.indices {
      groups[group].start = start
      start += groups[group].count
      groups[group].count = 0
    }
    if kinds.count < sequence.count {
      kinds = Array(repeating: 0, count: sequence.count * 2)
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
      kinds[target] = sequence.kinds[event]
      times[target] = sequence.times[event]
      if let value = sequence.rows?[event] { rows[target] = value }
      if let start = sequence.measurements?.starts[event] { measurementStarts[target] = start }
      if keepsPositions { positions[target] = UInt32(truncatingIfNeeded: event) }
    }
  }
}
