extension String {
  // The standard library's `init(validating:as:)` requires iOS 18 or macOS 15, and apps on iOS 16 link this module.
  /// Creates a string from bytes, or returns `nil` if they are not valid UTF-8.
  public init?(validUTF8 bytes: some Collection<UInt8>) {
    var text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid sequences, so the result then has other bytes. Contiguous bytes are compared in
    // place: comparing them through the unspecialized collection took longer than the rest of parsing a JSON
    // document.
    let isValid = bytes.withContiguousStorageIfAvailable { bytes in text.withUTF8 { $0.elementsEqual(bytes) } }
    guard isValid ?? text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
