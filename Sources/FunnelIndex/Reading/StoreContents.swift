public import FunnelIngest
public import FunnelModel

/// The contents of a store's log, for a command that has just read it. The events of an index are counted on demand.
public struct StoreContents: Sendable {
  enum Source: Sendable {
    case index(EventIndex)
    case counted(LogContents)
  }

  let source: Source

  /// Creates contents that were counted while the log was read.
  public init(_ contents: LogContents) { source = .counted(contents) }

  /// Creates contents that are counted from an index on demand.
  init(_ index: EventIndex) { source = .index(index) }

  /// Returns the counts of all events. If they come from the index, the type and the time of every event are read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func count() throws(FunnelError) -> LogContents { try count { _ in true } }

  /// Returns the number of events of each wanted name; next to nothing is read if there are none.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func countByName(where isWanted: (EventTypeName) -> Bool) throws(FunnelError) -> [EventTypeName: Int] {
    try count(where: isWanted).countByName.filter { isWanted($0.key) }
  }

  /// The apps that have events, also those whose names are not counted. No event is read for it.
  public var apps: Set<String> {
    switch source {
    case .counted(let contents): contents.apps
    case .index: Set(names.map(\.app))
    }
  }

  /// The number of events of each name, or nil if events would have to be read for it.
  public var knownCounts: [EventTypeName: Int]? {
    switch source {
    case .counted(let contents): contents.countByName
    case .index: nil
    }
  }

  /// Whether ``names`` and ``knownCounts`` have all names that the log has.
  public var areNamesComplete: Bool {
    switch source {
    case .counted(let contents): contents.unnamedEventCount == 0
    case .index: true
    }
  }

  /// The number of events of all names, or nil if events would have to be read for it.
  public var knownEventCount: Int? {
    switch source {
    case .counted(let contents): contents.eventCount
    case .index: nil
    }
  }

  /// The names of the events. No event is read for it.
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

  /// Returns the counts from the log or, for an index, those of the wanted names.
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
  /// Counts the events of the wanted names.
  fileprivate func count(
    into contents: inout LogContents, where isWanted: (EventTypeName) -> Bool
  ) throws(FunnelError) {
    // By type code: the number of the name in the contents, or -1 if it is not wanted.
    var numbers = [Int](repeating: -1, count: types.count)
    for (code, type) in types.enumerated() {
      let name = type.withUnsafeBytes { EventTypeText($0).map(EventTypeName.init) }
      if let name, isWanted(name) { numbers[code] = contents.number(of: name) }
    }
    guard numbers.contains(where: { $0 >= 0 }) else { return }
    for partition in 0..<IndexFormat.partitionCount {
      var cursor = try PlainCursor(self, partition: partition)
      while cursor.next() {
        for event in 0..<cursor.count {
          let number = numbers[cursor.type(event)]
          if number >= 0 { contents.add(number: number, milliseconds: cursor.time(event)) }
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
