#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A sample of up to five subjects: the smallest ones by UTF-8 bytes, so the sample does not depend on the order of
/// aggregation.
package struct Examples: Hashable, Sendable {
  /// The largest number of subjects.
  package static let countMax = 5

  /// The distinct subjects, ascending by UTF-8 bytes.
  package private(set) var subjects: [String] = []

  /// Adds a subject if it is among the smallest ones.
  mutating func add(_ subject: String) {
    // Nearly every subject is greater than the last one.
    if subjects.count == Self.countMax, !Self.precedes(subject, subjects[Self.countMax - 1]) { return }
    let index = subjects.firstIndex { !Self.precedes($0, subject) } ?? subjects.count
    guard index < Self.countMax else { return }
    if index < subjects.count, subjects[index].utf8.elementsEqual(subject.utf8) { return }
    subjects.insert(subject, at: index)
    if subjects.count > Self.countMax { subjects.removeLast() }
  }

  /// Adds the subjects of another sample.
  mutating func merge(_ other: Examples) {
    for subject in other.subjects { add(subject) }
  }

  /// Returns whether a string is less than another by UTF-8 bytes.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    // Contiguous strings are compared with one call. Bridged strings may not be contiguous.
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
