import FunnelModel

/// A stack of the open brackets and braces in a JSON value.
///
/// Its memory is bounded: more than ``Limits/lineBytesMax`` are only counted. Such a value is too long to be an event.
struct BracketStack {
  private var opened: [UInt8] = []
  /// The number of open brackets and braces that are not in `opened`.
  private var deeperCount = 0

  // The counts make a search for a missing bracket O(1): otherwise, malicious input would take quadratic time.

  /// The number of brackets in `opened`.
  private var bracketCount = 0
  /// The number of braces in `opened`.
  private var braceCount = 0

  /// Whether nothing is open.
  var isEmpty: Bool { opened.isEmpty }
  /// The number of open brackets and braces.
  var depth: Int { opened.count + deeperCount }
  /// The bracket or brace that was opened last, or `nil` if nothing is open or if it was only counted.
  var innermost: UInt8? { deeperCount == 0 ? opened.last : nil }

  /// Removes all brackets and braces.
  mutating func removeAll() {
    opened.removeAll(keepingCapacity: true)
    deeperCount = 0
    bracketCount = 0
    braceCount = 0
  }

  /// Pushes `{` or `[`.
  mutating func open(_ sign: UInt8) {
    assert(sign == UInt8(ascii: "{") || sign == UInt8(ascii: "["))
    guard opened.count < Limits.lineBytesMax else {
      deeperCount += 1
      return
    }
    opened.append(sign)
    if sign == UInt8(ascii: "{") { braceCount += 1 } else { bracketCount += 1 }
  }

  /// Pops the last opening sign that matches `}` or `]`, and all signs after it. Returns `false` if no sign matches.
  mutating func close(_ sign: UInt8) -> Bool {
    // The counted signs are not distinguished.
    guard deeperCount == 0 else {
      deeperCount -= 1
      return true
    }
    let isBrace = sign == UInt8(ascii: "}")
    guard (isBrace ? braceCount : bracketCount) > 0 else { return false }
    while let last = opened.popLast() {
      if last == UInt8(ascii: "{") { braceCount -= 1 } else { bracketCount -= 1 }
      if (last == UInt8(ascii: "{")) == isBrace { break }
    }
    return true
  }
}
