/// The limits that the pipeline enforces on its input; each name contains its unit.
///
/// The limits prevent input, however hostile or broken, from making the tool use unbounded memory or time. Input beyond a limit is rejected
/// with a message that names the limit, or processed in bounded steps. Documentation/LIMITS.md lists them all, which a test checks.
public enum Limits {
  // MARK: Input

  /// The maximum number of files that one command reads.
  public static let inputFilesMax = 1 << 18
  /// The maximum depth below a folder at which files are searched for.
  public static let folderLevelsMax = 64
  /// How long opening a FIFO as input waits for a writer, in seconds.
  public static let fifoWaitSecondsMax = 10
  /// The maximum length of a gzip member's header, with its name, comment and extra fields.
  public static let gzipHeaderBytesMax = 256 << 10
  /// The maximum ratio to which a gzip file may inflate. Logs reach 10 to 30, a single repeated event 300; deflate's own maximum is 1032.
  public static let inflateRatioMax = 500
  /// The number of bytes to which a gzip file may inflate at any ratio.
  public static let inflateBytesFree = 16 << 20
  /// The maximum length of the name of an entry of a zip.
  public static let entryNameBytesMax = 4096
  /// The maximum length of a zip's directory, which is held in memory.
  public static let zipDirectoryBytesMax = 16 << 20
  /// How often a zip is opened again to read on behind an entry that is damaged.
  public static let zipReopeningsMax = 16
  /// The maximum number of zips within each other.
  public static let zipLevelsMax = 2
  /// The maximum length of an input line, without its line break.
  public static let lineBytesMax = 1 << 20
  /// The maximum length of the name of a column of CSV, which each record repeats as the key of its field.
  public static let columnNameBytesMax = 256
  /// The maximum number of lines that are decoded at once: a megabyte may contain half a million lines, each with a dead letter of its own.
  public static let blockLinesMax = 1 << 15
  /// The maximum nesting depth of a JSON value.
  public static let nestingLevelsMax = 64
  /// The maximum number of keys in one JSON object of an event.
  public static let objectKeysMax = 1024
  /// The maximum length of `name`, `app`, `flow` and `step`.
  public static let nameBytesMax = 100
  /// The maximum length of `subject`, `attempt` and `id`.
  public static let identifierBytesMax = 128
  /// The earliest timestamp that an event may have, 2007-01-01T00:00:00Z, in milliseconds: there were no apps before the iPhone.
  public static let timestampMillisecondsMin: Int64 = 1_167_609_600_000
  /// How far ahead of the clock an event's timestamp may be, 24 hours, in milliseconds.
  public static let futureMillisecondsMax: Int64 = 86_400_000
  /// The maximum number of event types (app, flow, version, name, step) in a worker's cache, which is emptied when it is full.
  public static let eventTypesMax = 1 << 16
  /// The maximum number of names of unclaimed events that an ingest distinguishes.
  public static let unclaimedNamesMax = 10_000

  // MARK: Query

  /// The maximum number of `--by`, and that of `--where`, of a query.
  public static let queryTermsMax = 32
  /// The maximum number of keys of a query.
  public static let queryKeysMax = 2 * queryTermsMax
  /// The maximum size of a file that lists values or subjects.
  public static let valueListBytesMax = 64 << 20

  // MARK: Store

  /// The maximum length of a record of the log, a line in canonical form, in which a number such as `1e15` is written out.
  public static let recordBytesMax = 8 << 20
  /// The maximum length of a rejected line that its dead letter keeps; a longer line is cut.
  public static let deadLetterRawBytesMax = 1 << 20
  /// The maximum number of a store's dead letters that an ingest remembers, so that repeating a bad file adds none; those beyond it are
  /// stored again.
  public static let deadLettersKnownMax = 1 << 20
  /// The target size of the events in one gzip member of the log, before compression.
  public static let memberRawBytesTarget = 1 << 20
  /// The maximum size to which a member of the log inflates: a larger value in a header is damage. A single record may exceed the target.
  public static let memberRawBytesMax = 16 << 20
  /// The maximum length of a member of the log: the same, plus what deflate adds to incompressible data.
  public static let memberBytesMax = 17 << 20
  /// The compressed size after which a day's log continues in a new part.
  public static let partBytesTarget = 256 << 20
  /// The size of raw input after which a running ingest commits.
  public static let commitRawBytesTarget = 56 << 20
  /// The maximum number of parts that a commit keeps open before it flushes them: it may touch more days than a process may open files.
  public static let openPartsMax = 64
  /// The maximum length of the journal: some millions of commits.
  public static let journalBytesMax = 1 << 30

