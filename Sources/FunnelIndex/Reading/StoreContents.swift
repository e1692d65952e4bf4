public import FunnelIngest
public import FunnelModel

/// Statistics of a store's log: its event names and the number of events of each.
///
/// They were counted while the log was read, or are counted from the index on demand.
public struct StoreContents: Sendable {
  /// The origin of the statistics.
  enum Source: Sendable {
    /// They are counted from an index on demand.
    case index(EventIndex)
    /// They were counted while the log was read.
    case counted(LogContents)
  }

  let source: Source

  /// Creates statistics that were counted while the log was read.
  public init(_ contents: LogContents) { source = .counted(contents) }

  /// Creates statistics that are counted from an index on demand.
  init(_ index: EventIndex) { source = .index(index) }

  /// Returns the statistics of all events. From an index, the type and the time of every event are read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func count() throws(FunnelError) -> LogContents { try count { _ in true } }

  /// Returns the number of events of each wanted name. From an index without such names, no event is read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func countByName(where isWanted: (EventTypeName) -> Bool) throws(FunnelError) -> [EventTypeName: Int] {
    try count(where: isWanted).countByName.filter { isWanted($0.key) }
  }

  /// The apps that have events, including apps whose event names are not counted. No event is read.
  public var apps: Set<String> {
    switch source {
    case .counted(let contents): contents.apps
    case .index: Set(names.map(\.app))
    }
  }

  /// The number of events of each name, or `nil` if it is not known without reading events.
  public var knownCounts: [EventTypeName: Int]? {
    switch source {
    case .counted(let contents): contents.countByName
    case .index: nil
    }
  }

  /// Whether ``names`` and ``knownCounts`` have all event names of the log.
  public var areNamesComplete: Bool {
    switch source {
    case .counted(let contents): contents.unnamedEventCount == 0
    case .index: true
    }
  }

  /// The number of all events, or `nil` if it is not known without reading events.
  public var knownEventCount: Int? {
    switch source {
    case .counted(let contents): contents.eventCount
    case .index: nil
    }
  }

  /// The names of the events. No event is read.
  public var names: Set<EventTypeName> {
    switch source {
    case .counted(let contents): Set(contents.countByName.keys)
    case .index(let index):
      Set(
        index.runs.flatMap { run in
          run.types.compactMap { type in type.withUnsafeBytes { EventTypeText($0).map(EventTypeName.init) } }
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
      let name = type.withUnsafeBytes { EventTypeText($0).map(EventTypeName.init) }
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
    func string(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
    self.init(
      app: string(text.app), flow: text.flow.map(string), flowVersion: text.flowVersion.map { Int($0) },
      name: string(text.name),
      step: text.step.map(string))
  }
}
