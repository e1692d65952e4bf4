import FunnelModel

/// Where the records of a rewriting came from that does not say so: one of an older program.
///
/// Records keep their order within a day. So if as many were written as were removed, each has its place; else it is not known which are
/// gone, and all count as brought by the first commit that brought some of the day: they are shown rather too early than not at all.
struct OlderOrigins {
  private var origins: [Extent: [RecordOrigin]] = [:]

  init(of commit: Commit, removed: [CoveredLogFile]) {
    guard !removed.isEmpty, commit.appended.contains(where: { $0.origins.isEmpty }) else { return }
    let written = Dictionary(grouping: commit.appended) { Coverage.Series(area: $0.part.area, day: $0.part.day) }
    for (series, extents) in written where extents.allSatisfy(\.origins.isEmpty) {
      let before = removed.filter { $0.name.area == series.area && $0.name.day == series.day }.sorted { $0.name < $1.name }
      var known: [RecordOrigin] = []
      for piece in before.flatMap(\.extents) { known.append(joining: piece.origins) }
      guard let first = known.map(\.commit).min() else { continue }
      let records = extents.reduce(0) { $0 + $1.records }
      if known.recordCount != records { known = [RecordOrigin(commit: first, records: records)] }
      for extent in extents where extent.records > 0 { origins[extent] = known.takeFirst(extent.records) }
    }
  }

  subscript(extent: Extent) -> [RecordOrigin] { origins[extent] ?? [] }
}
