import Foundation
import FunnelKit

/// Ingests a folder of events into a store, and prints how many people complete each flow.
///
///     ConversionReport SampleLogs/cleaner funnel-store
@main
struct ConversionReport {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let input = arguments.first, let path = arguments.last else {
      print("usage: ConversionReport INPUT STORE")
      exit(64)
    }
    do {
      try await run(input: input, path: path)
    } catch {
      print(error.message)
      exit(1)
    }
  }

  private static func run(input: String, path: String) async throws(EventStoreError) {
    let store = try EventStore.openOrCreate(at: path)
    let result = try await store.ingest(files: [input])
    print("\(result.accepted) new events, \(result.eventsInStore) in \(path)")
    for row in try await store.report(Query(reports: [.funnel])).funnel {
      let percent = row.conversion.map { "\(Int(($0.value * 100).rounded())) %" } ?? "-"
      print("\(row.flow): \(row.completed) of \(row.entered) completed, \(percent)")
    }
  }
}
