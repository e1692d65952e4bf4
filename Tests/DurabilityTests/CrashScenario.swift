import FunnelDecoding
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelTestSupport
import Testing

/// A command that writes, and the store before it. If the command is interrupted at any point and run again, the result must
/// be the same as without the interruption.
///
/// Add a scenario to ``all`` to have its command interrupted at each call that changes the disk.
struct CrashScenario: Sendable, CustomTestStringConvertible {
  var name: String
  /// Creates the store as it is before the command.
  var prepare: @Sendable (ScenarioStore) throws -> Void
  /// Runs the command.
  var command: @Sendable (ScenarioStore) throws -> Void
  /// Whether the command, run again after an interruption, leaves the log's lines in the same order as without one.
  var keepsOrder = true
  /// Whether two executions make the same commits, apart from sizes, offsets and hashes. They do not if the command writes
  /// random salts, or if members are very small: rarely, and for an unknown reason, ISA-L compresses the same 350 bytes to one
  /// or two bytes more or less.
  var isRepeatable = true
  /// The events that the command leaves if they name users, or nil. The reports must be those of their persons.
  var linkedEvents: LinkedLog?
  /// Whether the store is damaged before the command, so that it can't be checked until the command has repaired it.
  var beginsDamaged = false

  var testDescription: String { name }

  static let all: [CrashScenario] =
    [
      .init(name: "first ingest", prepare: { _ in }) { try $0.ingest(Inputs.small) },
      .init(name: "ingest that begins new parts", prepare: { try $0.ingest(Inputs.small) }) { try $0.ingest(Inputs.large) },
      .init(
        name: "ingest of several commits", prepare: { try $0.ingest(Inputs.tiny) },
        command: {
          try $0.ingest(Inputs.large, commitRawBytesTarget: 6000)
        }, keepsOrder: false),
      .init(
        name: "ingest that merges the index",
        prepare: {
          for input in [Inputs.large, Inputs.small, Inputs.tiny] { try $0.ingest(input) }
        }
      ) { try $0.ingest(Inputs.medium) },
      .init(
        name: "ingest that makes the index anew",
        prepare: {
          try $0.ingest(Inputs.small)
          try LocalIndex.remove(from: $0)
        }
      ) { try $0.ingest(Inputs.medium) },
      .init(name: "retry of dead letters", prepare: { try $0.ingest(Inputs.withoutApp) }) { try $0.retry() },
      .init(
        name: "retry of dead letters in several commits", prepare: { try $0.ingest(Inputs.withoutApp) },
        command: { try $0.retry(commitRawBytesTarget: 300) }, keepsOrder: false, isRepeatable: false),
      .init(
        name: "recovery of a torn commit",
        prepare: {
          try $0.ingest(Inputs.small)
          try TornCommit.leave(in: $0)
        }
      ) { try $0.ingest(Inputs.tiny) },
      .init(
        name: "forgetting", prepare: { try $0.ingest(Inputs.large) }, command: { try $0.forget(["s1", "s3"]) },
        isRepeatable: false),
      .init(name: "compaction", prepare: prepareManyMembers) { try $0.compact() },
      .init(name: "retention", prepare: { try $0.ingest(Inputs.large) }) {
        try $0.retain(from: CivilDate(year: 2026, month: 11, day: 18)!)
      },
      .init(
        name: "retention to the instant, by app and name", prepare: { try $0.ingest(Inputs.large) },
        command: { try $0.retain(by: Self.cutToTheInstant) }, isRepeatable: false),
      .init(
        name: "undoing an ingest that lies between others, in compacted parts",
        prepare: {
          for input in [Inputs.small, Inputs.large, Inputs.medium] { try $0.ingest(input) }
          try $0.compact()
        }, command: { try $0.undo(2) }, isRepeatable: false),
      .init(
        name: "undoing an ingest of several commits",
        prepare: {
          try $0.ingest(Inputs.tiny)
          try $0.ingest(Inputs.large, commitRawBytesTarget: 6000)
        }, command: { try $0.undo(3) }, isRepeatable: false),
      .init(
        name: "repair of a part",
        prepare: {
          try $0.ingest(Inputs.large)
          try Damage.flip(in: $0, ending: "part-00001.ndjson.gz")
        }, command: { try $0.repair() }, beginsDamaged: true),
    ] + ofLinks + repairsOfJournals

  /// The commands that bring and remove events that link subjects.
  private static let ofLinks: [CrashScenario] = [
    .init(
      name: "ingest of links", prepare: { try $0.ingest(ScenarioInput(Links.before.lines)) },
      command: { try $0.ingest(ScenarioInput(Links.added.lines)) }, linkedEvents: Links.all),
    .init(
      name: "undoing an ingest of links", prepare: Links.prepare, command: { try $0.undo(2) }, isRepeatable: false,
      linkedEvents: Links.before),
    .init(
      name: "forgetting of a person", prepare: Links.prepare, command: { try $0.forget(["u0"], asPersons: true) },
      isRepeatable: false, linkedEvents: Links.withoutPerson),
  ]

