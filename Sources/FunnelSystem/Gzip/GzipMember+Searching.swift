extension GzipMember {
  /// Returns the offset of the first header in the bytes, whole or cut off after at least sixteen bytes, or nil if there is none.
  ///
  /// Compressed data does not look like a header, unless somebody deliberately puts a whole member into an event.
  public static func offsetOfHeader(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= markBytes else { return nil }
    for offset in 0...(bytes.count - markBytes)
    where bytes[offset] == fixedHeader[0] && bytes[offset + 1] == fixedHeader[1] {
      if bytes[offset..<(offset + markBytes)].elementsEqual(fixedHeader[..<markBytes]) { return offset }
    }
    return nil
  }

  /// The length of the bytes that are the same in every header.
  public static let markBytes = 16
}
