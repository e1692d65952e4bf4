extension String {
  /// Creates a string from bytes, or returns nil if they are not valid UTF-8.
  ///
  /// The standard library's `init(validating:as:)` does the same from iOS 18 and macOS 15 on only, and apps on iOS 16 link this module.
  public init?(validUTF8 bytes: some Collection<UInt8>) {
    var text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces what is invalid, and so changes the bytes. Those of an array are compared in place: one by one, through a collection
    // whose type is known only when the program runs, took longer than anything else about a document of JSON.
    let isValid = bytes.withContiguousStorageIfAvailable { bytes in text.withUTF8 { $0.elementsEqual(bytes) } }
    guard isValid ?? text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
