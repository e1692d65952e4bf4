/// The meanings of events to a query, each identified by a small number.
///
/// Histories carry these codes instead of meanings: a meaning is looked up once per name and step, not once per event. Most events have
/// a meaning in only one flow version, and their code is an index into ``entries``. An event that several flows fold, or that one flow
/// reads as several events, has a compound code, which represents the codes of its parts (``parts(of:)``). Sources of histories expand
/// compound codes, so no history contains one.
public struct EventClassTable: Sendable {
  /// A flow version, and the meaning of an event to it.
  public struct Entry: Hashable, Sendable {
    /// The index of the flow version in the catalog.
    public var flow: Int32
    public var kind: EventClass
    /// What tells the event apart from others of its kind; nil unless the query asks for it (``EventNeeds/details``).
    public var detail: EventDetail?

    public init(flow: Int32, kind: EventClass, detail: EventDetail? = nil) {
      self.flow = flow
      self.kind = kind
      self.detail = detail
    }
  }

  /// A flow version's claim to an event: the event's meaning, and the properties that the flow version changes.
  public struct Claim: Hashable, Sendable {
    public var entry: Entry
    /// The properties that the flow version reads with other values than were logged, limited to those the query asks for.
    public var props: [String: PropertyValue]

    public init(_ entry: Entry, props: [String: PropertyValue] = [:]) {
      self.entry = entry
      self.props = props
    }
  }

  /// The first compound code, far above the possible number of entries.
  public static let firstCompound: UInt32 = 1 << 30

  /// The entries, indexed by code.
  public private(set) var entries: [Entry] = []
  /// The changed properties of the claims that have some, by code.
  public private(set) var changedProps: [UInt32: [String: PropertyValue]] = [:]
  private var codes: [Claim: UInt32] = [:]
  private var compounds: [[UInt32]] = []
  private var compoundCodes: [[UInt32]: UInt32] = [:]

  /// Creates an empty table.
  public init() {}

  /// The largest number of events that one event represents, at least 1.
  public var partsMax: Int { compounds.reduce(1) { max($0, $1.count) } }

  /// Returns whether a code represents several others.
  @inline(__always)
  public static func isCompound(_ code: UInt32) -> Bool { code >= firstCompound }

  /// Returns the codes that a compound code represents, in the order of the events they mean.
  public func parts(of code: UInt32) -> [UInt32] { compounds[Int(code - Self.firstCompound)] }

  /// Returns the code of a meaning, adding the meaning if it is new.
  public mutating func code(of entry: Entry) -> UInt32 { code(of: Claim(entry)) }

  /// Returns the code of a claim, adding the claim if it is new.
  public mutating func code(of claim: Claim) -> UInt32 {
    if let code = codes[claim] { return code }
    let code = UInt32(entries.count)
    precondition(code < Self.firstCompound, "there are more meanings than codes")
    entries.append(claim.entry)
    codes[claim] = code
    if !claim.props.isEmpty { changedProps[code] = claim.props }
    return code
  }

  /// Returns the code of an event with the given claims, at least one; several claims result in a compound code.
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
