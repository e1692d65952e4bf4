public import Foundation
internal import FunnelDecoding
internal import FunnelIngest

extension EventStore {
  /// The options of an ingest.
  public struct IngestOptions: Hashable, Sendable {
    /// The form in which the store keeps the subjects of events. A store holds only one form.
    public enum Subjects: Hashable, Sendable {
      /// As they are in the input.
      case raw
      /// As pseudonyms: the HMAC-SHA-256 of each subject under a key. The key is in a file, or in the store if that is `nil`. The
      /// first ingest creates a missing key.
      case pseudonyms(keyFile: String? = nil)
    }

    /// The app of events that do not name one.
    public var app: String?
    /// The format of the records, or `nil` to detect it from the first records of each input.
    public var format: RecordFormat?
    /// The files that map another product's records to events, or built-in mappings such as `builtin:umami`.
    public var mappingFiles: [String] = []
    /// The form of subjects in the store.
    public var subjects = Subjects.raw
    /// Whether one rejected line prevents the commit.
    public var isStrict = false
    /// The time of the ingest, or `nil` for the clock. Events after it are rejected.
    public var now: Date?

    /// Creates the default options.
    public init() {}
  }

  /// The result of an ingest. Each line of the input is accepted, a duplicate, or rejected.
  public struct IngestResult: Hashable, Sendable {
    /// A rejected line.
    public struct Rejection: Hashable, Sendable {
      /// The path of the file.
      public let file: String
      /// The number of the line, from 1.
      public let line: Int
      /// The code of the reason, such as `invalid_json`.
      public let reason: String
      /// A sentence about the problem.
      public let message: String
    }

    /// The number of lines that are not blank.
    public let lines: Int
    /// The number of events that are new to the store.
    public let accepted: Int
    /// The number of events that the input or the store already had.
    public let duplicates: Int
    /// The number of rejected lines.
    public let rejected: Int
    /// A few of the rejected lines, in the order of the input: one of each of the most frequent kinds. The store keeps all of them.
    public let firstRejections: [Rejection]
    /// The number of the last commit, or `nil` if nothing was new.
    public let commit: Int?
    /// The number of events in the store after the ingest.
    public let eventsInStore: Int
    /// The flow versions whose definitions the ingest added to the store.
    public let addedFlows: [String]
    /// Messages about likely mistakes in the app's logging, and about an index that could not be written.
    public let notes: [String]
  }
}

/// The format of input records: events in funnel's own form, or the export of another product.
public enum RecordFormat: String, Hashable, Sendable, CaseIterable {
  /// Funnel's own events.
  case native
  case segment
  case rudderstack
  case amplitude
  case mixpanel
  case posthog
  /// Rows of Google Analytics 4's export to BigQuery.
  case ga4
  /// Enriched events of Snowplow.
  case snowplow
  case cloudevents
  /// JSON of your own. A mapping file says what the keys mean.
  case json
  /// Comma-separated values. A mapping file says what the columns mean.
  case csv
}

extension EventStore.IngestResult {
  init(_ outcome: IngestOperation.Outcome, notes: [String]) {
    lines = outcome.summary.lines
    accepted = outcome.summary.accepted
    duplicates = outcome.summary.duplicates
    rejected = outcome.summary.rejected
    firstRejections = outcome.summary.firstRefusals.map {
      Rejection(file: $0.file, line: $0.line, reason: $0.reason.rawValue, message: $0.message)
    }
    commit = outcome.summary.commit
    eventsInStore = outcome.summary.eventsInStore
    addedFlows = outcome.remembered
    self.notes = notes
  }
}
