import FunnelModel

/// The brackets and braces that are open in a JSON value, in bounded memory: those deeper than a line is long are only counted.
struct BracketStack {
  private var opened: [UInt8] = []
  private var deeperCount = 0
  /// The numbers of brackets and of braces in `opened`. Without them, looking for one that is not there would take quadratic time.
  private var (bracketCount, braceCount) = (0, 0)

  var isEmpty: Bool { opened.isEmpty }
  /// The number of brackets and braces that are open.
  var depth: Int { opened.count + deeperCount }
  /// The sign that was opened last; nil if there is none, or if it was only counted.
  var innermost: UInt8? { deeperCount == 0 ? opened.last : nil }

  mutating func removeAll() {
    opened.removeAll(keepingCapacity: true)
    (deeperCount, bracketCount, braceCount) = (0, 0, 0)
  }

  /// Opens `{` or `[`.
  mutating func open(_ sign: UInt8) {
    guard opened.count < Limits.lineBytesMax else {
      deeperCount += 1
      return
    }
    opened.append(sign)
    if sign == UInt8(ascii: "{") { braceCount += 1 } else { bracketCount += 1 }
  }

  /// Closes the last `{` or `[` that `}` or `]` fits, and all that was opened behind it. Returns false if there is none.
  mutating func close(_ sign: UInt8) -> Bool {
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
