import Foundation

/// The share of its cases that a sweep tries: a sample in a usual run, so that all tests take minutes, or all with
/// `FUNNEL_SWEEP=full`.
package enum Sweeps {
  /// Whether sweeps try every case.
  package static let isFull = ProcessInfo.processInfo.environment["FUNNEL_SWEEP"] == "full"

  /// Returns the number of cases to try.
  package static func count(_ all: Int, sample: Int) -> Int { isFull ? all : min(sample, all) }

  /// Returns the seeds to try, for the arguments of a test.
  package static func seeds(_ all: UInt64, sample: UInt64) -> Range<UInt64> { 0..<(isFull ? all : min(sample, all)) }

  /// Returns whether a case is tried; a usual run tries the first one and then one of every `stride`.
  package static func tries(_ number: Int, oneIn stride: Int) -> Bool { isFull || number % stride == 0 }
}
