import FunnelModel

/// The shard of an event: a fixed function of its app and subject, so that all events of a subject are in one shard, whoever computes it.
///
/// It is the low word of SipHash-1-3 with 128 bits of output (``Hash128``) of app and subject, modulo the number of shards. It must never
/// change: lines that were sharded by different versions of the tool are folded together.
enum ShardNumber {
  static func shard(app: UnsafeRawBufferPointer, subject: UnsafeRawBufferPointer, of count: Int) -> Int {
    var hasher = SipHasher()
    hasher.combine(app)
    hasher.combine(subject)
    return number(hasher.finish(), of: count)
  }

  /// Returns the shard of a line that is no event, by its text.
  static func shard(text: UnsafeRawBufferPointer, of count: Int) -> Int { number(Hash128(of: text), of: count) }

  private static func number(_ hash: Hash128, of count: Int) -> Int { Int(hash.low % UInt64(count)) }
}
