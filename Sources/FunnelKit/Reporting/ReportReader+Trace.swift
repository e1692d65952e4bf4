import FunnelDecoding
import FunnelIndex
import FunnelIngest
package import FunnelModel
package import FunnelReports
import FunnelStore

extension ReportReader {
  /// Returns the events of one subject, with the effect of each on the flows that count it.
  ///
  /// - Throws: `noInput` if there is no event of the subject.
  package func trace(of subject: String, _ query: ReportQuery) throws -> SubjectTrace {
    let (events, flows) =
      switch source {
      case .store(let path): try events(of: subject, inStoreAt: path, query)
      case .files(let files): try events(of: subject, in: files, query)
      }
    guard !events.isEmpty else {
      throw FunnelError(
        .noInput,
        "no event of this subject, \(subject.printable), list subjects with 'funnel groups entered --flow APP/FLOW --limit 5'")
    }
    return SubjectTrace(events, catalog: flows.catalog, flows: flows.indices, query: query)
  }

  private func events(
    of subject: String, inStoreAt path: String, _ query: ReportQuery
  ) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: query, in: definitions.catalog(store: path), flows: flows, app: nil)
    let events = try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
      // The index lists the days of the subject. Without a usable index, every day is read.
      let index = (try? EventIndex.open(for: reader)).flatMap { try? $0.completed(with: reader, threads: threads) }
      let days = index.flatMap { try? $0.days(ofSubject: subject) }
      return try FunnelError.catching {
        try SubjectEvents.ofStore(
          reader, subject: subject, until: query.now, catalog: flows.catalog, threads: threads,
          where: { day in days.map { $0.contains(day) } ?? true })
      }
    }
    return (events, flows)
  }

  private func events(
    of subject: String, in files: FileSource, _ query: ReportQuery
  ) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: query, in: definitions.catalog(), flows: flows, app: nil)
    let options = try files.decoding(now: query.now)
    let (events, rejected) = try SubjectEvents.ofFiles(
      files.files(), subject: subject, options: options, catalog: flows.catalog, threads: threads)
    if rejected > 0 {
      monitor.note(
        "\(Quantity.count(rejected)) \(rejected == 1 ? "line was" : "lines were") rejected; they may be of this or of other subjects"
      )
    }
    return (events, flows)
  }
}
