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
  func sort(_ rows: UnsafeMutableBufferPointer<SortedRow>) {
    guard rows.count > Self.insertionMax, let base = rows.baseAddress else { return sortBucket(rows) }
    let bits = max(1, Int.bitWidth - (rows.count / Self.rowsOfBucket).leadingZeroBitCount)
    let shift = IndexFormat.partitionShift - UInt64(bits)
    let mask = 1 << bits - 1
    var ends = GrowingStorage<Int>(capacity: mask + 2)
    ends.extend(by: mask + 1).initialize(repeating: 0, count: mask + 1)
    for row in rows { ends[Int(truncatingIfNeeded: row.subjectHigh >> shift) & mask] += 1 }
    var sum = 0
    for bucket in 0...mask {
      let count = ends[bucket]
      ends[bucket] = sum
      sum += count
    }
    let copy = UnsafeMutablePointer<SortedRow>.allocate(capacity: rows.count)
    defer { copy.deallocate() }
    copy.update(from: base, count: rows.count)
    for index in 0..<rows.count {
      let bucket = Int(truncatingIfNeeded: copy[index].subjectHigh >> shift) & mask
      base[ends[bucket]] = copy[index]
      ends[bucket] &+= 1
    }
    var start = 0
    for bucket in 0...mask {
      sortBucket(UnsafeMutableBufferPointer(rebasing: rows[start..<ends[bucket]]))
      start = ends[bucket]
    }
  }

  /// Sorts the rows of one bucket by insertion, or a large bucket by the standard library's sort.
  private func sortBucket(_ rows: UnsafeMutableBufferPointer<SortedRow>) {
    guard rows.count <= Self.insertionMax else {
      var rows = rows
      return rows.sort { precedes($0, $1) }
    }
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

extension IndexDictionaries {
  /// Returns whether events of a type precede those of another if time, seq and ID are equal.
  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    types[Int(a)].withUnsafeBytes { a in
      types[Int(b)].withUnsafeBytes { b in
        guard let a = EventTypeText(a), let b = EventTypeText(b) else { return false }
        return a.precedes(b)
      }
    }
  }
}
