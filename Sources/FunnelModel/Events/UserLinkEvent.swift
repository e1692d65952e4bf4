/// The event that only links a subject to a user (specification section 13).
///
/// Any event with a user links its subject to it. Importers make this one of records that say nothing else, such as
/// Segment's `identify`. It needs no flow, so it is never counted as unclaimed.
package enum UserLinkEvent {
  /// The name of the event.
  package static let name = "user_linked"
}
