/// What events mean to a query, each meaning under a small number.
///
/// Histories carry these codes instead of meanings: a meaning is looked up once for each name and step, not once for each event. Most
/// events mean something to one flow version alone, and their code is an index into ``entries``. An event that several flows fold, or
/// one flow as several events, has a compound code, which stands for the codes of its parts (``parts(of:)``); sources of histories
/// resolve it, so that no history has one.
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

  /// What one flow version makes of an event.
  public struct Claim: Hashable, Sendable {
    public var entry: Entry
    /// The properties the flow version reads otherwise than they were logged, as far as the query asks for them.
    public var props: [String: PropertyValue]

    public init(_ entry: Entry, props: [String: PropertyValue] = [:]) {
      self.entry = entry
      self.props = props
    }
  }

  /// Compound codes begin here, far above the number of entries there can be.
  public static let firstCompound: UInt32 = 1 << 30

  /// The entries by code.
  public private(set) var entries: [Entry] = []
  /// The properties of the claims that read some otherwise, by code.
  public private(set) var changedProps: [UInt32: [String: PropertyValue]] = [:]
  private var codes: [Claim: UInt32] = [:]
  private var compounds: [[UInt32]] = []
  private var compoundCodes: [[UInt32]: UInt32] = [:]

  /// A table without entries.
  public init() {}

  /// Most events that one event stands for, at least 1.
  public var partsMax: Int { compounds.reduce(1) { max($0, $1.count) } }

  /// Whether a code stands for several.
  @inline(__always)
  public static func isCompound(_ code: UInt32) -> Bool { code >= firstCompound }

  /// The codes a compound code stands for, in the order in which the events they mean come.
  public func parts(of code: UInt32) -> [UInt32] { compounds[Int(code - Self.firstCompound)] }

  /// The code of a meaning, which is added if it is new.
  public mutating func code(of entry: Entry) -> UInt32 { code(of: Claim(entry)) }

  /// The code of a claim, which is added if it is new.
  public mutating func code(of claim: Claim) -> UInt32 {
    if let code = codes[claim] { return code }
    let code = UInt32(entries.count)
    precondition(code < Self.firstCompound, "there are more meanings than codes")
    entries.append(claim.entry)
    codes[claim] = code
    if !claim.props.isEmpty { changedProps[code] = claim.props }
    return code
  }

  /// The code of an event with these claims, at least one: a compound code if they are several.
  public mutating func code(of claims: some Collection<Claim>) -> UInt32 {
    let parts = claims.map { self.code(of: $0) }
    precondition(!parts.isEmpty, "an event without claims has no code")
    if parts.count == 1 { return parts[0] }
    if let code = compoundCodes[parts] { return code }
    let code = Self.firstCompound + UInt32(compounds.count)
    compounds.append(parts)
    compoundCodes[parts] = code
    return code
  }
}
