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
  /// The years for which the rule in the footer is expanded into transitions.
  private static let ruleYears = 0...2100
  private static let headerBytes = 44
  /// The offset of the six counts in the header, each of 4 bytes.
  private static let countsOffset = 20
  /// The length of the description of one type: offset from UTC, daylight saving flag, index of the abbreviation.
  private static let typeBytes = 6

  /// Returns every transition of the offset, preceded by the initial offset, or `nil` if the bytes are not a valid file.
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
    /// The offset of the transition times.
    private let timesAt: Int
    /// The length of a time, 4 or 8.
    private let timeBytes: Int
    private let timeCount: Int
    private let typeCount: Int
    /// The offset at which the block ends.
    let end: Int

    init?(_ bytes: [UInt8], at offset: Int, timeBytes: Int) {
      guard offset + headerBytes <= bytes.count, bytes[offset...].starts(with: Array("TZif".utf8)) else { return nil }
      let counts = (0..<6).map { Int(Block.number(bytes, at: offset + countsOffset + 4 * $0, byteCount: 4)) }
      guard counts.allSatisfy({ (0...bytes.count).contains($0) }) else { return nil }
      let universalCount = counts[0]
      let standardCount = counts[1]
      let leapSecondCount = counts[2]
      timeCount = counts[3]
      typeCount = counts[4]
      let nameBytes = counts[5]
      timesAt = offset + headerBytes
      // Each time is followed by a type of one byte, each leap second by a correction of 4 bytes.
      end =
        timesAt + timeCount * (timeBytes + 1) + typeCount * typeBytes + nameBytes + leapSecondCount * (timeBytes + 4)
        + standardCount + universalCount
      guard end <= bytes.count, typeCount > 0 else { return nil }
      self.bytes = bytes
      self.timeBytes = timeBytes
    }

    /// The transitions in the block, or `nil` if one of them has an undefined type.
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

    /// Returns the offset from UTC of a type, in milliseconds.
    private func offset(ofType type: Int) -> Int64 {
      Block.number(bytes, at: timesAt + timeCount * (timeBytes + 1) + type * typeBytes, byteCount: 4) * 1000
    }

    /// Returns the signed big-endian integer of 4 or 8 bytes at an offset.
    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int64 {
      assert(byteCount == 4 || byteCount == 8)
      let value = bytes[offset..<(offset + byteCount)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return byteCount == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
  }
}
