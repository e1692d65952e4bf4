import ArgumentParser
import FunnelModel

/// The `--memory-limit` option: the memory that a report may use for its events.
struct MemoryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Memory for events, such as 512MiB or 2GiB; anything more goes to a temporary file (default: 1GiB; at least 64MiB).",
      valueName: "size"))
  var memoryLimit: String?

  /// Returns the memory available for events, in bytes. The remainder of the limit is for input buffers and sorting.
  ///
  /// - Throws: `usage` if the value is not a size, or less than 64 MiB.
  func byteCount() throws(FunnelError) -> Int {
    guard let memoryLimit else { return Self.forEvents(of: Limits.memoryBytesMaxDefault) }
    guard let bytes = Self.bytes(memoryLimit) else {
      throw FunnelError(.usage, "not a size, --memory-limit \(memoryLimit.printable), write it as 512MiB or 2GiB")
    }
    guard bytes >= Self.bytesMin else {
      throw FunnelError(.usage, "too little memory, --memory-limit \(memoryLimit.printable), give at least 64MiB")
    }
    return Self.forEvents(of: bytes)
  }

  /// The smallest memory limit in bytes.
  private static let bytesMin = 64 << 20
  /// The memory in bytes for input buffers, independent of the limit.
  private static let bufferBytes = 48 << 20

  /// Returns the part of a memory limit that is available for events: three quarters of what the buffers leave.
  private static func forEvents(of bytes: Int) -> Int { (bytes - bufferBytes) / 4 * 3 }

  /// Parses a size with a unit: KiB, MiB, GiB or TiB, or equivalently K, M, G or T. Returns `nil` if it is not a size.
  static func bytes(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits) else { return nil }
    let shift: Int
    switch text.dropFirst(digits.count).lowercased() {
    case "k", "kib": shift = 10
    case "m", "mib": shift = 20
    case "g", "gib": shift = 30
    case "t", "tib": shift = 40
    default: return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
    return overflow ? nil : bytes
  }
}
