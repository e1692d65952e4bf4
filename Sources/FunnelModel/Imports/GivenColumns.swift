/// The columns whose roles the user gives, and how the input is read, so that they are not inferred.
package struct GivenColumns: Hashable, Sendable {
  /// The column of the subject, or `nil` to infer it.
  package var subject: String?
  /// The column of the time, or `nil` to infer it.
  package var timestamp: String?
  /// The form of the times in ``timestamp``, or `nil` to infer it.
  package var timeForm: TimeForm?
  /// The column of the event name, or `nil` to infer it.
  package var name: String?
  /// The field whose new values are the event names, in a log of changes of fields, or `nil` to infer it.
  package var field: String?
  /// The names of the columns, or `nil` if the first record has them.
  package var header: [String]?
  /// The encoding of the input, or `nil` to detect it.
  package var encoding: TextEncoding?

  package init() {}
}
