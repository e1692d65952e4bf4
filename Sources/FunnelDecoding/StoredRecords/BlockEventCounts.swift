/// The number of events of each type in one block, by the type numbers of a ``LogContents``.
struct BlockEventCounts: ~Copyable {
  // An array would check its uniqueness for each event, which takes longer than counting it.
  private var arena = Arena()
  private var counts: Table<Int>
  /// The time of the first event of this and earlier blocks. It is after the last time if there is no event.
  private(set) var firstMilliseconds = Int64.max
  /// The time of the last event of this and earlier blocks.
  private(set) var lastMilliseconds = Int64.min

  private static let initialCapacity = 1 << 10

  /// Creates counts without events.
  init() { counts = arena.table(repeating: 0, count: Self.initialCapacity) }

  /// The number of type numbers for which there is room.
  var capacity: Int { counts.count }

  /// Makes room for the count of a type number.
  mutating func reserve(number: Int) {
    precondition(number >= 0, "a type number is not negative")
    guard number >= capacity else { return }
    let larger = Arena()
    let copy = larger.table(repeating: 0, count: max(2 * capacity, number + 1))
    copy.copy(first: capacity, of: counts)
    arena = larger
    counts = copy
  }

  /// Counts an event of the type with a number, for which there must be room (``reserve(number:)``).
  @inline(__always)
  mutating func add(number: Int, milliseconds: Int64) {
    counts[number] &+= 1
    firstMilliseconds = min(firstMilliseconds, milliseconds)
    lastMilliseconds = max(lastMilliseconds, milliseconds)
  }

  /// Returns the count of a type number, and sets it to zero for the next block.
  mutating func removeCount(of number: Int) -> Int {
    defer { counts[number] = 0 }
    return counts[number]
  }
}
