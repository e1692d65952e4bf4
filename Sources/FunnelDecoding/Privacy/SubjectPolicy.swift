import FunnelModel
internal import FunnelStore
import FunnelSystem

/// Replaces subjects by pseudonyms and rejects forgotten subjects, between the decoder and the store.
///
/// The results are cached, so each subject is hashed once. Not thread-safe: each worker owns one.
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
  /// The pseudonyms of other texts of the current event.
  var concealed: [PaddedCopy] = []

  /// Creates a policy, or returns `nil` if there are neither pseudonyms nor forgotten subjects.
  package init?(_ options: DecodingOptions) {
    guard options.pseudonyms != nil || !options.forgotten.isEmpty else { return nil }
    key = options.pseudonyms
    forgotten = options.forgotten
    privacy = options.privacy
  }

  /// Replaces the subject of an event by its pseudonym. Returns `false` if the subject is forgotten.
  ///
  /// The pseudonyms are valid until the next call.
  func admit(_ event: inout EventFields) -> Bool {
    switch verdict(on: event.subject.span) {
    case .forgotten: return false
    case .unchanged: return true
    case .pseudonym(let pseudonym):
      concealed.removeAll(keepingCapacity: true)
      conceal(event.subject, in: &event)
      event.subject = pseudonym.view
      return true
    }
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
