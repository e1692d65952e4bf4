#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// Whether these bytes precede others in lexicographic order.
  package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { order(before: other) ?? false }

  /// Whether these bytes precede others in lexicographic order, or `nil` if both are equal.
  package func order(before other: UnsafeRawBufferPointer) -> Bool? {
    let shared = Swift.min(count, other.count)
    if shared > 0, let mine = baseAddress, let others = other.baseAddress {
      let difference = memcmp(mine, others, shared)
      if difference != 0 { return difference < 0 }
    }
    return count == other.count ? nil : count < other.count
  }
}
