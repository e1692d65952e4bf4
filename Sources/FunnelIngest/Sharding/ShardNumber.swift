import FunnelDecoding
import FunnelModel

/// Computes the shard of an event from its app and subject. All events of a subject are in one shard.
///
/// The shard is the low word of ``Hash128`` of app and subject, modulo the number of shards. With links, the subject is replaced
/// by the text that represents all subjects and users linked with it (``LinkedSubjects``).
enum ShardNumber {
  // The function must never change, because lines that were sharded by different versions of the tool are aggregated
  // together.

  /// Returns the hash of a subject, or of a user, of an app.
  static func hash(app: Span<UInt8>, subject: Span<UInt8>) -> Hash128 {
    var hasher = SipHasher()
    hasher.combine(app)
    hasher.combine(subject)
    return hasher.finish()
  }

  /// Returns the shard of a hash, from 0.
  static func shard(_ hash: Hash128, of count: Int) -> Int {
    assert(count > 0, "there is at least one shard")
    return Int(hash.low % UInt64(count))
  }

  /// Returns the shard of a line that is not a valid event, from its text.
  static func shard(text: Span<UInt8>, of count: Int) -> Int { shard(Hash128(of: text), of: count) }
}
