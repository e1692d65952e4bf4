/// The period in which later events count for a group, from its anchor to a last millisecond (specification section 3).
///
/// An event at ``end`` is inside, one millisecond later is outside.
package struct ConversionWindow: Hashable, Sendable, BitwiseCopyable {
  /// The last millisecond of the window, inclusive, since the epoch.
  package let end: Int64

  /// A window without any time.
  package static let empty = ConversionWindow(end: .min)

  @inlinable
  init(end: Int64) {
    self.end = end
  }

  /// Creates the window that opens at a time.
  ///
  /// - Parameters:
  ///   - start: The time of the anchor, in milliseconds since the epoch.
  ///   - length: The length in milliseconds. A window that would end after `Int64.max` ends there, and is always open.
  /// - Precondition: The length is not negative.
  @inlinable @inline(__always)
  package init(from start: Int64, length: Int64) {
    assert(length >= 0, "a window does not end before its anchor")
    self.init(end: start.addingSaturating(length))
  }

  /// Returns whether a time at or after the anchor is in the window.
  @inlinable @inline(__always)
  package func contains(_ milliseconds: Int64) -> Bool { milliseconds <= end }

  /// Returns whether the window ends after a time, so that later events may fall into it.
  @inlinable @inline(__always)
  package func isOpen(at milliseconds: Int64) -> Bool { end > milliseconds || end == .max }
}

extension Int64 {
  /// Returns the sum with a value that is not negative, or `Int64.max` if it overflows.
  @inlinable @inline(__always)
  package func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
