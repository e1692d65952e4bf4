import FunnelModel

/// The folder of a recorder: at most one open file, closed files, the state, and a lock.
///
/// A process may be killed between any two system calls. A line is written by one call, so at most the last line of the open file is torn;
/// the next process ends it with a line feed, and readers refuse that line alone. A closed file is complete when it has its name, and only
/// then the open one is deleted: if both are there, the open one is deleted by the next process. Not to be shared between threads.
final class RecorderFolder {
  /// A closed file.
  struct ClosedFile: Hashable {
    var name: String
    var first: Int
    var eventCount: Int
    var byteCount: Int
  }

  /// The open file.
  struct OpenFile {
    var file: AppendFile
    var first: Int
    var eventCount: Int
    /// When it was opened.
    var start: Timestamp
  }

  let path: String
  private let fileBytesMax: Int
  private let closedBytesMax: Int
  private let lock: FolderLock
  private(set) var state: RecorderState
  private(set) var openFile: OpenFile?
  /// The closed files, oldest first.
  private(set) var closedFiles: [ClosedFile] = []
  private var problems: [EventRecorderError] = []

  /// Opens a folder, creates it if it is missing, and takes over what earlier processes left.
  ///
  /// - Throws: ``EventRecorderError`` with the code `storage`, or `folderInUse` if another recorder has it.
  init(at path: String, fileBytesMax: Int, closedBytesMax: Int) throws(EventRecorderError) {
    self.path = path
    self.fileBytesMax = fileBytesMax
    self.closedBytesMax = closedBytesMax
    try SystemCalls.makeFolder(path)
    lock = try FolderLock(path + "/lock")
    state = RecorderState()
    try takeOver()
  }

  /// The size of all files that hold events.
  var byteCount: Int { closedFiles.reduce(openFile?.file.byteCount ?? 0) { $0 + $1.byteCount } }

  /// Returns what happened that the app should know, once.
  func takeProblems() -> [EventRecorderError] {
    defer { problems = [] }
    return problems
  }

  /// Returns whether the open file must be closed before it takes more bytes, by its size or its age.
  func isDue(adding byteCount: Int, at now: Timestamp, ageMax: Duration) -> Bool {
    guard let openFile, openFile.eventCount > 0 else { return false }
    if openFile.file.byteCount + byteCount > fileBytesMax { return true }
    let age = Duration.milliseconds(now.milliseconds - openFile.start.milliseconds)
    // A clock that was set back says nothing about the age, which is at least not growing without end this way.
    return age >= ageMax || age < .zero
  }

  /// Appends the line of an event.
  func append(_ line: [UInt8], at now: Timestamp) throws(EventRecorderError) {
    if openFile == nil {
      let name = EventFileName.open(first: state.nextSequence, milliseconds: max(0, now.milliseconds)).text
      openFile = OpenFile(file: try AppendFile(path + "/" + name), first: state.nextSequence, eventCount: 0, start: now)
    }
    guard openFile!.file.byteCount + line.count <= 2 * fileBytesMax else {
      throw EventRecorderError(.storage, "the open file is full and can't be closed; free some space")
    }
    try openFile!.file.append(line)
    openFile!.eventCount += 1
    state.nextSequence += 1
  }

  /// Waits until the events are on the disk.
  func sync() throws(EventRecorderError) {
    try openFile?.file.sync()
  }

  /// Changes the run through a flow and keeps it.
  func setAttempt(_ id: String?, of flow: String) throws(EventRecorderError) {
    guard state.attempts[flow] != id else { return }
    state.attempts[flow] = id
    try saveState()
  }

  /// Counts events that were dropped. The number is kept with the next change of the state.
  func countDropped(_ count: Int) { state.dropped += count }

  /// Compresses the open file, if it has events, and drops the oldest closed files if there are too many.
  ///
  /// - Parameter inFlight: The name of a file that must stay.
  func closeOpenFile(keeping inFlight: String?) throws(EventRecorderError) {
    guard let openFile else { return }
    // A file with nothing but a torn line keeps its number, by which it is known.
    state.nextSequence = max(state.nextSequence, openFile.first + 1)
    // First the state, so that the numbers go on even if every event file is uploaded and deleted.
    try saveState()
    try closeFile(openFile.file.path, first: openFile.first, eventCount: openFile.eventCount)
    self.openFile = nil
    try boundClosedFiles(keeping: inFlight)
  }

  /// Forgets closed files that somebody removed.
  func forgetMissingFiles() {
    closedFiles.removeAll { SystemCalls.size(of: path + "/" + $0.name) == nil }
  }

