import FunnelModel
import FunnelSystem

/// A sink that writes sound pieces to new parts and sets the others aside.
struct RewritingSink: PartMender.Sink {
  private let rewriting: StoreRewriting
  private let folder: DamagedFolder
  private(set) var asides: [StoreRepair.Aside] = []
  /// Records of other days than their part's. They are collected up to a limit, because each return to a day starts another part.
  private var misplaced: [Series: RecordBatch] = [:]
  private var misplacedCount = 0

  private typealias Series = Coverage.Series

  private static let misplacedMax = 100_000

  init(rewriting: StoreRewriting, folder: DamagedFolder) {
    self.rewriting = rewriting
    self.folder = folder
  }

  mutating func keep(_ member: MemberReference) throws(FunnelError) { try rewriting.keep([member]) }

  mutating func append(_ lines: RecordBatch, of part: PartName, day: CivilDate) throws(FunnelError) {
    if day == part.day { return try rewriting.append(lines, part.area, day) }
    misplaced[Series(area: part.area, day: day), default: RecordBatch()].append(contentsOf: lines)
    misplacedCount += lines.count
    if misplacedCount >= Self.misplacedMax { try finish() }
  }

  mutating func putAside(_ piece: DamagedFolder.Piece) throws(FunnelError) {
    try folder.put(piece)
    asides.append(piece.aside)
  }

  /// Writes the records that are still collected.
  mutating func finish() throws(FunnelError) {
    for (series, lines) in misplaced.sorted(by: { $0.key.day < $1.key.day }) {
      try rewriting.append(lines, series.area, series.day)
    }
    (misplaced, misplacedCount) = ([:], 0)
  }
}

/// A sink that only counts.
struct CountingSink: PartMender.Sink {
  private(set) var events = 0
  private(set) var asides: [StoreRepair.Aside] = []

  mutating func keep(_ member: MemberReference) { if member.part.area == .log { events += member.header.lines } }

  mutating func append(_ lines: RecordBatch, of part: PartName, day: CivilDate) {
    if part.area == .log { events += lines.count }
  }

  mutating func putAside(_ piece: DamagedFolder.Piece) { asides.append(piece.aside) }
}
