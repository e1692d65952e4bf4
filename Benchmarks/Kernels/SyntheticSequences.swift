import FunnelIndex
import FunnelModel
import FunnelSimulator

/// Event sequences of subjects in trendy's onboarding, with the shares of `generate.c`, in columns as in an index.
struct SyntheticSequences: SequenceSource {
  private static let start: Int64 = 1_790_812_800_000
  private static let day = Timestamp.millisecondsPerDay
  /// A time at which all conversion windows are closed.
  static let end = Timestamp(milliseconds: start + 60 * day)

  private struct Partition: Sendable {
    var starts = [0]
    var kinds: [UInt32] = []
    var times: [Int64] = []
    var attempts: [UInt64] = []
    var rows: [UInt32] = []
  }

  private struct Event {
    var time: Int64
    var kind: Int
    var attempt: UInt64
  }

  let eventClasses: [EventClassTable.Entry]
  let segments: SegmentTable
  private var partitions = Array(repeating: Partition(), count: 64)

  var partitionCount: Int { partitions.count }
  var eventCount: Int { partitions.reduce(0) { $0 + $1.kinds.count } }

  init(subjects: Int) {
    guard let flow = SampleLog.catalog.index(app: "trendy", flow: "onboarding") else {
      preconditionFailure("there is no flow trendy/onboarding")
    }
    var table = EventClassTable()
    let codes = Self.flowMatches.map { table.findOrInsert(EventClassTable.Entry(flow: Int32(flow), kind: $0)) }
    eventClasses = table.entries
    var segments = SegmentTable(dimensions: [.context("variant")])
    for variant in ["A", "B", "C"] { _ = segments.append([.string(variant)]) }
    self.segments = segments
    var random = KernelRandom(seed: 20_261_101)
    for subject in 0..<subjects {
      let events = Self.events(using: &random)
      guard !events.isEmpty else { continue }
      let row = UInt32(random.next() % 3)
      append(events, codes: codes, row: row, toPartition: subject & 63)
    }
  }

  func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let partition = partitions[number]
    try partition.kinds.withUnsafeBufferPointer { (kinds) throws(FunnelError) in
      try partition.times.withUnsafeBufferPointer { (times) throws(FunnelError) in
        try partition.attempts.withUnsafeBufferPointer { (attempts) throws(FunnelError) in
          try partition.rows.withUnsafeBufferPointer { (rows) throws(FunnelError) in
            guard !kinds.isEmpty else { return }
            let all = EventSequence(
              classIDs: BorrowedColumn(kinds), times: BorrowedColumn(times), attempts: BorrowedColumn(attempts),
              rows: BorrowedColumn(rows))
            for (start, end) in zip(partition.starts, partition.starts.dropFirst()) { try body(all.slice(start..<end)) }
          }
        }
      }
    }
  }

  private mutating func append(_ events: [Event], codes: [UInt32], row: UInt32, toPartition number: Int) {
    for event in events {
      partitions[number].kinds.append(codes[event.kind])
      partitions[number].times.append(event.time)
      partitions[number].attempts.append(event.attempt)
      partitions[number].rows.append(row)
    }
    partitions[number].starts.append(partitions[number].kinds.count)
  }
}

extension SyntheticSequences {
  /// The event kinds: six steps viewed, six completed, and for each of three permissions a pre-prompt, a grant and a denial.
  private static var flowMatches: [EventClass] {
    let viewed = (0..<6).map { EventClass(stepMask: 1 << UInt64($0)) }
    let completed = Array(repeating: EventClass.other, count: 6)
    let asked = (0..<3).flatMap { permission in
      [
        EventClass(stepMask: 0, permission: permission, action: .prePrompt, exit: .left),
        EventClass(stepMask: 0, permission: permission, action: .granted, exit: .left),
        EventClass(stepMask: 0, permission: permission, action: .denied, exit: .denied),
      ]
    }
    return viewed + completed + asked
  }

  private static func events(using random: inout KernelRandom) -> [Event] {
    var events: [Event] = []
    let installed = start + Int64(random.unit() * 30 * Double(day))
    logAttempt(from: installed, attempt: 1, into: &events, using: &random)
    if random.unit() < 0.04 {
      logAttempt(from: installed + day / 4 + Int64(random.unit() * 12 * Double(day)), attempt: 2, into: &events, using: &random)
    }
    return events.filter { $0.time < start + 30 * day }.sorted { ($0.time, $0.kind) < ($1.time, $1.kind) }
  }

  private static func logAttempt(
    from start: Int64, attempt: UInt64, into events: inout [Event], using random: inout KernelRandom
  ) {
    var time = start + random.gap(2)
    func emit(_ kind: Int) { events.append(Event(time: time, kind: kind, attempt: attempt)) }
    for step in 0..<6 {
      emit(step)
      if step > 0, random.unit() < 0.04 {
        time += random.gap(5)
        emit(step - 1)
        time += random.gap(5)
        emit(step)
      }
      if step == 4 {
        for (permission, granted) in [0.54, 0.61, 0.78].enumerated() where random.unit() >= 0.06 {
          time += random.gap(3)
          emit(12 + permission * 3)
          time += random.gap(2)
          if random.unit() >= 0.03 { emit(12 + permission * 3 + (random.unit() < granted ? 1 : 2)) }
        }
      }
      if step < 5, random.unit() >= [0.90, 0.82, 0.85, 0.92, 0.88][step] { return }
      time += random.gap(8)
      if random.unit() < 0.012 { time += Int64(random.unit() * 10 * Double(day)) }
      emit(6 + step)
      time += 50 + Int64(random.unit() * 400)
    }
  }
}

/// The random numbers of the synthetic events.
struct KernelRandom {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(state: seed)
  }

  mutating func next() -> UInt64 { generator.next() }

  /// Returns a number from 0 up to but not including 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a pause in milliseconds: one second plus zero to two times `seconds`.
  mutating func gap(_ seconds: Double) -> Int64 {
    let spread = (unit() + unit() + unit() - 1.5) * 1.4
    return 1000 + Int64(seconds * 1000 * (1 + spread / 2.1))
  }
}