  /// Writes into every event of a closed file when it is sent, by the device's clock: who receives it and adds `received_at` thereby puts a
  /// wrong clock right (specification, section 1).
  func stamp(_ file: ClosedFile, sentAt time: Timestamp) throws(EventRecorderError) {
    let filePath = path + "/" + file.name
    guard let events = GzipFile.decompress(try SystemCalls.contents(of: filePath)) else {
      throw EventRecorderError(.storage, "\(filePath) is no longer a gzip file; it is uploaded as it is")
    }
    let compressed = GzipFile.compress(SentTime.stamped(events, time))
    try SystemCalls.replace(filePath, with: compressed)
    if let index = closedFiles.firstIndex(of: file) { closedFiles[index].byteCount = compressed.count }
  }

  /// Deletes a closed file that was uploaded.
  func remove(_ file: ClosedFile) {
    SystemCalls.remove(path + "/" + file.name)
    closedFiles.removeAll { $0.name == file.name }
  }

  private func saveState() throws(EventRecorderError) {
    try SystemCalls.replace(path + "/recorder.state", with: state.json)
  }

  private func closeFile(_ openPath: String, first: Int, eventCount: Int) throws(EventRecorderError) {
    let name = EventFileName.closed(first: first, count: eventCount, folderID: state.folderID).text
    let compressed = GzipFile.compress(try SystemCalls.contents(of: openPath))
    try SystemCalls.replace(path + "/" + name, with: compressed)
    SystemCalls.remove(openPath)
    closedFiles.append(ClosedFile(name: name, first: first, eventCount: eventCount, byteCount: compressed.count))
  }

  /// Drops the oldest closed files until the others are within the bound, and tells how many events were in them.
  private func boundClosedFiles(keeping inFlight: String?) throws(EventRecorderError) {
    var byteCount = closedFiles.reduce(0) { $0 + $1.byteCount }
    var dropped = 0
    for file in closedFiles where byteCount > closedBytesMax && file.name != inFlight {
      remove(file)
      byteCount -= file.byteCount
      dropped += file.eventCount
    }
    guard dropped > 0 else { return }
    state.dropped += dropped
    problems.append(
      EventRecorderError(
        .dropped, "\(dropped) of the oldest events were dropped because diskBytesMax was reached; upload more often"))
    try saveState()
  }
}

extension RecorderFolder {
  /// Reads what earlier processes left.
  private func takeOver() throws(EventRecorderError) {
    var left: [(first: Int, start: Timestamp, path: String)] = []
    for name in try SystemCalls.names(in: path) {
      if name.hasSuffix(SystemCalls.temporarySuffix) { SystemCalls.remove(path + "/" + name) }
      switch EventFileName(name) {
      case .open(let first, let milliseconds):
        left.append((first, Timestamp(milliseconds: milliseconds), path + "/" + name))
      case .closed(let first, let count, _):
        let byteCount = SystemCalls.size(of: path + "/" + name) ?? 0
        closedFiles.append(ClosedFile(name: name, first: first, eventCount: count, byteCount: byteCount))
      case nil: break
      }
    }
    closedFiles.sort { $0.first < $1.first }
    if SystemCalls.size(of: path + "/recorder.state") != nil {
      state = RecorderState(json: try SystemCalls.contents(of: path + "/recorder.state")) ?? RecorderState()
    }
    for file in closedFiles { state.nextSequence = max(state.nextSequence, file.first + file.eventCount) }
    for (first, start, path) in left.sorted(by: { $0.first < $1.first }) { try takeOver(path, first: first, start: start) }
    try boundClosedFiles(keeping: nil)
  }

  /// Goes on with an open file, after the one before it was closed.
  private func takeOver(_ path: String, first: Int, start: Timestamp) throws(EventRecorderError) {
    // The process was killed after it had closed the file and before it deleted the open one.
    if closedFiles.contains(where: { $0.first == first }) { return SystemCalls.remove(path) }
    if let earlier = openFile {
      // The folder's id, which is in the name, stays the same.
      try saveState()
      try closeFile(earlier.file.path, first: earlier.first, eventCount: earlier.eventCount)
      openFile = nil
    }
    let tail = FileTail(try SystemCalls.contents(of: path))
    let file = try AppendFile(path)
    if tail.isTorn {
      try file.append([UInt8(ascii: "\n")])
      problems.append(
        EventRecorderError(
          .tornLine, "the last line of \(path) is incomplete because the app was killed; one event is lost, no action is needed"
        ))
    } else if tail.isUnended {
      try file.append([UInt8(ascii: "\n")])
    }
    openFile = OpenFile(file: file, first: first, eventCount: tail.eventCount, start: start)
    state.nextSequence = max(state.nextSequence, first, tail.lastSequence.map { $0 + 1 } ?? 0)
  }
}
