import FunnelModel

/// Infers the origins of records that an older version of the program rewrote without recording them.
///
/// If a day has as many records as before the rewriting, the origins are those of the removed records, because a
/// rewriting keeps the order within a day. If records were removed, it is unknown which ones: all are attributed to
/// the first commit of the day. A view of the past may then show a record too early, but never lacks one.
struct OlderOrigins {
  private var origins: [Extent: [RecordOrigin]] = [:]

  /// Infers the origins of the extents of a commit that removed log files.
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

  /// The inferred origins of an extent, or an empty array if its own commit brought the records.
  subscript(extent: Extent) -> [RecordOrigin] { origins[extent] ?? [] }
}
