internal import FunnelStore

/// Replaces subjects by pseudonyms and rejects forgotten subjects, between the decoder and the store.
///
/// The results are cached, so each subject is hashed once. Not thread-safe: each worker owns one.
package final class SubjectPolicy {
  /// The result for a text that is, or may be, a subject.
  private struct Verdict {
    /// The text, to detect hash collisions.
    var text: [UInt8]
    /// The pseudonym, or `nil` if subjects are stored unchanged.
    var pseudonym: PaddedCopy?
    /// Whether the text is a forgotten subject.
    var isForgotten: Bool
  }

  /// The maximum number of cached results. A further one clears the cache.
  private static let verdictsMax = 1 << 16  // Hostile input may have a new subject in every event.

  /// The key of the pseudonyms, or `nil` if subjects are stored unchanged.
  let key: PseudonymKey?
  private let forgotten: Tombstones
  /// The cached results, by the hashes of the texts.
  private var verdicts: [Hash128: Verdict] = [:]
  /// The pseudonyms of other texts of the current event.
  var concealed: [PaddedCopy] = []

  /// Creates a policy, or returns `nil` if there are neither pseudonyms nor forgotten subjects.
  package init?(_ options: DecodingOptions) {
    guard options.pseudonyms != nil || !options.forgotten.isEmpty else { return nil }
    key = options.pseudonyms
    forgotten = options.forgotten
  }

  /// Replaces the subject of an event by its pseudonym. Returns `false` if the subject is forgotten.
  ///
  /// The pseudonyms are valid until the next call.
  func admit(_ event: UnsafeMutablePointer<EventFields>) -> Bool {
    let subject = event.pointee.subject
    let verdict = verdict(on: subject)
    if verdict.isForgotten { return false }
    guard let pseudonym = verdict.pseudonym else { return true }
    concealed.removeAll(keepingCapacity: true)
    conceal(subject, in: event)
    event.pointee.subject = pseudonym.view
    return true
  }

  /// Whether a text is a forgotten subject.
  package func isForgotten(_ text: UnsafeRawBufferPointer) -> Bool { verdict(on: text).isForgotten }

  /// Whether no subject has been forgotten.
  package var isNobodyForgotten: Bool { forgotten.isEmpty }

  /// Whether subjects are replaced by pseudonyms.
  package var conceals: Bool { key != nil }

  /// Returns the result for a text, from the cache if possible.
  private func verdict(on text: UnsafeRawBufferPointer) -> Verdict {
    let hash = Hash128(of: text)
    if let known = verdicts[hash], known.text.withUnsafeBytes({ ByteSearch.areEqual($0, text) }) { return known }
    if verdicts.count >= Self.verdictsMax { verdicts.removeAll(keepingCapacity: true) }
    var verdict = Verdict(text: Array(text), pseudonym: nil, isForgotten: false)
    if let key {
      let pseudonym = key.pseudonym(of: text)
      verdict.isForgotten = pseudonym.withUnsafeBytes { forgotten.contain($0) }
      verdict.pseudonym = PaddedCopy(pseudonym)
    } else {
      verdict.isForgotten = forgotten.contain(text)
    }
    // A collision of hashes replaces the result of another text.
    verdicts[hash] = verdict
    return verdict
  }

  /// Whether a text contains a subject.
  static func contains(_ text: UnsafeRawBufferPointer, _ subject: UnsafeRawBufferPointer) -> Bool {
    ByteSearch.offset(of: subject, in: text) != nil
  }
}
