import FunnelModel
import FunnelSystem

/// Writes groups of batches to the files of a spool. Used by one thread at a time.
struct SpoolWriter: Sendable {
  let folder: SpoolFolder
  let settings: SpoolSettings
  let inventory: SpoolInventory
  /// The open file of each area.
  var open: [SpoolFolder.Area: SpoolFile] = [:]
  /// The files that are to be finished. Between two calls, those of which a step failed.
  var unfinished: [UnfinishedFile] = []
  /// The size of the files that are left to the next process.
  var leftBytes = 0
  /// The random number in the names of this process.
  private let process = UInt64.random(in: .min ... .max)
  /// The number of files so far.
  private var fileCount = 0
  /// The time in the last name, so that names stay sorted if the clock is set back.
  private var lastCreated = Timestamp.writable.lowerBound

  /// The number of bytes that are gathered for one write. A larger batch is written on its own.
  private static let gatheredBytesTarget = 1 << 20

  init(_ folder: SpoolFolder, _ settings: SpoolSettings, _ inventory: SpoolInventory) {
    self.folder = folder
    self.settings = settings
    self.inventory = inventory
  }

  var fileSystem: any FileSystem { folder.fileSystem }

  /// Writes a group of batches and waits until it is on the disk. Returns the result of each batch.
  mutating func commit(_ batches: [SpoolBatch]) -> [Result<Void, SpoolFailure>] {
    let isAdmitted = admit(batches)
    let admitted = zip(batches, isAdmitted).filter(\.1).map(\.0)
    let result: Result<Void, SpoolFailure>
    do throws(FunnelError) {
      try write(admitted)
      result = .success(())
    } catch {
      abandonFiles()
      result = .failure(.failed(error.messageOfServer))
    }
    if isAdmitted.contains(false) { finishFiles() }
    return isAdmitted.map { $0 ? result : .failure(.full) }
  }

  /// Writes batches and makes them durable. After an error, all open files must be abandoned.
  private mutating func write(_ batches: [SpoolBatch]) throws(FunnelError) {
    try append(batches.lazy.map(\.events).filter { !$0.isEmpty }, to: .events)
    try append(batches.lazy.map(\.deadLetters).filter { !$0.isEmpty }, to: .deadLetters)
    for area in SpoolFolder.Area.allCases {
      guard let file = open[area], file.isChanged else { continue }
      try sync(file.file)
      if !file.hasDurableName {
        try syncFolder(of: area)
        open[area]?.hasDurableName = true
      }
    }
    for area in SpoolFolder.Area.allCases {
      guard let file = open[area], file.isChanged else { continue }
      open[area]?.acknowledge()
      inventory.noteOpen(area, (file.writtenBytes, file.name.created))
    }
  }

  /// Makes the contents of a file durable.
  func sync(_ file: File) throws(FunnelError) {
    inventory.countFlush()
    try fileSystem.sync(file)
  }

  /// Makes the names of an area durable.
  func syncFolder(of area: SpoolFolder.Area) throws(FunnelError) {
    inventory.countFlush()
    try fileSystem.syncDirectory(folder.path(of: area))
  }

  /// Appends texts to the open file of an area, in as few writes as possible.
  private mutating func append(_ texts: some Sequence<[UInt8]>, to area: SpoolFolder.Area) throws(FunnelError) {
    var gathered: [UInt8] = []
    for text in texts {
      if !gathered.isEmpty, gathered.count + text.count > Self.gatheredBytesTarget {
        try write(gathered, to: area)
        gathered.removeAll(keepingCapacity: true)
      }
      // A text alone shares its memory with the batch.
      if gathered.isEmpty { gathered = text } else { gathered += text }
    }
    if !gathered.isEmpty { try write(gathered, to: area) }
  }

  private mutating func write(_ bytes: [UInt8], to area: SpoolFolder.Area) throws(FunnelError) {
    if open[area] == nil { open[area] = try createFile(in: area) }
    let fileSystem = fileSystem
    try open[area]?.append(bytes, fileSystem)
  }

  /// Creates a file of an area. Its name is not durable yet.
  private mutating func createFile(in area: SpoolFolder.Area) throws(FunnelError) -> SpoolFile {
    fileCount += 1
    lastCreated = max(lastCreated, settings.now())
    let name = SpoolFileName(created: lastCreated, process: process, number: fileCount)
    let file = try fileSystem.open(folder.path(of: area).inside(name.open), for: .create(.owner))
    return SpoolFile(file, name, opened: .now)
  }
}
