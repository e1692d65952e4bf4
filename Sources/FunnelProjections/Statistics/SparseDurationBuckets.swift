/// The cells of a ``DurationBuckets`` that are not empty, with counts of 64 bits: they take as much memory as there are cells, whatever the
/// counts are.
struct SparseDurationBuckets: Sendable {
  /// The numbers of the cells, ascending, with their counts.
  private(set) var entries: [(cell: Int, count: Int)] = []
  /// The number of durations.
  private(set) var count = 0
  /// The longest duration, in milliseconds.
  private(set) var longest: Int64

  init(longest: Int64 = 0) {
    self.longest = longest
  }

  /// Creates the cells of a histogram.
  init(_ cells: DurationBuckets) {
    entries = cells.filledCells
    count = cells.count
    longest = cells.longest
  }

  /// The number of the last cell; 0 if there is none.
  var lastCell: Int { entries.last?.cell ?? 0 }

  /// Adds a cell after all others.
  mutating func append(_ more: Int, inCell cell: Int) {
    precondition(entries.isEmpty || cell > lastCell, "cells are in order")
    entries.append((cell, more))
    count += more
  }

  /// Adds the durations of other cells.
  mutating func merge(_ other: SparseDurationBuckets) {
    var merged: [(cell: Int, count: Int)] = []
    merged.reserveCapacity(entries.count + other.entries.count)
    var rest = other.entries[...]
    for entry in entries {
      while let next = rest.first, next.cell < entry.cell {
        merged.append(next)
        rest.removeFirst()
      }
      if let next = rest.first, next.cell == entry.cell {
        merged.append((entry.cell, entry.count + next.count))
        rest.removeFirst()
      } else {
        merged.append(entry)
      }
    }
    entries = merged + rest
    count += other.count
    longest = max(longest, other.longest)
  }
}
