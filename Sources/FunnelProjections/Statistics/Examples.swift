/// A few subjects as examples: those that come first in the order of bytes, so that they do not depend on the order of counting.
public struct Examples: Hashable, Sendable {
  /// The number of examples that are kept.
  public static let countMax = 5

  /// The subjects in the order of bytes, each once.
  public private(set) var subjects: [String] = []

  mutating func add(_ subject: String) {
    let place = subjects.firstIndex { !$0.utf8.lexicographicallyPrecedes(subject.utf8) } ?? subjects.count
    guard place < Self.countMax else { return }
    if place < subjects.count, subjects[place].utf8.elementsEqual(subject.utf8) { return }
    subjects.insert(subject, at: place)
    if subjects.count > Self.countMax { subjects.removeLast() }
  }

  mutating func merge(_ other: Examples) {
    for subject in other.subjects { add(subject) }
  }
}
