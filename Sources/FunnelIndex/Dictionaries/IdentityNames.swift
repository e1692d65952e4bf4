/// A numbering of pairs of app and event name that a batch and sorted runs share.
///
/// Two events are duplicates only if their pairs are equal, and comparing numbers is faster than comparing texts.
struct IdentityNames {
  /// The number of the pair of each event type of the batch.
  private(set) var ofBatch: [Int32] = []
  /// The number of the pair of each event type of each run.
  private(set) var ofRuns: [[Int32]] = []

  /// Numbers the pairs of a batch's event types and of those of the runs.
  init(_ types: [[UInt8]], _ runs: [SortedRun]) {
    var numbers: [[UInt8]: Int32] = [:]
    func number(_ type: [UInt8]) -> Int32 {
      let key = type.withUnsafeBytes { EventTypeText($0)?.identityKey ?? [] }
      let number = numbers[key] ?? Int32(numbers.count)
      numbers[key] = number
      return number
    }
    ofBatch = types.map(number)
    ofRuns = runs.map { $0.types.map(number) }
  }
}
