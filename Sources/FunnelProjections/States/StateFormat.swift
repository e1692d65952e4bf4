/// The binary format of a state: an encoded ``Aggregate``, which can be stored and sent to another machine.
///
/// Equal aggregates have equal encodings, regardless of the order in which groups were aggregated and states were
/// merged. A number is an unsigned LEB128 integer (seven bits a byte, the lowest first; the highest bit is set if
/// another byte follows).
///
///     version       1 byte
///     counters      the number of counters of a segment, C
///     durations     the number of duration distributions of a segment, D
///     values        the number of value counts of a segment, V
///     properties    the number of property counts of a segment, P
///     examples      the number of example lists of a segment, E
///     segments      the number of segments, then each segment, ascending by the bytes of its values:
///       values      the number of values, then each value (below)
///       counters    C numbers
///       durations   D distributions (below)
///       values      V times: the number of combinations; each combination, ascending, as its number of values, the values
///                   and its count
///       properties  P times: the number of keys; each key, ascending, as a string value, its number of distinct values,
///                   and each of these values, ascending, with its count
///       examples    E times: the number of subjects; each subject as a string value
///       crossings   for each of the cross counts of the reports, which only `drivers` has, and whose keys are options of it:
///                   each key, as 1 byte (1 if the key has too many values, else 0), the number of its values and each
///                   value, ascending, with its number of groups and, if that is not 0, of successes; then for each pair of keys
///                   without too many values and each pair of their values the same two numbers
///
/// A value is a tag of 1 byte and its payload: 0 null, 1 false, 2 true, 3 an integer (8 bytes, little-endian two's complement),
/// 4 a fraction (8 bytes, little-endian IEEE 754), 5 a string (its length in bytes, and its UTF-8).
///
/// A distribution is the number of its durations and:
///
/// - for up to 1024 durations: the durations in milliseconds, ascending, each as the difference from the previous one;
/// - for more: if the histogram is kept, the counts of its bins and the sum of durations (the quotient by 2⁶² and the
///   remainder); then the longest duration in milliseconds, the number of buckets that are not empty, and for each of
///   them, ascending, the difference from the previous bucket's index (for the first, from 0) and its count.
///
/// A segment in which nothing was counted is omitted, except the one without values. The format has no checksum; a
/// file that holds a state must add one. The reader rejects impossible states and never traps. Damaged bytes that
/// form a possible state yield wrong counts.
enum StateFormat {
  static let version: UInt8 = 5

  /// The tags of values.
  enum Tag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let string: UInt8 = 5
  }
}

/// The error of bytes that are not a state.
package struct StateDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset of the invalid byte or field from the start of the state.
  package let offset: Int
  /// The reason, as a clause for an error message.
  package let reason: String

  package var description: String { "byte \(offset): \(reason)" }
}
