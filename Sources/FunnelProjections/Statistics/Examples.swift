#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A few subjects as examples: those that come first in the order of bytes, so that they do not depend on the order of counting.
public struct Examples: Hashable, Sendable {
  /// The number of examples that are kept.
  public static let countMax = 5

  /// The subjects in the order of bytes, each once.
  public private(set) var subjects: [String] = []

  mutating func add(_ subject: String) {
    // Nearly every subject comes after all that are kept.
    if subjects.count == Self.countMax, !Self.precedes(subject, subjects[Self.countMax - 1]) { return }
    let place = subjects.firstIndex { !Self.precedes($0, subject) } ?? subjects.count
    guard place < Self.countMax else { return }
    if place < subjects.count, subjects[place].utf8.elementsEqual(subject.utf8) { return }
    subjects.insert(subject, at: place)
    if subjects.count > Self.countMax { subjects.removeLast() }
  }

  mutating func merge(_ other: Examples) {
    for subject in other.subjects { add(subject) }
  }

  /// Returns whether a text comes before another in the order of bytes, at once for all bytes where both are contiguous.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    let order = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { b -> Bool in
        guard let left = a.baseAddress, let right = b.baseAddress else { return a.count < b.count }
        let order = memcmp(left, right, min(a.count, b.count))
        return order != 0 ? order < 0 : a.count < b.count
      }
    }
    return (order ?? nil) ?? a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
