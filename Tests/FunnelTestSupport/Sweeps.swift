import Foundation

/// The share of its cases that a sweep tries: a sample in a usual run, so that all tests take minutes, or all with
/// `FUNNEL_SWEEP=full`.
public enum Sweeps {
  /// Whether sweeps try every case.
  public static let isFull = ProcessInfo.processInfo.environment["FUNNEL_SWEEP"] == "full"

  /// Returns the number of cases to try.
  public static func count(_ all: Int, sample: Int) -> Int { isFull ? all : min(sample, all) }

  /// Returns the seeds to try, for the arguments of a test.
  public static func seeds(_ all: UInt64, sample: UInt64) -> Range<UInt64> { 0..<(isFull ? all : min(sample, all)) }

  /// Returns whether a case is tried; a usual run tries the first one and then one of every `stride`.
  public static func tries(_ number: Int, oneIn stride: Int) -> Bool { isFull || number % stride == 0 }
}
