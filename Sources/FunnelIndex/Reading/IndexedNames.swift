/// The name of a subject in a run. It serves one history after another, and makes a text of the name only if somebody asks.
final class IndexedNames: SequenceNames {
  /// The name of the current subject, as it is stored.
  var packed: PackedID? {
    didSet { text = nil }
  }
  private var text: String?

  var subject: String {
    if let text { return text }
    let made = packed?.string ?? ""
    text = made
    return made
  }

  // The index has attempts only as hashes, so that a query which needs them reads the log.
  func attempt(ofEvent index: Int) -> String? { nil }
}
