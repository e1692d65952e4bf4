import FunnelDecoding

extension Span<UInt8> {
  /// Returns whether the bytes in a range are `\N`, with or without quotes around it: the null of the tables that Postgres,
  /// MySQL and Hive write.
  @inline(__always)
  func isNullField(_ range: Range<Int>) -> Bool {
    let plainBytes = 2
    let quotedBytes = plainBytes + 2
    let start: Int
    switch range.count {
    case plainBytes: start = range.lowerBound
    case quotedBytes where self[range.lowerBound] == Byte.quote: start = range.lowerBound + 1
    default: return false
    }
    return self[start] == Byte.backslash && self[start + 1] == UInt8(ascii: "N")
  }
}
