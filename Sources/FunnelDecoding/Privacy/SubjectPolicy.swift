import FunnelModel
internal import FunnelStore
import FunnelSystem

/// Replaces subjects and users by pseudonyms and rejects the events of forgotten ones, between the decoder and the store.
///
/// Subjects and users are one namespace: equal texts have equal pseudonyms, and a forgotten subject is forgotten as a user
/// too. The results are cached, so each subject is hashed once. Not thread-safe: each worker owns one.
package final class SubjectPolicy {
  /// The result for a text that is, or may be, a subject.
  private enum Verdict {
    /// The subject is forgotten.
    case forgotten
    /// The subject is stored unchanged.
    case unchanged
    /// The pseudonym is stored instead of the subject.
    case pseudonym(PaddedCopy)
  }

  private struct CachedVerdict {
    /// The text, to detect hash collisions.
    let text: [UInt8]
    let verdict: Verdict
  }

  /// The maximum number of cached results. A further one clears the cache.
  private static let verdictsMax = 1 << 16  // Hostile input may have a new subject in every event.

  /// The key of the pseudonyms, or `nil` if subjects are stored unchanged.
  let key: PseudonymKey?
  private let forgotten: Tombstones
  /// The rules by which an ID is personal data, so that only its pseudonym is stored.
  let privacy: PrivacyRules
  /// The cached results, by the hashes of the texts.
  private var verdicts: [Hash128: CachedVerdict] = [:]
  /// The pseudonyms of the texts of the current event, which keep the memory of its fields.
  var concealed: [PaddedCopy] = []

  /// Creates a policy, or returns `nil` if there are neither pseudonyms nor forgotten subjects.
  package init?(_ options: DecodingOptions) {
    guard options.pseudonyms != nil || !options.forgotten.isEmpty else { return nil }
    key = options.pseudonyms
    forgotten = options.forgotten
    privacy = options.privacy
  }

  /// Replaces the subject and the user of an event by their pseudonyms. Returns `false` if either is forgotten.
  ///
  /// The pseudonyms are valid until the next call.
  func admit(_ event: inout EventFields) -> Bool {
    let raw = PersonIDs(subject: event.subject, user: event.user)
    if isForgotten(raw.subject.span) { return false }
    if let user = raw.user, isForgotten(user.span) { return false }
    guard conceals else { return true }
    concealed.removeAll(keepingCapacity: true)
    conceal(raw, in: &event)
    // A pseudonym does not show that the subject was a placeholder, so such a subject gets no user.
    event.user = event.linkingUser.map { storedForm(of: $0) }
    event.subject = storedForm(of: raw.subject)
    return true
  }

  /// Returns the form in which a subject or a user that is not forgotten is stored, valid until the next event.
  private func storedForm(of id: BorrowedText) -> BorrowedText {
    guard case .pseudonym(let pseudonym) = verdict(on: id.span) else { return id }
    // The cache may be cleared before the event is written.
    concealed.append(pseudonym)
    return pseudonym.view
  }

  /// Returns whether a text is a forgotten subject.
  package func isForgotten(_ text: Span<UInt8>) -> Bool {
    if case .forgotten = verdict(on: text) { true } else { false }
  }

  /// Whether no subject has been forgotten.
  package var isNobodyForgotten: Bool { forgotten.isEmpty }

  /// Whether subjects are replaced by pseudonyms.
  package var conceals: Bool { key != nil }

  /// Returns the result for a text, from the cache if possible.
  private func verdict(on text: Span<UInt8>) -> Verdict {
    let hash = Hash128(of: text)
    if let known = verdicts[hash], known.text.span.isEqual(to: text) { return known.verdict }
    if verdicts.count >= Self.verdictsMax { verdicts.removeAll(keepingCapacity: true) }
    let bytes = [UInt8](copying: text)
    let verdict = newVerdict(on: bytes)
    // A collision of hashes replaces the result of another text.
    verdicts[hash] = CachedVerdict(text: bytes, verdict: verdict)
    return verdict
  }

  private func newVerdict(on text: [UInt8]) -> Verdict {
    guard let key else { return forgotten.contain(text) ? .forgotten : .unchanged }
    let pseudonym = key.pseudonym(of: text)
    return forgotten.contain(pseudonym) ? .forgotten : .pseudonym(PaddedCopy(pseudonym))
  }
}
