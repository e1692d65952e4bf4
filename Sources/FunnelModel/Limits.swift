/// Every limit the pipeline holds its input to, the unit last in the name.
///
/// A limit exists so that no input, however hostile or broken, can make the tool use unbounded memory or time.
/// What goes over one is refused by a message that names it.
public enum Limits {
  /// Longest line of input, its line break not counted.
  public static let lineBytesMax = 1 << 20
  /// Longest record of the log: a line in canonical form, where a number such as `1e15` is written out.
  public static let recordBytesMax = 8 << 20
  /// How much of a line that is too long is kept in the dead letters.
  public static let deadLetterRawBytesMax = 1 << 20
  /// Deepest nesting of a JSON value.
  public static let nestingLevelsMax = 64
  /// Most keys in one JSON object of an event.
  public static let objectKeysMax = 1024
  /// Longest `name`, `app`, `flow` or `step`.
  public static let nameBytesMax = 100
  /// Longest `subject`, `attempt` or `id`.
  public static let identifierBytesMax = 128
  /// Most steps in one flow definition: a step set is one 64-bit word.
  public static let flowStepsMax = 64
  /// Most permissions in one flow definition.
  public static let flowPermissionsMax = 64
  /// Largest flow definition, privacy list or other configuration file.
  public static let configurationBytesMax = 4 << 20
  /// Longest list of subjects to be forgotten, inflated.
  public static let subjectListBytesMax = 256 << 20
  /// Raw bytes of events in one gzip member of the log.
  public static let memberRawBytesTarget = 1 << 20
  /// Compressed bytes after which a day's log goes on in a new part.
  public static let partBytesTarget = 256 << 20
  /// Raw bytes of input after which a running ingest commits what it has.
  public static let commitRawBytesTarget = 56 << 20
  /// Memory that the events of a report from files may take before they go to a temporary file, unless the user says otherwise.
  public static let memoryBytesMaxDefault = 1 << 30
  /// Memory for the hashes by which a verification tells whether events are unique; a log with more events is read several times.
  public static let verificationHashBytesMax = 256 << 20
  /// How long an input that is a FIFO may have nobody who writes to it, in seconds.
  public static let fifoWaitSecondsMax = 10
  /// The earliest timestamp an event may carry, 2007-01-01T00:00:00Z, in milliseconds: there were no apps before the iPhone.
  public static let timestampMillisecondsMin: Int64 = 1_167_609_600_000
  /// How far ahead of the clock an event may be, 24 hours, in milliseconds.
  public static let futureMillisecondsMax: Int64 = 86_400_000
  /// Longest conversion window, 10 years, in milliseconds.
  public static let windowMillisecondsMax: Int64 = 3_650 * 86_400_000
}
