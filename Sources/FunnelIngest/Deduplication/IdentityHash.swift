/// The keys events are grouped and deduplicated by.
enum IdentityHash {
  /// What makes two events the same event: `app` and `name`, whose hash is given, `subject` and `id`, with padding behind them.
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
  /// The hash of one byte string, the same as ``init(of:)``, where up to seven bytes behind it may be read.
  package init(ofPadded bytes: UnsafeRawBufferPointer) {
    var hasher = SipHasher()
    hasher.combinePadded(bytes)
    self = hasher.finish()
  }

  /// The hash of one byte string.
  @inline(__always)
  package init(of bytes: UnsafeRawBufferPointer) {
    var hasher = SipHasher()
    hasher.combine(bytes)
    self = hasher.finish()
  }
}
