package import FunnelDecoding
package import FunnelModel

/// Statistics of a store's log: its event names and the number of events of each.
///
/// They were counted while the log was read, or are counted from the index on demand.
package struct StoreContents: Sendable {
  /// The origin of the statistics.
  enum Source: Sendable {
    /// They are counted from an index on demand.
    case index(EventIndex)
    /// They were counted while the log was read.
    case counted(LogContents)
  }

  let source: Source

  /// Creates statistics that were counted while the log was read.
  package init(_ contents: LogContents) { source = .counted(contents) }

  /// Creates statistics that are counted from an index on demand.
  init(_ index: EventIndex) { source = .index(index) }

  /// Returns the statistics of all events. From an index, the type and the time of every event are read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func count() throws(FunnelError) -> LogContents { try count { _ in true } }

  /// Returns the number of events of each wanted name. From an index without such names, no event is read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func countByName(where isWanted: (EventTypeName) -> Bool) throws(FunnelError) -> [EventTypeName: Int] {
    try count(where: isWanted).countByName.filter { isWanted($0.key) }
  }

  /// The apps that have events, including apps whose event names are not counted. No event is read.
  package var apps: Set<String> {
    switch source {
    case .counted(let contents): contents.apps
    case .index: Set(names.map(\.app))
    }
  }

  /// The number of events of each name, or `nil` if it is not known without reading events.
  package var knownCounts: [EventTypeName: Int]? {
    switch source {
    case .counted(let contents): contents.countByName
    case .index: nil
    }
  }

  /// Whether ``names`` and ``knownCounts`` have all event names of the log.
  package var areNamesComplete: Bool {
    switch source {
    case .counted(let contents): contents.unnamedEventCount == 0
    case .index: true
    }
  }

  /// The number of all events, or `nil` if it is not known without reading events.
  package var knownEventCount: Int? {
    switch source {
    case .counted(let contents): contents.eventCount
    case .index: nil
    }
  }

  /// The names of the events. No event is read.
  package var names: Set<EventTypeName> {
    switch source {
    case .counted(let contents): Set(contents.countByName.keys)
    case .index(let index):
      Set(
        index.runs.flatMap { run in
          run.types.compactMap { type in type.withBorrowedElements { EventTypeText($0).map(EventTypeName.init) } }
        })
    }
  }

  /// Returns the statistics from the log, or those of the wanted names from the index.
  private func count(where isWanted: (EventTypeName) -> Bool) throws(FunnelError) -> LogContents {
    switch source {
    case .counted(let contents): return contents
    case .index(let index):
      var contents = LogContents()
      for run in index.runs { try run.count(into: &contents, where: isWanted) }
      return contents
    }
  }
}

extension SortedRun {
  /// Adds the events of the wanted names to statistics.
  fileprivate func count(
    into contents: inout LogContents, where isWanted: (EventTypeName) -> Bool
  ) throws(FunnelError) {
    // The index of the name in the statistics by type ID, or `nil` if the name is not counted.
    var numbers = [Int?](repeating: nil, count: types.count)
    for (code, type) in types.enumerated() {
      let name = type.withBorrowedElements { EventTypeText($0).map(EventTypeName.init) }
      if let name, isWanted(name) { numbers[code] = contents.number(of: name) }
    }
    guard numbers.contains(where: { $0 != nil }) else { return }
    for partition in 0..<IndexFormat.partitionCount {
      var cursor = try PlainCursor(self, partition: partition)
      while cursor.next() {
        for event in 0..<cursor.count {
          if let number = numbers[cursor.type(event)] { contents.add(number: number, milliseconds: cursor.time(event)) }
        }
      }
    }
  }
}

extension EventTypeName {
  fileprivate init(_ text: EventTypeText) {
    self.init(
      app: text.app.string, flow: text.flow?.string, flowVersion: text.flowVersion.map { Int($0) }, name: text.name.string,
      step: text.step?.string)
  }
}

/// A key of `ctx` or `props` with its values in the log.
package struct KeyValues: Sendable {
  /// The key, as a stored dimension.
  package let key: Dimension
  /// The values as texts, sorted.
  package let values: [String]
}

extension StoreContents {
  /// Returns the keys of `ctx` and `props` that have at least two and at most `valuesMax` values, sorted by name.
  ///
  /// Only the dictionaries of the index are read. Statistics that were counted from the log have no keys.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func keys(valuesMax: Int) throws(FunnelError) -> [KeyValues] {
    guard case .index(let index) = source else { return [] }
    var entries: [Dimension: Set<[UInt8]>] = [:]
    for run in index.runs {
      for entry in try run.contextDictionary().entries { add(entry, as: Dimension.context, to: &entries) }
      for entry in try run.propsDictionary().entries { add(entry, as: Dimension.property, to: &entries) }
    }
    return entries.filter { (2...valuesMax).contains($0.value.count) }
      .map { KeyValues(key: $0.key, values: $0.value.compactMap(Self.text).sorted()) }
      .sorted { $0.key.description < $1.key.description }
  }

  /// Returns the number of different values of each key of `ctx` and `props` that the index has, or `nil` for a key whose
  /// values are not indexed. Returns `nil` if the statistics were counted from the log.
  ///
  /// Only the dictionaries of the index are read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func valueCounts() throws(FunnelError) -> [Dimension: Int?]? {
    guard case .index(let index) = source else { return nil }
    var entries: [Dimension: Set<[UInt8]>] = [:]
    for run in index.runs {
      for entry in try run.contextDictionary().entries { add(entry, as: Dimension.context, to: &entries) }
      for entry in try run.propsDictionary().entries { add(entry, as: Dimension.property, to: &entries) }
    }
    return entries.mapValues { entries in
      let areIndexed = entries.allSatisfy { bytes in bytes.withEntry { $0?.value != nil } }
      return areIndexed ? entries.count { Self.text($0) != nil } : nil
    }
  }

  /// Adds a dictionary entry to the entries of its key.
  private func add(_ bytes: [UInt8], as dimension: (String) -> Dimension, to entries: inout [Dimension: Set<[UInt8]>]) {
    if let key = bytes.withEntry({ $0?.key.string }) { entries[dimension(key), default: []].insert(bytes) }
  }

  /// Returns the value of a dictionary entry in the notation of a condition, or `nil` for an entry without a value.
  private static func text(_ bytes: [UInt8]) -> String? {
    bytes.withEntry { entry in
      switch entry?.value {
      case .string(let text)?: String(decoding: text, as: UTF8.self)
      case .integer(let number)?: String(number)
      case .double(let number)?: String(number)
      case .bool(let isTrue)?: String(isTrue)
      case .null?, nil: nil
      }
    }
  }
}
