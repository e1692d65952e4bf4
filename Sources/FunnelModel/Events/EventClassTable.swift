/// The ID of an event class in a query, or a compound ID (``EventClassTable``).
package typealias EventClassID = UInt32

/// The event classes of a query, each with a small integer ID.
///
/// Event sequences store these IDs, so a class is computed once per event name and step instead of once per event.
///
/// Most events match one flow version, and their ID is an index into ``entries``. An event that matches several
/// flow versions, or that an upcast converts to several events, has a compound ID, which represents several IDs
/// (``parts(of:)``). Readers expand compound IDs, so an event sequence contains none.
package struct EventClassTable: Sendable {
  /// The class of an event in one flow version.
  package struct Entry: Hashable, Sendable {
    /// The index of the flow version in the catalog.
    package let flow: Int32
    /// The event class.
    package let kind: EventClass
    /// The details that distinguish events of one class, or `nil` if the query does not need them (``EventNeeds/details``).
    package var detail: EventDetail?

    package init(flow: Int32, kind: EventClass, detail: EventDetail? = nil) {
      self.flow = flow
      self.kind = kind
      self.detail = detail
    }
  }

  /// A match of an event with a flow version: the event's class, and the properties that an upcast of the flow version changes.
  package struct FlowMatch: Hashable, Sendable {
    /// The flow version and the event class.
    package let entry: Entry
    /// The changed properties, by key. Only properties that the query reads are included.
    package let props: [String: PropertyValue]

    package init(_ entry: Entry, props: [String: PropertyValue] = [:]) {
      self.entry = entry
      self.props = props
    }
  }

  /// The first compound ID. All IDs below it are indices into ``entries``.
  package static let firstCompound: EventClassID = 1 << 30

  /// The entries, indexed by ID.
  package private(set) var entries: [Entry] = []
  /// The changed properties by ID. An ID without changed properties has no entry.
  package private(set) var changedProps: [EventClassID: [String: PropertyValue]] = [:]
  private var ids: [FlowMatch: EventClassID] = [:]
  /// The IDs that each compound ID represents, by its distance from ``firstCompound``.
  private var compounds: [[EventClassID]] = []
  private var compoundIDs: [[EventClassID]: EventClassID] = [:]

  /// Creates an empty table.
  package init() {}

  /// The maximum number of IDs that one ID represents, at least 1.
  package var partsMax: Int { compounds.reduce(1) { max($0, $1.count) } }

  /// Returns whether an ID represents several others.
  @inline(__always)
  package static func isCompound(_ id: EventClassID) -> Bool { id >= firstCompound }

  /// Returns the IDs that a compound ID represents, in the order of the converted events.
  ///
  /// - Precondition: The ID is compound (``isCompound(_:)``).
  package func parts(of id: EventClassID) -> [EventClassID] {
    precondition(Self.isCompound(id), "only a compound ID represents others")
    return compounds[Int(id - Self.firstCompound)]
  }

  /// Returns the ID of an entry, and adds the entry if it is new.
  package mutating func findOrInsert(_ entry: Entry) -> EventClassID { findOrInsert(FlowMatch(entry)) }

  /// Returns the ID of a match, and adds the match if it is new.
  package mutating func findOrInsert(_ match: FlowMatch) -> EventClassID {
    if let id = ids[match] { return id }
    let id = EventClassID(entries.count)
    precondition(!Self.isCompound(id), "all IDs of entries are below the compound ones")
    entries.append(match.entry)
    ids[match] = id
    if !match.props.isEmpty { changedProps[id] = match.props }
    return id
  }

  /// Returns the ID of an event with the given matches, at least one. Several matches result in a compound ID.
  package mutating func findOrInsert(_ matches: some Collection<FlowMatch>) -> EventClassID {
    precondition(!matches.isEmpty, "an event that matches no flow has no ID")
    let parts = matches.map { findOrInsert($0) }
    if parts.count == 1 { return parts[0] }
    if let id = compoundIDs[parts] { return id }
    let id = Self.firstCompound + EventClassID(compounds.count)
    compounds.append(parts)
    compoundIDs[parts] = id
    return id
  }
}
