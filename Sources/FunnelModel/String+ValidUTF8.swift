extension String {
  /// Creates a string from bytes, or returns nil if they are not valid UTF-8.
  ///
  /// The standard library's `init(validating:as:)` does the same from iOS 18 and macOS 15 on only, and apps on iOS 16 link this module.
  public init?(validUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Decoding replaces what is invalid, and so changes the bytes.
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
