/// The keys by which events are grouped and deduplicated.
enum IdentityHash {
  /// Returns the identity of an event: a hash of `app` and `name`, whose hash is given, and of `subject` and `id`, which padding must
  /// follow.
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
  /// Creates the hash of one byte string, the same as ``init(of:)``; up to seven bytes behind it must be readable.
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
