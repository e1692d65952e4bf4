import FunnelModel
import FunnelSystem

/// Reads what is to stand in the place of parts back from the disk, and compares it with them, byte for byte as it inflates.
struct RecordComparison: Sendable {
  let before: StoreReader
  let after: StoreReader
  let threads: Int

  /// Compares the days that were written anew.
  ///
  /// - Throws: `inputOutput` where they do not hold the same records in the same order.
  func run(_ days: [CompactionPlan.Day]) throws(FunnelError) {
    _ = try Parallel.map(count: days.count, threads: threads) { (index) throws(FunnelError) in try compare(days[index]) }
  }

  private func compare(_ day: CompactionPlan.Day) throws(FunnelError) {
    let old = Set(before.parts(of: .log).map(\.name))
    let new = after.parts(of: .log).filter { $0.name.day == day.day && !old.contains($0.name) }
    var (left, right) = (try RecordStream(before, day.parts), try RecordStream(after, new))
    while true {
      let (isLeftAtEnd, isRightAtEnd) = (try left.fill(), try right.fill())
      if isLeftAtEnd, isRightAtEnd { return }
      let count = min(left.bytes.count, right.bytes.count)
      guard count > 0, left.take(count).elementsEqual(right.take(count)) else {
        throw FunnelError(
          .inputOutput,
          "what was written for \(day.day) is not what was read, \(before.path), nothing was changed; check the disk and the memory"
        )
      }
    }
  }
}

/// What parts inflate to, one member after another.
private struct RecordStream {
  private let store: StoreReader
  private var members: ArraySlice<MemberReference>
  private(set) var bytes: ArraySlice<UInt8> = []

  init(_ store: StoreReader, _ parts: [CoveredPart]) throws(FunnelError) {
    self.store = store
    var members: [MemberReference] = []
    for part in parts {
      for piece in part.extents { members += try store.members(in: piece) }
    }
    self.members = members[...]
  }

  /// Makes sure that there are bytes. Returns whether there are no more.
  mutating func fill() throws(FunnelError) -> Bool {
    while bytes.isEmpty, let member = members.popFirst() { bytes = try store.read(member)[...] }
    return bytes.isEmpty
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }
}
