/// Computes the identities by which events are deduplicated.
enum IdentityHash {
  /// Returns the identity of an event: a hash of its app, name, subject and ID.
  ///
  /// - Parameters:
  ///   - appAndName: The hash of the app and the name.
  ///   - subject: The subject. Seven bytes after it must be readable.
  ///   - id: The ID. Seven bytes after it must be readable.
  @inline(__always)
  static func identity(of appAndName: Hash128, subject: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer) -> Hash128 {
    var hasher = SipHasher()
    hasher.combine(appAndName.high)
    hasher.combine(appAndName.low)
    hasher.combinePadded(subject)
    hasher.combinePadded(id)
    return hasher.finish()
  }
}

extension Hash128 {
  /// Creates the hash of one byte string, equal to that of ``init(of:)``. Seven bytes after the string must be readable.
  package init(ofPadded bytes: UnsafeRawBufferPointer) {
    var hasher = SipHasher()
    hasher.combinePadded(bytes)
    self = hasher.finish()
  }

  /// Creates the hash of one byte string.
  @inline(__always)
  package init(of bytes: UnsafeRawBufferPointer) {
    var hasher = SipHasher()
    hasher.combine(bytes)
    self = hasher.finish()
  }
}
