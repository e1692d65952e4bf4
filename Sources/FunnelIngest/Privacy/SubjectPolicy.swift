internal import FunnelStore

/// Replaces subjects by pseudonyms and rejects forgotten ones, between the decoder and the store.
///
/// Verdicts are cached, so that each subject is hashed once. A gate must not be shared between threads.
final class SubjectPolicy {
  /// The result of checking a text that is, or may be, a subject.
  private struct Verdict {
    /// The text, to detect hash collisions.
    var text: [UInt8]
    /// The pseudonym with padding behind it, or nil if the text is stored unchanged.
    var pseudonym: UnsafeMutableRawBufferPointer?
    var isForgotten: Bool
  }

  /// The maximum number of cached verdicts: hostile input may name a new subject in every event.
  private static let verdictsMax = 1 << 16

  let key: PseudonymKey?
  private let forgotten: Tombstones
  private var verdicts: [Hash128: Verdict] = [:]
  /// The pseudonyms of the current event's other texts, which this gate deallocates.
  var concealed: [UnsafeMutableRawBufferPointer] = []

  /// Creates a gate, or returns nil if there are neither pseudonyms nor forgotten subjects.
  init?(_ options: DecodingOptions) {
    guard options.pseudonyms != nil || !options.forgotten.isEmpty else { return nil }
    key = options.pseudonyms
    forgotten = options.forgotten
  }

  deinit {
    removeVerdicts()
    removeConcealed()
  }

  /// Replaces the subject by its pseudonym; returns false if the subject was forgotten.
  func admit(_ event: UnsafeMutablePointer<EventFields>) -> Bool {
    let subject = event.pointee.subject
    let verdict = verdict(on: subject)
    if verdict.isForgotten { return false }
    guard let pseudonym = verdict.pseudonym else { return true }
    removeConcealed()
    conceal(subject, in: event)
    event.pointee.subject = Self.text(of: pseudonym)
    return true
  }

  /// Returns whether a text is a forgotten subject.
  func isForgotten(_ text: UnsafeRawBufferPointer) -> Bool { verdict(on: text).isForgotten }

  /// Whether no subject has been forgotten.
  var isNobodyForgotten: Bool { forgotten.isEmpty }

  /// Whether subjects are replaced by pseudonyms.
  var conceals: Bool { key != nil }

  private func verdict(on text: UnsafeRawBufferPointer) -> Verdict {
    let hash = Hash128(of: text)
    if let known = verdicts[hash], known.text.withUnsafeBytes({ ByteSearch.areEqual($0, text) }) { return known }
    if verdicts.count >= Self.verdictsMax { removeVerdicts() }
    var verdict = Verdict(text: Array(text), pseudonym: nil, isForgotten: false)
    if let key {
      let pseudonym = key.pseudonym(of: text)
      verdict.isForgotten = pseudonym.withUnsafeBytes { forgotten.contain($0) }
      verdict.pseudonym = Self.padded(pseudonym)
    } else {
      verdict.isForgotten = forgotten.contain(text)
    }
    if let other = verdicts.updateValue(verdict, forKey: hash) { other.pseudonym?.deallocate() }
    return verdict
  }

  private func removeVerdicts() {
    for verdict in verdicts.values { verdict.pseudonym?.deallocate() }
    verdicts.removeAll(keepingCapacity: true)
  }

  static func contains(_ text: UnsafeRawBufferPointer, _ subject: UnsafeRawBufferPointer) -> Bool {
    ByteSearch.offset(of: subject, in: text) != nil
  }

  /// Returns a copy followed by the padding that reading in whole words requires.
  static func padded(_ text: [UInt8]) -> UnsafeMutableRawBufferPointer {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count + LineParser.paddingBytes, alignment: 8)
    room.initializeMemory(as: UInt8.self, repeating: 0)
    room.copyBytes(from: text)
    return room
  }

  static func text(of padded: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: padded[..<(padded.count - LineParser.paddingBytes)])
  }
}
