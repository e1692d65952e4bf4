/// The simulator's only source of randomness: xoshiro256**, seeded by SplitMix64.
///
/// Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47 (2021), section 4; reference code at
/// prng.di.unimi.it/xoshiro256starstar.c. It deliberately does not conform to `RandomNumberGenerator`: the standard library may
/// change how it turns bits into numbers, and the same seed must always give the same bytes.
struct RandomSource {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64

  init(seed: UInt64) {
    var mixer = SplitMix64(state: seed)
    s0 = mixer.next()
    s1 = mixer.next()
    s2 = mixer.next()
    s3 = mixer.next()
  }

  /// Returns the next 64 bits.
  @inline(__always)
  mutating func next() -> UInt64 {
    let scrambled = Self.rotate(s1 &* 5, by: 7) &* 9
    let shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = Self.rotate(s3, by: 45)
    return scrambled
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    (value << count) | (value >> (64 - count))
  }
}

/// The SplitMix64 generator (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014; constants of
/// prng.di.unimi.it/splitmix64.c). It is small, and good enough to expand seeds and to hash counters.
package struct SplitMix64 {
  private var state: UInt64

  package init(state: UInt64) {
    self.state = state
  }

  @inline(__always)
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Applies the finalizer alone, a bijection that scatters neighbouring numbers.
  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Combines two numbers into one, for keys of things that have two coordinates.
  @inline(__always)
  static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
    mix(first ^ mix(second &+ 0x9E37_79B9_7F4A_7C15))
  }
}
