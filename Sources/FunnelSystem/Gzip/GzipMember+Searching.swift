extension GzipMember {
  /// Returns the offset of the first header in the bytes, or `nil` if there is none. Only the first ``markBytes``
  /// bytes of the header have to be present.
  public static func offsetOfHeader(in bytes: UnsafeRawBufferPointer) -> Int? {
    // Compressed data does not contain these bytes by chance, only if an event contains a whole member.
    guard bytes.count >= markBytes else { return nil }
    for offset in 0...(bytes.count - markBytes)
    where bytes[offset] == fixedHeader[0] && bytes[offset + 1] == fixedHeader[1] {
      if bytes[offset..<(offset + markBytes)].elementsEqual(fixedHeader[..<markBytes]) { return offset }
    }
    return nil
  }

  /// The length of the common beginning of all headers, in bytes.
  public static let markBytes = 16
}
