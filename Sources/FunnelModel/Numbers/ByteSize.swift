/// Sizes of memory and files as options name them.
package enum ByteSize {
  /// Parses a size with a unit: KiB, MiB, GiB or TiB, or equivalently K, M, G or T. Returns `nil` if it is not a size.
  package static func bytes(_ text: String) -> Int? {
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
