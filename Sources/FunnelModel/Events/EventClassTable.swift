/// The event classes of a query, each with a small integer ID (its code).
///
/// Event sequences store these IDs, so a class is computed once per event name and step instead of once per event.
///
/// Most events match one flow version, and their ID is an index into ``entries``. An event that matches several
/// flow versions, or that an upcast converts to several events, has a compound ID, which represents several IDs
/// (``parts(of:)``). Readers expand compound IDs, so an event sequence contains none.
public struct EventClassTable: Sendable {
  /// The class of an event in one flow version.
  public struct Entry: Hashable, Sendable {
    /// The index of the flow version in the catalog.
    public var flow: Int32
    /// The event class.
    public var kind: EventClass
    /// The details that distinguish events of one class, or `nil` if the query does not need them (``EventNeeds/details``).
    public var detail: EventDetail?

    /// Creates an entry.
    public init(flow: Int32, kind: EventClass, detail: EventDetail? = nil) {
      self.flow = flow
      self.kind = kind
      self.detail = detail
    }
  }

  /// A match of an event with a flow version: the event's class, and the properties that an upcast of the flow version changes.
  public struct Claim: Hashable, Sendable {
    /// The flow version and the event class.
    public var entry: Entry
    /// The changed properties, by key. Only properties that the query reads are included.
    public var props: [String: PropertyValue]

    /// Creates a match.
    public init(_ entry: Entry, props: [String: PropertyValue] = [:]) {
      self.entry = entry
      self.props = props
    }
  }

  /// The first compound ID. All IDs below it are indices into ``entries``.
  public static let firstCompound: UInt32 = 1 << 30

  /// The entries, indexed by ID.
  public private(set) var entries: [Entry] = []
  /// The changed properties by ID. An ID without changed properties has no entry.
  public private(set) var changedProps: [UInt32: [String: PropertyValue]] = [:]
  private var ids: [Claim: UInt32] = [:]
  /// The IDs that each compound ID represents, by its distance from ``firstCompound``.
  private var compounds: [[UInt32]] = []
  private var compoundIDs: [[UInt32]: UInt32] = [:]

  /// Creates an empty table.
  public init() {}

  /// The maximum number of IDs that one ID represents, at least 1.
  public var partsMax: Int { compounds.reduce(1) { max($0, $1.count) } }

  /// Returns whether an ID represents several others.
  @inline(__always)
  public static func isCompound(_ id: UInt32) -> Bool { id >= firstCompound }

  /// Returns the IDs that a compound ID represents, in the order of the converted events.
  ///
  /// - Precondition: The ID is compound (``isCompound(_:)``).
  public func parts(of id: UInt32) -> [UInt32] { compounds[Int(id - Self.firstCompound)] }

  /// Returns the ID of an entry, and adds the entry if it is new.
  public mutating func code(of entry: Entry) -> UInt32 { code(of: Claim(entry)) }

  /// Returns the ID of a match, and adds the match if it is new.
  public mutating func code(of match: Claim) -> UInt32 {
    if let id = ids[match] { return id }
    let id = UInt32(entries.count)
    precondition(id < Self.firstCompound, "there are more meanings than codes")
    entries.append(match.entry)
    ids[match] = id
    if !match.props.isEmpty { changedProps[id] = match.props }
    return id
  }

  /// Returns the ID of an event with the given matches, at least one. Several matches result in a compound ID.
  public mutating func code(of matches: some Collection<Claim>) -> UInt32 {
    let parts = matches.map { self.code(of: $0) }
    precondition(!parts.isEmpty, "an event without claims has no code")
    if parts.count == 1 { return parts[0] }
    if let id = compoundIDs[parts] { return id }
    let id = Self.firstCompound + UInt32(compounds.count)
    compounds.append(parts)
    compoundIDs[parts] = id
    return id
  }
}
