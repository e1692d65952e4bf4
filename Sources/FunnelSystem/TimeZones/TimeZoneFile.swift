import FunnelModel

/// Parses the files of the time zone database (TZif, RFC 8536).
///
///     "TZif", version, 15 unused bytes, six counts        the header
///     times, types of the times, types, names, …          with times of 4 bytes
///     the header again, and the data again                from version 2 on, with times of 8 bytes
///     line feed, a rule for all later times, line feed    as in the variable TZ (POSIX)
///
/// All numbers are in big-endian byte order.
enum TimeZoneFile {
  /// The years for which a rule is expanded into transitions, beginning with the first year of four digits.
  private static let ruleYears = 0...2100
  private static let headerBytes = 44

  /// Returns every transition of the offset, preceded by the initial offset, or nil if the bytes are not such a file.
  static func transitions(in bytes: [UInt8]) -> [TimeZoneRules.Transition]? {
    guard bytes.starts(with: Array("TZif".utf8)), bytes.count >= headerBytes else { return nil }
    let isOld = bytes[4] < UInt8(ascii: "2")
    guard let first = Block(bytes, at: 0, timeBytes: 4) else { return nil }
    if isOld { return first.transitions }
    guard let second = Block(bytes, at: first.end, timeBytes: 8), var transitions = second.transitions else { return nil }
    let footer = bytes[min(second.end + 1, bytes.count)...].prefix { $0 != UInt8(ascii: "\n") }
    if footer.isEmpty { return transitions }
    guard let rule = TimeZoneRule(String(decoding: footer, as: UTF8.self)) else { return nil }
    let last = transitions.last?.startMilliseconds ?? .min
    let year = last == .min ? 1970 : Timestamp(milliseconds: last).day.components.year
    for year in min(max(year, ruleYears.lowerBound), ruleYears.upperBound)...ruleYears.upperBound {
      transitions += rule.transitions(in: year).filter { $0.startMilliseconds > last }
    }
    return transitions
  }

  /// A header and the data that follows it.
  private struct Block {
    private let bytes: [UInt8]
    private let timesAt: Int
    private let timeBytes: Int
    private let timeCount: Int
    private let typeCount: Int
    /// The offset at which the block ends.
    let end: Int

    init?(_ bytes: [UInt8], at offset: Int, timeBytes: Int) {
      guard offset + headerBytes <= bytes.count, bytes[offset...].starts(with: Array("TZif".utf8)) else { return nil }
      let counts = (0..<6).map { Block.number(bytes, at: offset + 20 + 4 * $0, byteCount: 4) }
      guard counts.allSatisfy({ (0...bytes.count).contains(Int($0)) }) else { return nil }
      let (isUT, isStandard, leap) = (Int(counts[0]), Int(counts[1]), Int(counts[2]))
      (timeCount, typeCount) = (Int(counts[3]), Int(counts[4]))
      timesAt = offset + headerBytes
      end = timesAt + timeCount * (timeBytes + 1) + typeCount * 6 + Int(counts[5]) + leap * (timeBytes + 4) + isStandard + isUT
      guard end <= bytes.count, typeCount > 0 else { return nil }
      self.bytes = bytes
      self.timeBytes = timeBytes
    }

    /// The transitions in the block, or nil if one of them has an undefined type.
    var transitions: [TimeZoneRules.Transition]? {
      var result = [TimeZoneRules.Transition(startMilliseconds: .min, offsetMilliseconds: offset(ofType: 0))]
      for index in 0..<timeCount {
        let type = Int(bytes[timesAt + timeCount * timeBytes + index])
        guard type < typeCount else { return nil }
        let seconds = Block.number(bytes, at: timesAt + index * timeBytes, byteCount: timeBytes)
        // In some files the first time represents the beginning of time, which is out of range in milliseconds.
        let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
        let start = isTooFar ? (seconds < 0 ? Int64.min + 1 : .max) : milliseconds
        result.append(.init(startMilliseconds: start, offsetMilliseconds: offset(ofType: type)))
      }
      return result
    }

    private func offset(ofType type: Int) -> Int64 {
      Block.number(bytes, at: timesAt + timeCount * (timeBytes + 1) + type * 6, byteCount: 4) * 1000
    }

    /// Reads a signed number.
    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int64 {
      let value = bytes[offset..<(offset + byteCount)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return byteCount == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
  }
}
