/// Sorts the rows of a partition by subject, time, seq, id and name.
///
/// Hashes are spread evenly, so the rows are first dealt into as many buckets as make a few rows each, by the bits of the hash below the
/// partition's; within a bucket rows are nearly in order already, as they came by time.
struct RowSorter: Sendable {
  let blocks: [RecordedBlock]
  let union: DictionaryUnion

  private static let rowsOfBucket = 8
  /// Up to how many rows are sorted by insertion.
  private static let insertionMax = 48

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

  private func sortBucket(_ rows: UnsafeMutableBufferPointer<SortedRow>) {
    guard rows.count <= Self.insertionMax else {
      var rows = rows
      return rows.sort { precedes($0, $1) }
    }
    var index = 1
    while index < rows.count {
      let row = rows[index]
      var place = index
      while place > 0, precedes(row, rows[place &- 1]) {
        rows[place] = rows[place &- 1]
        place &-= 1
      }
      rows[place] = row
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
    let (blockA, blockB) = (blocks[Int(a.block)], blocks[Int(b.block)])
    let (rowA, rowB) = (blockA.rows.base + Int(a.row), blockB.rows.base + Int(b.row))
    if rowA.pointee.sequence != rowB.pointee.sequence { return rowA.pointee.sequence < rowB.pointee.sequence }
    let (idA, idB) = (blockA.id(of: rowA), blockB.id(of: rowB))
    if !idA.isEqual(to: idB) { return idA.precedes(idB) }
    let typeA = union.types[blockA.recorder][Int(rowA.pointee.type)]
    let typeB = union.types[blockB.recorder][Int(rowB.pointee.type)]
    return union.dictionaries.precedes(typeA, typeB)
  }
}

extension IndexDictionaries {
  /// Whether a type comes before another where time, seq and id are the same.
  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    types[Int(a)].withUnsafeBytes { a in
      types[Int(b)].withUnsafeBytes { b in
        guard let a = EventTypeText(a), let b = EventTypeText(b) else { return false }
        return a.precedes(b)
      }
    }
  }
}
