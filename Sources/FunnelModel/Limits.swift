/// The limits that the pipeline enforces on its input. Each name contains its unit.
///
/// They bound the memory and time that hostile or damaged input can cost. Input beyond a limit is rejected with
/// a message that names the limit, or processed in bounded steps. Documentation/LIMITS.md lists all limits,
/// which a test checks.
package enum Limits {
  // MARK: Input

  /// The maximum number of files that one command reads.
  package static let inputFilesMax = 1 << 18
  /// The maximum depth of folders that are searched for input files.
  package static let folderLevelsMax = 64
  /// The maximum time to wait for a writer when a FIFO is opened as input, in seconds.
  package static let fifoWaitSecondsMax = 10
  /// The maximum length of a gzip member's header, including its name, comment and extra fields.
  package static let gzipHeaderBytesMax = 256 << 10
  /// The maximum ratio of a gzip file's inflated size to its size. Logs reach 10 to 30, a single repeated event
  /// 300, and deflate's own maximum is 1032.
  package static let inflateRatioMax = 500
  /// The inflated size up to which any ratio is allowed.
  package static let inflateBytesFree = 16 << 20
  /// The maximum length of the name of a zip entry.
  package static let entryNameBytesMax = 4096
  /// The maximum length of a zip's central directory, which is held in memory.
  package static let zipDirectoryBytesMax = 16 << 20
  /// The maximum number of times that a zip is reopened to continue after a damaged entry.
  package static let zipReopeningsMax = 16
  /// The maximum nesting depth of zips.
  package static let zipLevelsMax = 2
  /// The maximum length of an input line, without its line break.
  package static let lineBytesMax = 1 << 20
  /// The maximum length of a CSV column's name, which every record repeats as a key.
  package static let columnNameBytesMax = 256
  /// The maximum number of lines that are decoded at once. A megabyte may contain half a million lines, each of
  /// which may be rejected to a dead letter.
  package static let blockLinesMax = 1 << 15
  /// The maximum nesting depth of a JSON value.
  package static let nestingLevelsMax = 64
  /// The maximum number of keys in one JSON object of an event.
  package static let objectKeysMax = 1024
  /// The maximum length of `name`, `app`, `flow` and `step`.
  package static let nameBytesMax = 100
  /// The maximum length of `subject`, `attempt` and `id`.
  // Inlinable, since the decoder compares with it four times a line.
  @inlinable package static var identifierBytesMax: Int { 128 }
  /// The earliest timestamp of an event, 2007-01-01T00:00:00Z, in milliseconds. There were no apps before the iPhone.
  package static let timestampMillisecondsMin: Int64 = 1_167_609_600_000
  /// The maximum difference by which an event's timestamp is ahead of the clock, 24 hours, in milliseconds.
  package static let futureMillisecondsMax: Int64 = 86_400_000
  /// The maximum number of event types (app, flow, version, name, step) in a worker's cache. A full cache is emptied.
  package static let eventTypesMax = 1 << 16
  /// The maximum number of names that an ingest counts individually among events that match no flow.
  package static let unclaimedNamesMax = 10_000

  // MARK: Query

  /// The maximum number of `--by` options, and of `--where` options, in a query.
  package static let queryTermsMax = 32
  /// The maximum number of different keys in a query.
  package static let queryKeysMax = 2 * queryTermsMax
  /// The maximum number of keys that the report of drivers tests. Their pairs are counted, at most 4,950.
  package static let driverKeysMax = 100
  /// The maximum number of values of a key that the report of drivers finds in the log and uses.
  package static let driverValuesOfFoundKeyMax = 50
  /// The maximum number of values of a key that is named for the report of drivers.
  package static let driverValuesOfNamedKeyMax = 250
  /// The maximum number of values in the log of a key that the report of drivers finds. It bounds the memory for
  /// the combinations of values.
  package static let driverValuesInLogMax = 250
  /// The maximum size of a file that lists values or subjects.
  package static let valueListBytesMax = 64 << 20

  // MARK: Store

  /// The maximum length of a log record, a line in canonical form, in which a number such as `1e15` has all its digits.
  package static let recordBytesMax = 8 << 20
  /// The maximum length of the rejected line in a dead letter. A longer line is cut.
  package static let deadLetterRawBytesMax = 1 << 20
  /// The maximum number of existing dead letters that an ingest compares with, so that ingesting a bad file
  /// twice adds none. Further ones are stored again.
  package static let deadLettersKnownMax = 1 << 20
  /// The target size of the events in one gzip member of the log, before compression.
  package static let memberRawBytesTarget = 1 << 20
  /// The maximum inflated size of a gzip member of the log. A larger value in a header is damage. A single
  /// record may exceed the target.
  package static let memberRawBytesMax = 16 << 20
  /// The maximum compressed size of a gzip member of the log: the inflated size plus deflate's overhead for
  /// incompressible data.
  package static let memberBytesMax = 17 << 20
  /// The compressed size at which a day's log continues in a new log file.
  package static let partBytesTarget = 256 << 20
  /// The size of raw input after which a running ingest commits.
  package static let commitRawBytesTarget = 56 << 20
  /// The maximum number of log files that a commit keeps open. A commit may write to more days than a process may open files.
  package static let openPartsMax = 64
  /// The maximum length of the journal, enough for millions of commits.
  package static let journalBytesMax = 1 << 30

  /// The memory for hashes when a verification checks that events are unique. A log with more events is read several times.
  package static let verificationHashBytesMax = 256 << 20
  /// The maximum inflated size of a list of subjects to forget.
  package static let subjectListBytesMax = 256 << 20

  // MARK: Index

  /// The maximum number of dictionary entries of the index for one key of `ctx` or `props`. A query by a key
  /// with more values reads the log.
  package static let indexValuesOfKeyMax = 4096
  /// The maximum number of measured properties: those with more values than that, all of them numbers. The
  /// index has a column for each.
  package static let indexMeasuresMax = 64
  /// The maximum number of keys of `ctx`, and of `props`, in the index.
  package static let indexKeysMax = 4096
  /// The maximum number of different contents of `ctx`, or of `props`, in the index. Beyond it, the keys with
  /// the most values are measured or omitted.
  package static let indexContentsMax = 1 << 16
  /// The maximum total size of these contents. Beyond it, the same keys are measured or omitted.
  package static let indexContentBytesMax = 16 << 20
  /// The number of subjects above which the subjects of one user are not merged, unless a query says otherwise.
  package static let subjectsOfPersonMaxDefault = 1000
  /// The maximum number of event types in an index. A log with more has no index.
  package static let indexTypesMax = 1 << 18
  /// The maximum number of events in one sorted run of the index: a partition counts its events in 31 bits.
  package static let indexRunEventsMax = 1 << 31 - 1
  /// The size of index data that an ingest holds in memory before it writes a sorted run.
  package static let indexHeldBytesTarget = 48 << 20
  /// The maximum length of an index's manifest.
  package static let indexManifestBytesMax = 1 << 20

  // MARK: Reports

  /// The default memory for the events of a report from files. Further events go to a temporary file.
  package static let memoryBytesMaxDefault = 1 << 30
  /// The maximum size of a state file. Its size depends on the number of different counted values, not on the number of events.
  package static let stateBytesMax = 1 << 30
  /// The maximum of any count or sum in a state file, a snapshot or a list of missing events, 2⁴⁰. Every sum of
  /// a report over such counts fits in 64 bits.
  package static let countMax = 1 << 40
  /// The maximum total size of the inputs of merged state files.
  package static let foldedBytesMax = 1 << 62
  /// The maximum of any number in the journal, 2³⁹. Sums over all lines of a journal fit in 64 bits.
  package static let journalNumberMax = 1 << 39
  /// The minimum memory for sorting one partition of subjects, even if `--memory-limit` is lower. A larger
  /// partition is an error.
  package static let sortBytesMin = 64 << 20
  /// The size of the IDs and records at which a chunk of rows in a report from files is full.
  package static let rowTextBytesTarget = 4 << 20
  /// The maximum number of event classes of one event type, or of segments, that are computed before a report starts.
  package static let combinationsMax = 1 << 16
  /// The maximum number of values of one key of `ctx` or `props` that are counted individually. A key with more
  /// is an ID or a measurement, not a segment.
  package static let countedValuesOfKeyMax = 10_000
  /// The memory for keys and values that are counted individually. Beyond it, only the existence of further ones is recorded.
  package static let countedKeyBytesMax = 256 << 20
  /// The inflated size of the log that is searched to suggest a key or value. This takes about a second and
  /// finds every key in use.
  package static let searchedLogBytesMax = 64 << 20
  /// The maximum conversion window, 10 years, in milliseconds.
  package static let windowMillisecondsMax: Int64 = 3_650 * 86_400_000

  // MARK: Configuration

  /// The maximum size of a flow definition, privacy list or other configuration file.
  package static let configurationBytesMax = 4 << 20
  /// The maximum number of steps in one flow definition. A set of steps is one 64-bit word.
  package static let flowStepsMax = 64
  /// The maximum number of rules in one flow definition. A set of rules is one 64-bit word.
  package static let flowRulesMax = 64
  /// The maximum number of exclusions of one flow, including those of the query.
  package static let flowExclusionsMax = 8
  /// The maximum number of outcomes in one flow definition. An event class stores the index of its outcome in one byte.
  package static let flowOutcomesMax = 64
  /// The maximum length of a path in the report of following events. Longer paths are hardly ever equal.
  package static let pathEventsMax = 20
  /// The maximum number of periods in the retention report: a year of days.
  package static let retentionPeriodsMax = 366
  /// The maximum number of permissions in one flow definition.
  package static let flowPermissionsMax = 64
  /// The maximum magnitude of an outcome's amount in a definition, in any unit.
  package static let amountMax = 1_000_000_000_000
  /// The maximum length of a regular expression in a property's schema.
  package static let patternBytesMax = 1024
  /// The maximum length of a text that a regular expression is matched against, in code points. A longer text does not match.
  package static let patternTextScalarsMax = 1024
  /// The maximum size of a file of the system's time zone database.
  package static let timeZoneFileBytesMax = 1 << 20
}
