/// What events mean to a query, each meaning under a small number: a flow version, and a kind there.
///
/// Histories carry these codes instead of meanings: a meaning is looked up once for each name and step, not once for each event.
public struct KindTable: Sendable {
  /// A flow version, and what an event means to it.
  public struct Entry: Hashable, Sendable {
    /// Index of the flow version in the catalog.
    public var flow: Int32
    public var kind: EventKind

    public init(flow: Int32, kind: EventKind) {
      self.flow = flow
      self.kind = kind
    }
  }

  /// The entries by code.
  public private(set) var entries: [Entry] = []
  private var codes: [Entry: UInt32] = [:]

  /// A table without entries.
  public init() {}

  /// The code of a meaning, which is added where it is new.
  public mutating func code(of entry: Entry) -> UInt32 {
    if let code = codes[entry] { return code }
    let code = UInt32(entries.count)
    entries.append(entry)
    codes[entry] = code
    return code
  }
}
