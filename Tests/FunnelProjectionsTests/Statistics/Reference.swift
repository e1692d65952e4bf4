import Foundation

/// What SciPy and statsmodels say about random and extreme cases: the output of `make_reference.py`.
struct Reference: Decodable {
  struct Comparison: Decodable {
    /// The count and the total.
    let a, b: [Int]
    let difference, low, high: Double
    let lift: Double?
    let test: String
    let p: Double
    /// The p values of both tests, whichever of them applies.
    let zP, fisherP: Double
    /// The p and the interval that hold at any look.
    let anytimeP, anytimeLow, anytimeHigh: Double
  }

  struct Holm: Decodable {
    let p, adjusted: [Double]
  }

  struct Ratio: Decodable {
    let a, b: Int
    let ratio: [Double]
    let chiSquared, p: Double
  }

  struct SampleSize: Decodable {
    let rates: [Double]
    let perSide: Int?
  }

  struct Change: Decodable {
    let rate, change: Double
    let perSide: Int?
  }

  struct Homogeneity: Decodable {
    /// The count and the total of each side.
    let sides: [[Int]]
    let chiSquared, p: Double
    let degreesOfFreedom: Int
  }

  struct Stratified: Decodable {
    /// The count and the total of both sides of each stratum.
    let strata: [[[Int]]]
    let difference, low, high, p: Double
  }

  struct ChiTail: Decodable {
    let x, upper: Double
    let degreesOfFreedom: Int
  }

  struct Tail: Decodable {
    let z, upper, twoSided: Double
  }

  let versions: [String: String]
  let seed: Int
  let z975, z80: Double
  let comparisons: [Comparison]
  let holm: [Holm]
  let ratios: [Ratio]
  let sampleSizes: [SampleSize]
  let changes: [Change]
  let homogeneity: [Homogeneity]
  let stratified: [Stratified]
  let chiTails: [ChiTail]
  let tails: [Tail]
}

extension Reference {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// The path of a Python that can import SciPy and statsmodels, if the environment names one; its place differs between machines.
  static let python = ProcessInfo.processInfo.environment["FUNNEL_SCIPY_PYTHON"]

  /// The reference in the repository.
  static let stored = Result {
    try JSONDecoder().decode(Reference.self, from: Data(contentsOf: folder.appending(path: "reference.json")))
  }

  /// Has a Python compute the reference for the random cases of a seed.
  static func computed(by python: String, seed: Int, cases: Int) throws -> Reference {
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [folder.appending(path: "make_reference.py").path, "--seed", "\(seed)", "--cases", "\(cases)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return try JSONDecoder().decode(Reference.self, from: output)
  }
}