  /// A log whose events name users, in two inputs.
  private enum Links {
    static let all: LinkedLog = {
      var random = SeededGenerator(seed: 13)
      return LinkedLog(50, interval: 21_600_000, using: &random)
    }()
    static let before = LinkedLog(all.events.prefix(30))
    static let added = LinkedLog(all.events.dropFirst(30))
    static let withoutPerson: LinkedLog = {
      let forgotten = Set(["u0"] + all.events.filter { $0.user == "u0" }.map(\.subject))
      return all.removing { forgotten.contains($0.subject) || $0.user.map(forgotten.contains) ?? false }
    }()

    static let prepare: @Sendable (ScenarioStore) throws -> Void = { store in
      for part in [before, added] { try store.ingest(ScenarioInput(part.lines)) }
    }
  }

  /// The repairs of the journal. They must not change any part, wherever they are interrupted and whatever command follows.
  static let repairsOfJournals: [CrashScenario] = [
    .init(
      name: "repair of the journal",
      prepare: {
        try prepareManyMembers($0)
        try Damage.flip(in: $0, ending: "journal.ndjson")
      }, command: { try $0.repair() }, beginsDamaged: true),
    .init(
      name: "repair of a journal that was cut",
      prepare: {
        try prepareManyMembers($0)
        try Damage.cutLines(1, in: $0)
      }, command: { try $0.repair() }, beginsDamaged: true),
    .init(
      name: "repair of a journal that was emptied",
      prepare: {
        try prepareManyMembers($0)
        try Damage.cutLines(3, in: $0)
      }, command: { try $0.repair() }, beginsDamaged: true),
    .init(
      name: "repair of a journal that is gone",
      prepare: {
        try prepareManyMembers($0)
        try DiskTree.remove("\($0.path)/log/journal.ndjson")
      }, command: { try $0.repair() }, beginsDamaged: true),
  ]

  private static let prepareManyMembers: @Sendable (ScenarioStore) throws -> Void = { store in
    for input in [Inputs.small, Inputs.tiny, Inputs.medium] { try store.ingest(input) }
  }

  /// A cut that drops the events of an app and of some names before noon of the inputs' middle day, and all the app's dead
  /// letters.
  private static var cutToTheInstant: RetentionCut {
    let noon = Timestamp(milliseconds: CivilDate(year: 2026, month: 11, day: 18)!.midnight.milliseconds + 43_200_000)
    var cut = RetentionCut()
    cut.events = [
      .init(.init(from: noon, apps: ["cleaner"])), .init(.init(from: noon), names: [NamePattern("perm_*")!]),
    ]
    cut.deadLetters = [.init(from: ScenarioStore.now, apps: ["cleaner"])]
    return cut
  }

  private enum Inputs {
    static let tiny = try! ScenarioInput(4, seed: 1)
    static let small = try! ScenarioInput(["not an event"] + ScenarioInput(20, seed: 2).lines)
    static let medium = try! ScenarioInput(24, seed: 3)
    static let large = try! ScenarioInput(90, seed: 4)
    /// Some of these events name no app, and are rejected until a default app is given.
    static let withoutApp = try! ScenarioInput(
      medium.lines
        + (0..<12).map { "{\"name\":\"perm_flow_start\",\"ts\":\(1_794_787_200_000 + $0 * 3_600_000),\"subject\":\"w\($0)\"}" })
  }
}

/// Deletes the index, as a user may do.
enum LocalIndex {
  static func remove(from store: ScenarioStore) throws { try DiskTree.remove("\(store.path)/index") }
}

/// Leaves a store as a writer does that is killed when all of its commit but the line feed is on the disk.
enum TornCommit {
  static func leave(in store: ScenarioStore) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try DiskModel(folder: store.folder).survivors(.everything).write(to: folder.path)
    let disk = SimulatedDisk(try DiskModel(folder: folder.path))
    try ScenarioStore(folder: folder.path, disk: disk).ingest(ScenarioInput(30, seed: 5))
    let moments = disk.moments
    let line = moments.lastIndex { $0.call.hasPrefix("write") && $0.call.hasSuffix("journal.ndjson") }
    let torn = moments[(line ?? 1) - 1].disk.survivors(.everything)
    try DiskTree.remove(store.path)
    try torn.write(to: store.folder)
  }
}

/// Changes files of a store, as a faulty disk may do.
enum Damage {
  /// Flips a bit in the middle of the first file whose path ends with `ending`.
  static func flip(in store: ScenarioStore, ending: String) throws {
    var tree = try DiskTree(of: store.folder)
    guard let name = tree.files.keys.sorted().first(where: { $0.hasSuffix(ending) }) else { throw Complaint("no \(ending)") }
    let middle = (tree.files[name]?.count ?? 0) / 2
    tree.files[name]?[middle] ^= 1
    try DiskTree.remove(store.path)
    try tree.write(to: store.folder)
  }

  /// Removes complete lines from the end of the journal.
  static func cutLines(_ count: Int, in store: ScenarioStore) throws {
    var tree = try DiskTree(of: store.folder)
    let journal = "store/log/journal.ndjson"
    let lines = (tree.files[journal] ?? []).split(separator: UInt8(ascii: "\n"))
    tree.files[journal] = lines.dropLast(count).flatMap { $0 + [UInt8(ascii: "\n")] }
    try DiskTree.remove(store.path)
    try tree.write(to: store.folder)
  }
}
