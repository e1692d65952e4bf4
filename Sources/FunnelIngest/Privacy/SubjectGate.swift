internal import FunnelStore

/// Stands between the decoder and the store: puts pseudonyms in the place of subjects, and lets nobody in who was forgotten.
///
/// What became of a subject is remembered, so that each is hashed once. Not to be shared between threads.
final class SubjectGate {
  /// What becomes of a text that is, or may be, a subject.
  private struct Verdict {
    /// The text, to tell others with the same hash from it.
    var text: [UInt8]
    /// Its pseudonym, and padding behind it; nil where it stays as it is.
    var pseudonym: UnsafeMutableRawBufferPointer?
    var isForgotten: Bool
  }

  /// Most verdicts that are remembered: hostile input may name a new subject every time.
  private static let verdictsMax = 1 << 16

  let key: PseudonymKey?
  private let forgotten: Tombstones
  private var verdicts: [Hash128: Verdict] = [:]
  /// The concealed texts of the event at hand.
  var concealed: [UnsafeMutableRawBufferPointer] = []

  /// A gate; nil where everybody may pass as they are.
  init?(_ options: DecodingOptions) {
    guard options.pseudonyms != nil || !options.forgotten.isEmpty else { return nil }
    key = options.pseudonyms
    forgotten = options.forgotten
  }

  deinit {
    removeVerdicts()
    removeConcealed()
  }

  /// Puts the pseudonym in the place of the subject; false where the subject was forgotten.
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

  /// Whether a text is a subject that was forgotten.
  func isForgotten(_ text: UnsafeRawBufferPointer) -> Bool { verdict(on: text).isForgotten }

  /// Whether nobody was forgotten.
  var isNobodyForgotten: Bool { forgotten.isEmpty }

  /// Whether subjects become pseudonyms.
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

  /// A copy with padding behind it, as everything that is read in whole words needs it.
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
