/// A bucket sort of the rows of a partition by subject, time, seq, ID and name.
struct RowSorter: Sendable {
  // Hashes are evenly distributed. The hash bits below those of the partition distribute the rows to buckets of
  // a few rows each. Within a bucket, an insertion sort is fast, because rows arrive nearly in the order of
  // time.

  let views: BlockViews
  let dictionaries: IndexDictionaries

  /// The average number of rows of a bucket.
  private static let rowsOfBucket = 8
  /// The largest number of rows sorted by insertion.
  private static let insertionMax = 48

  /// Sorts the rows of one partition in place.
  func sort(_ rows: MutableColumn<SortedRow>) {
    guard rows.count > Self.insertionMax else { return sortBucket(rows) }
    let bits = max(1, Int.bitWidth - (rows.count / Self.rowsOfBucket).leadingZeroBitCount)
    let shift = IndexFormat.partitionShift - UInt64(bits)
    let mask = 1 << bits - 1
    let ends = UniqueArray(repeating: 0, count: mask + 1)
    for index in 0..<rows.count { ends[Int(truncatingIfNeeded: rows[index].subjectHigh >> shift) & mask] += 1 }
    var sum = 0
    for bucket in 0...mask {
      let count = ends[bucket]
      ends[bucket] = sum
      sum += count
    }
    assert(sum == rows.count, "each row is in one bucket")
    var copy = UniqueArray<SortedRow>(capacity: rows.count)
    copy.append(rows.elements)
    for index in 0..<rows.count {
      let bucket = Int(truncatingIfNeeded: copy[index].subjectHigh >> shift) & mask
      rows[ends[bucket]] = copy[index]
      ends[bucket] &+= 1
    }
    var start = 0
    for bucket in 0...mask {
      sortBucket(rows[start..<ends[bucket]])
      start = ends[bucket]
    }
  }

  /// Sorts the rows of one bucket by insertion, or a large bucket by the standard library's sort.
  private func sortBucket(_ rows: MutableColumn<SortedRow>) {
    guard rows.count <= Self.insertionMax else { return rows.sort { precedes($0, $1) } }
    var index = 1
    while index < rows.count {
      let row = rows[index]
      var target = index
      while target > 0, precedes(row, rows[target &- 1]) {
        rows[target] = rows[target &- 1]
        target &-= 1
      }
      rows[target] = row
      index &+= 1
    }
  }

  @inline(__always)
  private func precedes(_ a: SortedRow, _ b: SortedRow) -> Bool {
    if a.subjectHigh != b.subjectHigh { return a.subjectHigh < b.subjectHigh }
    if a.subjectLow != b.subjectLow { return a.subjectLow < b.subjectLow }
    if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
    return precedesAtSameTime(a, b)
  }

  @inline(never)
  private func precedesAtSameTime(_ a: SortedRow, _ b: SortedRow) -> Bool {
    let rowA = views.row(a)
    let rowB = views.row(b)
    return EventOrder.precedes(
      .init(milliseconds: a.milliseconds, sequence: rowA.sequence),
      .init(milliseconds: b.milliseconds, sequence: rowB.sequence),
      idOrder: { rowA.id.order(before: rowB.id) }, namePrecedes: { dictionaries.precedes(rowA.type, rowB.type) })
  }
}
