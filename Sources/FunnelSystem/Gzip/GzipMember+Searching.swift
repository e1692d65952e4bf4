extension GzipMember {
  /// Where the first header stands in the bytes, whole or cut off behind its sixteenth byte; nil where there is none.
  ///
  /// What a member compresses to does not look like a header, except where somebody put a whole member into an event on purpose.
  public static func offsetOfHeader(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= markBytes else { return nil }
    for offset in 0...(bytes.count - markBytes)
    where bytes[offset] == fixedHeader[0] && bytes[offset + 1] == fixedHeader[1] {
      if bytes[offset..<(offset + markBytes)].elementsEqual(fixedHeader[..<markBytes]) { return offset }
    }
    return nil
  }

  /// Length of what every header begins with.
  public static let markBytes = 16
}