  /// The memory for the hashes with which a verification checks that events are unique; a log with more events is read several times.
  public static let verificationHashBytesMax = 256 << 20
  /// The maximum length of a list of subjects to forget, after inflating.
  public static let subjectListBytesMax = 256 << 20

  // MARK: Index

  /// The maximum number of values of one key of `ctx` or `props` in the index's dictionaries; a query by a key with more values reads the
  /// log.
  public static let indexValuesOfKeyMax = 4096
  /// The maximum number of properties with more values than that, all numbers, of which the index has a column of their own.
  public static let indexMeasuresMax = 64
  /// The maximum number of keys of `ctx`, and of `props`, in the index.
  public static let indexKeysMax = 4096
  /// The number of different contents of `ctx`, or of `props`, beyond which the keys with the most values are measured or left out.
  public static let indexContentsMax = 1 << 16
  /// The total size of these contents beyond which the same keys are left out.
  public static let indexContentBytesMax = 16 << 20
  /// The maximum number of event types in an index; a log with more has no index.
  public static let indexTypesMax = 1 << 18
  /// The maximum number of events in one run of the index: a partition counts its events in 31 bits.
  public static let indexRunEventsMax = 1 << 31 - 1
  /// The size of index data that an ingest holds in memory before it writes them as one run.
  public static let indexHeldBytesTarget = 48 << 20
  /// The maximum length of an index's manifest.
  public static let indexManifestBytesMax = 1 << 20

  // MARK: Reports

  /// The default for the memory that the events of a report from files may use before they are written to a temporary file.
  public static let memoryBytesMaxDefault = 1 << 30
  /// The maximum size of the state of a fold. A state is as large as what was counted, not as the events were many.
  public static let stateBytesMax = 1 << 30
  /// The maximum of any count in a state, a snapshot or a list of missing events, also of a sum: a million million. Whatever a report adds up of
  /// such counts fits into 64 bits.
  public static let countMax = 1 << 40
  /// The maximum number of bytes that the inputs of all folds may have together.
  public static let foldedBytesMax = 1 << 62
  /// The maximum of any number in the journal, half a million million: the sums over all lines of a journal fit into 64 bits.
  public static let journalNumberMax = 1 << 39
  /// The minimum memory for sorting one partition of subjects, even if `--memory-limit` is lower; a larger partition is an error.
  public static let sortBytesMin = 64 << 20
  /// The target size of the ids and records in one chunk of rows of a report from files; a chunk that has reached it is full.
  public static let rowTextBytesTarget = 4 << 20
  /// The maximum number of different meanings of one event type, or of segments, that are computed before a report begins.
  public static let combinationsMax = 1 << 16
  /// The maximum number of values of one key of `ctx` or `props` that are counted individually: a key with more is an id or a measurement,
  /// not a segment.
  public static let countedValuesOfKeyMax = 10_000
  /// The memory for keys and values that are counted individually; of later ones, only their existence is recorded.
  public static let countedKeyBytesMax = 256 << 20
  /// The size of the inflated log that is searched for the key or value that was probably meant: a second's work, and enough for every key
  /// in use.
  public static let searchedLogBytesMax = 64 << 20
  /// The maximum conversion window, 10 years, in milliseconds.
  public static let windowMillisecondsMax: Int64 = 3_650 * 86_400_000

  // MARK: Configuration

  /// The maximum size of a flow definition, privacy list or other configuration file.
  public static let configurationBytesMax = 4 << 20
  /// The maximum number of steps in one flow definition: a step set is one 64-bit word.
  public static let flowStepsMax = 64
  /// The maximum number of rules in one flow definition: the rules that an event's properties contradict are one 64-bit word.
  public static let flowRulesMax = 64
  /// The maximum number of exclusions in one flow definition, with those of the query.
  public static let flowExclusionsMax = 8
  /// The maximum number of events in a row that a report of what follows an event tells apart: paths as long are hardly ever equal.
  public static let pathEventsMax = 20
  /// The maximum number of permissions in one flow definition.
  public static let flowPermissionsMax = 64
  /// The maximum amount, in any unit, that a definition gives an outcome, above zero or below it.
  public static let amountMax = 1_000_000_000_000
  /// The maximum length of a regular expression in a property's schema.
  public static let patternBytesMax = 1024
  /// The maximum length of a text that a regular expression is matched against, in code points; a longer text does not match.
  public static let patternTextScalarsMax = 1024
  /// The maximum size of a file of the system's time zone database.
  public static let timeZoneFileBytesMax = 1 << 20
}
