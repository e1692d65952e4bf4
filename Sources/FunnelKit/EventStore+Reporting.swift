extension EventStore {
  /// Computes the reports that a query asks for, in one pass over the events.
  ///
  ///     let report = try await store.report(Query(flows: ["cleaner/permissions_flow"]))
  ///     print(report.funnel[0].conversion?.value ?? 0)
  ///
  /// If the log is damaged, the report covers the events that can be read (``Report/missingEventCount``).
  ///
  /// - Throws: ``EventStoreError`` (`invalidArgument`) if a part of the query is not valid, such as a flow that does not exist,
  ///   (`noInput`) if the store was removed, (`inputOutput`) if it can't be read.
  public func report(_ query: Query = Query()) async throws(EventStoreError) -> Report {
    try await EventStoreError.blocking {
      try Report(query, source: .store(path: path), definitions: definitions, configuration)
    }
  }
}
