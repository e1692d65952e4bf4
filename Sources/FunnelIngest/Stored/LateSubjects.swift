package import FunnelModel
package import FunnelStore
import FunnelSystem

/// The subjects of events that were added to a log after their day had been reported.
package enum LateSubjects {
  /// Returns, by the index of a flow version, the subjects of events before a moment that the flow version folds.
  ///
  /// - Parameters:
  ///   - isAdded: Returns whether a member was added since the report.
  ///   - moment: The end of the days that had been reported; nil for events of any time.
  /// - Throws: `inputOutput` if a member is damaged.
  package static func byFlow(
    in store: StoreReader, catalog: FlowCatalog, before moment: Timestamp?, threads: Int,
    where isAdded: (MemberReference) -> Bool
  ) throws(FunnelError) -> [Int: Set<String>] {
    func isEarly(_ time: Timestamp) -> Bool { moment.map { time < $0 } ?? true }
    let members = try store.members().filter { isEarly($0.part.day.midnight) && isAdded($0) }
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      var subjects: [Int: Set<String>] = [:]
      var resolver = FlowResolver(catalog: catalog)
      let reader = StoredEventReader()
      try reader.forEach(in: store.read(members[index]), of: members[index]) { event, _ in
        if let moment, event.timestamp >= moment { return }
        // Resolving may add a meaning, so it comes first.
        let resolution = resolver.resolve(event)
        for meaning in resolver.meanings[Int(resolution.meaning)] {
          subjects[Int(meaning.entry.flow), default: []].insert(event.subject.text)
        }
      }
      return subjects
    }
    return found.reduce(into: [:]) { $0.merge($1) { $0.union($1) } }
  }
}
