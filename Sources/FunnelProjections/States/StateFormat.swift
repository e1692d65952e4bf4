/// The bytes of a state, so that counts can be kept and sent to another machine.
///
/// The same counts have the same bytes, whatever the order in which groups were folded and states were merged. A number is unsigned and in
/// LEB128 (seven bits a byte, the lowest first; the highest bit means that more follow).
///
///     version       1 byte
///     counters      the number of counters of a segment, C
///     durations     the number of durations of a segment, D
///     values        the number of slots for values of a segment, V
///     properties    the number of slots for properties of a segment, P
///     examples      the number of slots for examples of a segment, E
///     segments      their number, then each of them, in ascending order of the bytes of its values
///       values      their number, then each of them (below)
///       counters    C numbers
///       durations   D distributions (below)
///       values      V times: the number of different values; each of them, in order, as the number of its parts, the parts, its count
///       properties  P times: the number of keys; each of them, in order, as a value, the number of its different values, and each of these,
///                   in order, with its count
///       examples    E times: the number of subjects; each of them as a value
///
/// A value is a tag, 1 byte, and what belongs to it: 0 null, 1 false, 2 true, 3 an integer (8 bytes, little-endian two's complement), 4 a
/// fraction (8 bytes, little-endian IEEE 754), 5 a string (its length in bytes, and its UTF-8).
///
/// A distribution is the number of its durations, n, and
///
/// - of up to 1024: the durations in milliseconds, ascending, each as the difference from the one before;
/// - of more: for a duration of which the histogram is kept, the counts of the bins and the sum (its quotient by 2⁶², and the rest); then the
///   longest in milliseconds, the number of cells of the histogram that are not empty, and for each, ascending, the difference
///   from the number of the cell before (the first: from 0) and its count.
///
/// A segment in which nothing was counted is left out, except the one without values. The format has no checksum: whoever writes a state
/// to a file adds one. Reading checks all that would make a state impossible, so damaged bytes are refused or give other counts, and
/// never a trap.
enum StateFormat {
  static let version: UInt8 = 4

  enum Tag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let string: UInt8 = 5
  }
}

/// Why bytes are not a state.
public struct StateDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset of the first byte that can't be, from the beginning of the state.
  public let offset: Int
  /// The reason, as a clause.
  public let reason: String

  public var description: String { "byte \(offset): \(reason)" }
}
