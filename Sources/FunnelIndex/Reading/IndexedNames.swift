/// The name of the current subject of a reader, decoded on first use. One object serves all subjects of a partition.
final class IndexedNames: SequenceNames {
  /// The packed name of the current subject; `nil` before the first subject.
  var packed: PackedID? {
    didSet { text = nil }
  }
  /// The decoded name; `nil` until it is first used.
  private var text: String?

  var subject: String {
    if let text { return text }
    let decoded = packed?.string ?? ""
    text = decoded
    return decoded
  }

  // The index has only the hashes of attempts. A query that needs their texts reads the log.
  func attempt(ofEvent index: Int) -> String? { nil }
}
