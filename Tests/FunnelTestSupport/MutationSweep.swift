import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Passes many mutated inputs to a reader, which may reject each, but must return soon, use little memory and throw no
/// unexpected error.
///
/// A reader that traps ends the tests. Its input is then in `$TMPDIR/funnel-mutant-<name>`.
package struct MutationSweep {
  /// A violation of these rules by the reader.
  package struct Complaint: CustomStringConvertible {
    package var description: String
  }

  private let name: String
  private let samples: [[UInt8]]
  private let seed: UInt64
  private let secondsMax: Double
  /// The number of inputs.
  package let count: Int

  /// Creates a sweep over mutants of the samples, which are the same each time.
  ///
  /// - Parameter count: The number of inputs in a usual run of the tests; with `FUNNEL_SWEEP=full` there are 10,000.
  package init(_ name: String, samples: [[UInt8]], seed: UInt64 = 1, count: Int = 400, secondsMax: Double = 1) {
    self.name = name
    self.samples = samples
    self.seed = seed
    self.secondsMax = secondsMax * (isSanitized ? 20 : 1)
    self.count = Sweeps.count(10_000, sample: count)
  }

  /// Passes the inputs to the reader until there are twenty complaints; each error that the reader throws is one.
  package func run(_ read: ([UInt8]) throws -> Void) throws -> [Complaint] {
    var complaints: [Complaint] = []
    let path = FileManager.default.temporaryDirectory.path + "/funnel-mutant-\(name)"
    let trace = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer {
      close(trace)
      unlink(path)
    }
    let memoryBefore = Self.memoryBytes
    for number in 0..<UInt64(count) where complaints.count < 20 {
      var random = SeededGenerator(seed: seed &* 1_000_003 &+ number)
      let mutant = Mutation.mutant(of: samples, using: &random)
      ftruncate(trace, 0)
      _ = mutant.withUnsafeBytes { pwrite(trace, $0.baseAddress, $0.count, 0) }
      let start = ComputingTime.seconds
      do {
        try read(mutant)
      } catch {
        complaints.append(complaint(number, mutant, "\(error)"))
      }
      let seconds = ComputingTime.seconds - start
      if seconds > secondsMax { complaints.append(complaint(number, mutant, "it took \(seconds) s")) }
      // Other tests of the same process use memory too; only a full sweep has the process to itself.
      let bytes = Sweeps.isFull && !isSanitized ? Self.memoryBytes - memoryBefore : 0
      if bytes > 64 << 20 { complaints.append(complaint(number, mutant, "it took \(bytes >> 20) MiB")) }
    }
    return complaints
  }

  private func complaint(_ number: UInt64, _ mutant: [UInt8], _ what: String) -> Complaint {
    let text = String(decoding: mutant.prefix(300), as: UTF8.self).debugDescription
    return Complaint(description: "\(name), seed \(seed), input \(number): \(what): \(text)")
  }

  /// The memory that this process uses in bytes, or 0 if the system does not tell.
  private static var memoryBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
