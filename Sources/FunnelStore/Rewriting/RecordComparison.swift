import FunnelModel
import FunnelSystem

/// Compares the inflated contents of new log files with those of the log files they replace, byte for byte.
struct RecordComparison: Sendable {
  /// A reader of the store before the commit.
  let before: StoreReader
  /// A reader of the store after the commit.
  let after: StoreReader
  let threads: Int

  /// Compares the rewritten days.
  ///
  /// - Throws: `inputOutput` if the old and the new log files do not contain the same records in the same order.
  func run(_ days: [CompactionPlan.Day]) throws(FunnelError) {
    _ = try Parallel.map(count: days.count, threads: threads) { (index) throws(FunnelError) in try compare(days[index]) }
  }

  private func compare(_ day: CompactionPlan.Day) throws(FunnelError) {
    let old = Set(before.logFiles(of: .log).map(\.name))
    let new = after.logFiles(of: .log).filter { $0.name.day == day.day && !old.contains($0.name) }
    var left = try RecordStream(before, day.logFiles)
    var right = try RecordStream(after, new)
    while true {
      let isLeftAtEnd = try left.fill()
      let isRightAtEnd = try right.fill()
      if isLeftAtEnd, isRightAtEnd { return }
      let count = min(left.bytes.count, right.bytes.count)
      guard count > 0, left.take(count).elementsEqual(right.take(count)) else {
        throw FunnelError(
          .inputOutput,
          "the records written for \(day.day) differ from those read, \(before.path), nothing was changed; check the disk and the memory"
        )
      }
    }
  }
}

/// The inflated contents of log files, read member by member.
private struct RecordStream {
  private let store: StoreReader
  /// The members that were not read yet.
  private var members: ArraySlice<MemberReference>
  /// The inflated bytes that were not taken yet.
  private(set) var bytes: ArraySlice<UInt8> = []

  init(_ store: StoreReader, _ logFiles: [CoveredLogFile]) throws(FunnelError) {
    self.store = store
    var members: [MemberReference] = []
    for logFile in logFiles {
      for piece in logFile.extents { members += try store.members(in: piece) }
    }
    self.members = members[...]
  }

  /// Reads the next member if there are no bytes left. Returns `true` at the end of the contents.
  mutating func fill() throws(FunnelError) -> Bool {
    while bytes.isEmpty, let member = members.popFirst() { bytes = try store.read(member)[...] }
    return bytes.isEmpty
  }

  /// Removes and returns the first `count` bytes.
  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }
}
