/// The buckets of a hash table with linear probing, whose entries its user stores by their IDs.
///
/// A bucket has the upper half of an entry's hash, so that nearly all lookups compare one entry. The IDs are assigned
/// in order from 0.
@usableFromInline
package struct HashBuckets: ~Copyable {
  // Not private: in debug builds the compiler (6.3) crashes for a private type in a container that another file destroys.
  @usableFromInline
  struct Bucket: BitwiseCopyable {
    /// The upper half of the hash.
    @usableFromInline var tag: UInt32
    /// The entry's ID plus one, or 0 if the bucket is free.
    @usableFromInline var number: UInt32

    @inlinable
    init(tag: UInt32, number: UInt32) {
      self.tag = tag
      self.number = number
    }
  }

  @usableFromInline var buckets: UniqueArray<Bucket>
  /// The number of buckets, a power of two, minus one.
  @usableFromInline var mask: Int

  /// Creates free buckets. Their count must be a power of two.
  @inlinable
  package init(count: Int) {
    precondition(count > 0 && count & (count - 1) == 0, "a mask selects a bucket")
    buckets = UniqueArray(repeating: Bucket(tag: 0, number: 0), count: count)
    mask = count - 1
  }

  /// The number of buckets.
  @inlinable @inline(__always)
  package var count: Int { mask &+ 1 }

  /// The number of bytes of memory in use.
  package var byteCount: Int { count * MemoryLayout<Bucket>.stride }

  @inlinable @inline(__always)
  static func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

  /// Returns the ID of the first entry whose hash has the same tag and that satisfies `isEqual`, or `nil` if there is none.
  @inlinable @inline(__always)
  package func find(hash: UInt64, _ isEqual: (_ id: Int) -> Bool) -> Int? {
    let tag = Self.tag(of: hash)
    var index = Int(truncatingIfNeeded: hash) & mask
    while buckets[index].number != 0 {
      if buckets[index].tag == tag {
        let id = Int(buckets[index].number) &- 1
        if isEqual(id) { return id }
      }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Returns the tag in the first bucket that a lookup reads, so that the bucket is in the cache afterwards.
  @inlinable @inline(__always)
  package func firstTag(hash: UInt64) -> UInt32 { buckets[Int(truncatingIfNeeded: hash) & mask].tag }

  /// Stores the ID of a new entry in the first free bucket. At least one other bucket must be free, so that a lookup ends.
  @inlinable
  package func insert(id: Int, hash: UInt64) {
    var index = Int(truncatingIfNeeded: hash) & mask
    while buckets[index].number != 0 { index = (index &+ 1) & mask }
    buckets[index] = Bucket(tag: Self.tag(of: hash), number: UInt32(id) + 1)
  }

  /// Doubles the number of buckets, and inserts all entries again.
  ///
  /// - Parameter hash: Returns the hash of an entry.
  @inlinable
  package mutating func grow(entryCount: Int, hash: (_ id: Int) -> UInt64) {
    self = HashBuckets(count: 2 * count)
    for id in 0..<entryCount { insert(id: id, hash: hash(id)) }
  }
}
