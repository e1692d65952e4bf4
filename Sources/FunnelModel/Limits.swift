/// Every limit the pipeline holds its input to, the unit last in the name.
///
/// A limit exists so that no input, however hostile or broken, can make the tool use unbounded memory or time.
/// What goes over one is refused by a message that names it, or handled in bounded steps. README's table names them all; a test keeps it true.
public enum Limits {
  // MARK: Input

  /// Most files that one command reads.
  public static let inputFilesMax = 1 << 18
  /// Deepest folder below one that is searched for files.
  public static let folderLevelsMax = 64
  /// How long an input that is a FIFO may have nobody who writes to it, in seconds.
  public static let fifoWaitSecondsMax = 10
  /// Longest header of a gzip member, with its name, comment and further fields.
  public static let gzipHeaderBytesMax = 256 << 10
  /// How many times its own size a gzip file may inflate to. Logs come to 10 to 30, one event over and over to 300; deflate can do 1032.
  public static let inflateRatioMax = 500
  /// Bytes a gzip file may inflate to at any ratio.
  public static let inflateBytesFree = 16 << 20
  /// Longest line of input, its line break not counted.
  public static let lineBytesMax = 1 << 20
  /// Most lines that are decoded at once: a megabyte may be half a million lines, each with a dead letter of its own.
  public static let blockLinesMax = 1 << 15
  /// Deepest nesting of a JSON value.
  public static let nestingLevelsMax = 64
  /// Most keys in one JSON object of an event.
  public static let objectKeysMax = 1024
  /// Longest `name`, `app`, `flow` or `step`.
  public static let nameBytesMax = 100
  /// Longest `subject`, `attempt` or `id`.
  public static let identifierBytesMax = 128
  /// The earliest timestamp an event may carry, 2007-01-01T00:00:00Z, in milliseconds: there were no apps before the iPhone.
  public static let timestampMillisecondsMin: Int64 = 1_167_609_600_000
  /// How far ahead of the clock an event may be, 24 hours, in milliseconds.
  public static let futureMillisecondsMax: Int64 = 86_400_000
  /// Most types of events (app, flow, version, name, step) a worker remembers at once; then it forgets them all.
  public static let eventTypesMax = 1 << 16
  /// Most names of unclaimed events that an ingest tells apart.
  public static let unclaimedNamesMax = 10_000

  // MARK: Store

  /// Longest record of the log: a line in canonical form, where a number such as `1e15` is written out.
  public static let recordBytesMax = 8 << 20
  /// How much of a line that is too long is kept in the dead letters.
  public static let deadLetterRawBytesMax = 1 << 20
  /// Most dead letters of a store that an ingest remembers, so that a bad file that comes again adds nothing; those beyond are kept again.
  public static let deadLettersKnownMax = 1 << 20
  /// Raw bytes of events in one gzip member of the log.
  public static let memberRawBytesTarget = 1 << 20
  /// Most bytes a member of the log inflates to: a header that claims more is damaged. A single record may make a member larger than the target.
  public static let memberRawBytesMax = 16 << 20
  /// Longest member of the log: as much, and what deflate adds to what it can't shrink.
  public static let memberBytesMax = 17 << 20
  /// Compressed bytes after which a day's log goes on in a new part.
  public static let partBytesTarget = 256 << 20
  /// Raw bytes of input after which a running ingest commits what it has.
  public static let commitRawBytesTarget = 56 << 20
  /// Most parts that a commit keeps open until it flushes them: it may touch more days than a process may have files.
  public static let openPartsMax = 64
  /// Longest journal: some millions of commits.
  public static let journalBytesMax = 1 << 30

  /// Memory for the hashes by which a verification tells whether events are unique; a log with more events is read several times.
  public static let verificationHashBytesMax = 256 << 20
  /// Longest list of subjects to be forgotten, inflated.
  public static let subjectListBytesMax = 256 << 20

  // MARK: Index

  /// Most values of one key of `ctx` or `props` that the index holds; a query by a key with more reads the log.
  public static let indexValuesOfKeyMax = 4096
  /// Most keys of `ctx`, and of `props`, in the index.
  public static let indexKeysMax = 4096
  /// Different contents of `ctx`, or of `props`, after which the keys with the most values are left out of the index.
  public static let indexContentsMax = 1 << 16
  /// Bytes of such contents after which they are.
  public static let indexContentBytesMax = 16 << 20
  /// Most event types of an index; a log with more has none.
  public static let indexTypesMax = 1 << 18
  /// Most events of one run of the index: a partition counts its events in 31 bits.
  public static let indexRunEventsMax = 1 << 31 - 1
  /// Bytes of index that an ingest holds in memory before it writes them as one run.
  public static let indexHeldBytesTarget = 48 << 20
  /// Largest manifest of an index.
  public static let indexManifestBytesMax = 1 << 20

  // MARK: Reports

  /// Memory that the events of a report from files may take before they go to a temporary file, unless the user says otherwise.
  public static let memoryBytesMaxDefault = 1 << 30
  /// Memory that sorting the events of one partition of subjects may take where `--memory-limit` is less: what is beyond either is refused.
  public static let sortBytesMin = 64 << 20
  /// Bytes of ids and records that a report from files keeps together; a chunk of rows with more is not filled further.
  public static let rowTextBytesTarget = 4 << 20
  /// Most different meanings of one event type, or segments, that are worked out before a report begins.
  public static let combinationsMax = 1 << 16
  /// Most values of one key of `ctx` or `props` that are counted one by one: a key with more is an id or a measurement, no segment.
  public static let countedValuesOfKeyMax = 10_000
  /// Memory for keys and values that are counted one by one; those that come later are only known to be there.
  public static let countedKeyBytesMax = 256 << 20
  /// How much of a log, inflated, is searched for the key or value that was probably meant: a second's work, and enough for every key in use.
  public static let searchedLogBytesMax = 64 << 20
  /// Longest conversion window, 10 years, in milliseconds.
  public static let windowMillisecondsMax: Int64 = 3_650 * 86_400_000

  // MARK: Configuration

  /// Largest flow definition, privacy list or other configuration file.
  public static let configurationBytesMax = 4 << 20
  /// Most steps in one flow definition: a step set is one 64-bit word.
  public static let flowStepsMax = 64
  /// Most permissions in one flow definition.
  public static let flowPermissionsMax = 64
  /// Longest regular expression of a property's schema.
  public static let patternBytesMax = 1024
  /// Longest text that a regular expression is matched with, in code points; a longer one does not match.
  public static let patternTextScalarsMax = 1024
  /// Largest file of the system's time zone database.
  public static let timeZoneFileBytesMax = 1 << 20
}
