import FunnelModel
import FunnelSystem

/// A byte-for-byte comparison of the decompressed contents of rewritten parts, read back from the disk, with those of the parts they
/// replace.
struct RecordComparison: Sendable {
  let before: StoreReader
  let after: StoreReader
  let threads: Int

  /// Compares the rewritten days.
  ///
  /// - Throws: `inputOutput` if old and new parts do not hold the same records in the same order.
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
          "the records written for \(day.day) differ from those read, \(before.path), nothing was changed; check the disk and the memory"
        )
      }
    }
  }
}

/// The decompressed contents of parts, one member after another.
private struct RecordStream {
  private let store: StoreReader
  private var members: ArraySlice<MemberReference>
  private(set) var bytes: ArraySlice<UInt8> = []

  init(_ store: StoreReader, _ parts: [CoveredLogFile]) throws(FunnelError) {
    self.store = store
    var members: [MemberReference] = []
    for part in parts {
      for piece in part.extents { members += try store.members(in: piece) }
    }
    self.members = members[...]
  }

  /// Reads members until there are bytes. Returns whether the end is reached.
  mutating func fill() throws(FunnelError) -> Bool {
    while bytes.isEmpty, let member = members.popFirst() { bytes = try store.read(member)[...] }
    return bytes.isEmpty
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }
}
