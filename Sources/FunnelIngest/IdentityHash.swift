/// The keys events are grouped and deduplicated by.
enum IdentityHash {
  /// What makes two events the same event: `app`, `subject`, `name` and `id`.
  static func identity(
    app: UnsafeRawBufferPointer, subject: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer
  ) -> Hash128 {
    var hasher = SipHasher()
    hasher.combine(app)
    hasher.combine(subject)
    hasher.combine(name)
    hasher.combine(id)
    return hasher.finish()
  }
}

extension Hash128 {
  /// The hash of one byte string.
  package init(of bytes: UnsafeRawBufferPointer) {
    var hasher = SipHasher()
    hasher.combine(bytes)
    self = hasher.finish()
  }
}
