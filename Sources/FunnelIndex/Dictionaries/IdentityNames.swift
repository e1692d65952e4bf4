/// The pairs of app and name of event types, under numbers that a batch and the runs have in common.
struct IdentityNames {
  /// The number of each type of the batch.
  private(set) var ofBatch: [Int32] = []
  /// The number of each type of each run.
  private(set) var ofRuns: [[Int32]] = []

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
