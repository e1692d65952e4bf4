import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelSequences
import FunnelStore

/// Chooses the keys of the report of drivers among those of a log.
struct DriverKeys {
  /// The number of different values of each key, or ``manyValues``.
  private var valueCounts: [Dimension: Int] = [:]

  /// A number of values that is above every limit.
  private static let manyValues = Int.max

  /// The keys with at least two values, and not too many: first those of `ctx`, then those of `props`, each sorted by
  /// their bytes. The others are left out.
  var chosen: DriverSearch.Keys {
    var keys: [Dimension] = []
    var leftOut: [DriverSearch.LeftOutKey] = []
    for (key, count) in valueCounts.sorted(by: { $0.key.description < $1.key.description }) {
      if count > Limits.driverValuesInLogMax {
        leftOut.append(.init(key: key, reason: .tooManyValuesInLog(Limits.driverValuesInLogMax)))
      } else if count == 1 {
        leftOut.append(.init(key: key, reason: .oneValue))
      } else if keys.count == Limits.driverKeysMax {
        leftOut.append(.init(key: key, reason: .tooManyKeys(Limits.driverKeysMax)))
      } else {
        keys.append(key)
      }
    }
    return .found(keys, leftOut: leftOut)
  }

  /// Adds the keys of statistics that read all events.
  private mutating func add(_ statistics: KeyStatistics) {
    for key in statistics.keys where key.values.count > 0 {
      valueCounts[key.dimension] = key.hasMoreValues ? Self.manyValues : key.values.count
    }
  }
}

extension DriverKeys {
  /// Finds the keys of files.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  init(of files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int) throws(FunnelError) {
    let counted = try FunnelError.catching {
      try KeyStatistics.ofFiles(files, options: options, catalog: catalog, threads: threads)
    }
    add(counted.0)
  }

  /// Finds the keys of a store.
  ///
  /// The index has the values of most keys. The log is read for the others.
  ///
  /// - Parameter contents: The contents of the store's log.
  /// - Throws: `inputOutput` if the log is damaged and has no index.
  init(
    of store: StoreReader, contents: StoreContents, catalog: FlowCatalog, threads: Int
  ) throws(FunnelError) {
    guard let indexed = try contents.valueCounts() else {
      try add(Self.statistics(of: store, catalog: catalog, threads: threads))
      return
    }
    valueCounts = indexed.compactMapValues(\.self).filter { $0.value > 0 }
    var unknown = Set(indexed.filter { $0.value == nil }.keys)
    guard !unknown.isEmpty else { return }
    // The index omits keys with many values. A small part of the log shows that for most of them.
    for rawBytesMax in [Limits.searchedLogBytesMax / 16, Limits.searchedLogBytesMax] {
      let sample = try Self.statistics(of: store, catalog: catalog, threads: threads, rawBytesMax: rawBytesMax)
      for key in sample.keys where unknown.contains(key.dimension) {
        guard key.hasMoreValues || key.values.count > Limits.driverValuesInLogMax else { continue }
        valueCounts[key.dimension] = Self.manyValues
        unknown.remove(key.dimension)
      }
      guard !unknown.isEmpty else { return }
    }
    let all = try Self.statistics(of: store, catalog: catalog, threads: threads)
    for key in all.keys where unknown.contains(key.dimension) && key.values.count > 0 {
      valueCounts[key.dimension] = key.hasMoreValues ? Self.manyValues : key.values.count
    }
  }

  private static func statistics(
    of store: StoreReader, catalog: FlowCatalog, threads: Int, rawBytesMax: Int = .max
  ) throws(FunnelError) -> KeyStatistics {
    try FunnelError.catching {
      try KeyStatistics.ofLog(of: store, catalog: catalog, threads: threads, rawBytesMax: rawBytesMax)
    }
  }
}

extension DriverSearch.Share {
  /// Throws `usage` if the share is of a step or a permission that no flow version has.
  func check(in flows: [FlowDefinition]) throws(FunnelError) {
    switch self {
    case .conversion: break
    case .reached(let id):
      let steps = flows.flatMap(\.steps).map(\.id)
      guard steps.contains(id) else { throw Self.missing("step", self, nearest: NearestName.find(id, in: steps)) }
    case .grantRate(let name):
      let permissions = flows.flatMap(\.permissions).map(\.name)
      guard permissions.contains(name) else {
        throw Self.missing("permission", self, nearest: NearestName.find(name, in: permissions))
      }
    }
  }

  private static func missing(_ noun: String, _ share: DriverSearch.Share, nearest: String?) -> FunnelError {
    let advice = nearest.map { "did you mean \($0)?" } ?? "see 'funnel schema list'"
    return FunnelError(.usage, "no flow has the \(noun), --of \(share.description.printable), \(advice)")
  }
}

extension ReportReader {
  /// Returns a query whose report of drivers has the keys of the log, if it needs them.
  func withDriverKeys(_ query: ReportQuery) throws(FunnelError) -> ReportQuery {
    guard case .ofLog? = query.drivers?.keys else { return query }
    var found = query
    found.drivers?.keys = try driverKeys(query).chosen
    return found
  }

  /// Finds the keys of the source.
  private func driverKeys(_ query: ReportQuery) throws(FunnelError) -> DriverKeys {
    switch source {
    case .files(let source):
      let files = try source.files()
      if let stream = files.first(where: { $0.byteCount == nil }) {
        throw FunnelError(
          .usage,
          "\(stream.path.printable) can be read only once, and drivers finds its keys in a first pass, name them with --keys, "
            + "or give a file")
      }
      let catalog = try ReportFlows(of: query, in: definitions.catalog(), flows: flows, app: app).catalog
      return try DriverKeys(
        of: files, options: try source.decoding(now: query.now), catalog: catalog, threads: threads)
    case .store(let path):
      return try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
        let known = try ReportFlows(of: query, in: definitions.catalog(store: path), flows: flows, app: app)
        var plain = query
        plain.by = []
        plain.conditions = []
        plain.drivers = nil
        let contents = try IndexOrLog.withSequences(
          of: reader, catalog: known.catalog, query: plain, flows: known.indices, threads: threads,
          memoryBytesMax: memory.eventBytes, progress: { _ in }
        ) { (sequences) throws(FunnelError) in sequences.contents }
        return try DriverKeys(of: reader, contents: contents.result, catalog: known.catalog, threads: threads)
      }
    }
  }
}
