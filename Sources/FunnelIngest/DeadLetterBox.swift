public import FunnelLog
public import FunnelModel

/// The refused lines of a store.
public enum DeadLetterBox {
  /// A refused line, when it was refused, and the part it lies in.
  public struct Entry: Hashable, Sendable {
    public var letter: DeadLetter
    public var time: Timestamp
    public var part: PartName
  }

  /// All refused lines, in the order they were stored.
  ///
  /// - Throws: `inputOutput` where they are damaged.
  public static func entries(of store: StoreReader) throws(FunnelError) -> [Entry] {
    var entries: [Entry] = []
    try forEach(of: store) { entries.append($0) }
    return entries
  }

  /// Hands out refused lines one after the other, in the order they were stored.
  ///
  /// - Throws: `inputOutput` where they are damaged.
  public static func forEach(of store: StoreReader, _ body: (Entry) -> Void) throws(FunnelError) {
    for member in try store.members(of: .rejected) {
      for line in try store.read(member).split(separator: UInt8(ascii: "\n")) {
        guard let (letter, time) = DeadLetter.parse(Array(line)) else {
          throw FunnelError(
            .inputOutput, "a dead letter can't be read, \(member.part), check the store with 'funnel log verify'")
        }
        body(Entry(letter: letter, time: time, part: member.part))
      }
    }
  }

  /// What makes each of the refused lines the line it is, of ``Limits/deadLettersKnownMax`` at most.
  static func identities(in store: StoreReader) throws(FunnelError) -> Set<Hash128> {
    var identities: Set<Hash128> = []
    try forEach(of: store) { if identities.count < Limits.deadLettersKnownMax { identities.insert($0.letter.identity) } }
    return identities
  }
}
