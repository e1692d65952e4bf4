import Foundation

/// The folder of a recorder: at most one open file, closed files, the state, and a lock.
///
/// A process may be killed between any two system calls, so each call leaves a folder from which the next process recovers:
/// - A line is written by one call, so at most the last line of the open file is incomplete. The next process ends it with a
///   line feed, and readers reject only that line.
/// - A closed file is complete before it gets its name, and the open file is deleted afterwards. If both exist, the next
///   process deletes the open one.
final class RecorderFolder {
  /// The open file.
  struct OpenFile {
    let file: AppendFile
    /// The `seq` of the first event.
    let first: Int
    var eventCount: Int
    /// The time at which it was opened.
    let start: Timestamp
  }

  private let path: String
  private let fileBytesMax: Int
  private let closedBytesMax: Int
  private let lock: FolderLock
  /// The state, which is stored when a file is closed or an attempt changes.
  private(set) var state = RecorderState()
  /// Whether a change of the state is in force that could not be stored.
  private var hasUnstoredChange = false
  /// The open file, or `nil` if there is none.
  private(set) var openFile: OpenFile?
  var closedFiles: ClosedFiles
  /// The problems that ``takeProblems()`` has not returned yet.
  private var problems: [EventRecorderError] = []

  /// Opens a folder, creates it if it does not exist, and recovers the files of earlier processes.
  ///
  /// - Throws: ``EventRecorderError`` with the code `storage`, or `folderInUse` if another recorder holds it.
  init(at path: String, fileBytesMax: Int, closedBytesMax: Int) throws(EventRecorderError) {
    precondition(fileBytesMax > 0 && closedBytesMax >= 0, "the limits of a folder are not negative")
    self.path = path
    self.fileBytesMax = fileBytesMax
    self.closedBytesMax = closedBytesMax
    closedFiles = ClosedFiles(in: path)
    try SystemCalls.makeFolder(path)
    FolderAttributes.set(of: path)
    lock = try FolderLock(path + "/lock")
    try recover()
  }

  private var statePath: String { path + "/recorder.state" }

  /// The size of all event files.
  var byteCount: Int { closedFiles.byteCount + (openFile?.file.byteCount ?? 0) }

  /// Returns the problems since the last call.
  func takeProblems() -> [EventRecorderError] {
    defer { problems = [] }
    return problems
  }

  /// Returns whether the open file must be closed before more bytes are appended, because of its size or its age.
  func isDue(adding byteCount: Int, at now: Timestamp, ageMax: TimeInterval) -> Bool {
    guard let openFile, openFile.eventCount > 0 else { return false }
    if openFile.file.byteCount + byteCount > fileBytesMax { return true }
    let age = TimeInterval(now.milliseconds - openFile.start.milliseconds) / 1000
    // The age is unknown if the clock was set back. Closing the file then keeps it from growing without end.
    return age >= ageMax || age < 0
  }

  /// Appends the line of an event.
  func append(_ line: [UInt8], at now: Timestamp) throws(EventRecorderError) {
    assert(line.last == UInt8(ascii: "\n"), "a line ends with a line feed")
    var open: OpenFile
    if let openFile {
      open = openFile
    } else {
      let name = EventFileName.open(first: state.nextSequence, milliseconds: max(0, now.milliseconds)).text
      open = OpenFile(file: try AppendFile(path + "/" + name), first: state.nextSequence, eventCount: 0, start: now)
      openFile = open
    }
    // A file that can't be closed may grow to twice its size before events are rejected.
    guard open.file.byteCount + line.count <= 2 * fileBytesMax else {
      throw EventRecorderError(.storage, "the open file is full and can't be closed; free some space")
    }
    try open.file.append(line)
    open.eventCount += 1
    openFile = open
    state.nextSequence += 1
  }

  /// Waits until the events are on the disk.
  func sync() throws(EventRecorderError) {
    try openFile?.file.sync()
  }

  /// Changes the state and stores it, unless the change makes no difference.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored. The state is then as before.
  func change(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    let before = state
    body(&state)
    guard state != before else { return }
    do throws(EventRecorderError) {
      try saveState()
    } catch {
      state = before
      throw error
    }
  }

  /// Changes the state at once, and stores it: who and what later events are about must not depend on room on the disk.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored now. The change is in force all the same, and is stored with the next message.
  func enforce(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    let before = state
    body(&state)
    guard state != before else { return }
    hasUnstoredChange = true
    try saveState()
  }

  /// Stores a change that is in force and could not be stored.
  func storeChange() throws(EventRecorderError) {
    if hasUnstoredChange { try saveState() }
  }

  /// Deletes all event files.
  func deleteEvents() {
    if let openFile { SystemCalls.remove(openFile.file.path) }
    openFile = nil
    closedFiles.deleteAll()
  }

  /// Counts dropped events. The count is stored with the next change of the state.
  func countDropped(_ count: Int) { state.dropped += count }

  /// Compresses the open file, if it has events, and drops the oldest closed files if there are too many.
  func closeOpenFile() throws(EventRecorderError) {
    guard let openFile else { return }
    // Even a file with only an incomplete line uses up a `seq`, because its name identifies it.
    state.nextSequence = max(state.nextSequence, openFile.first + 1)
    // The state is stored first, so that `seq` continues even if every event file is uploaded and deleted. It also contains
    // the folder's ID, which becomes a part of the name.
    try saveState()
    try close(openFile)
    try limitClosedFiles()
  }

  private func close(_ open: OpenFile) throws(EventRecorderError) {
    let name = EventFileName.closed(first: open.first, count: open.eventCount, folderID: state.folderID).text
    let compressed = GzipFile.compress(try SystemCalls.contents(of: open.file.path))
    try SystemCalls.replace(path + "/" + name, with: compressed)
    SystemCalls.remove(open.file.path)
    closedFiles.insert(
      ClosedFiles.File(name: name, first: open.first, eventCount: open.eventCount, byteCount: compressed.count))
    openFile = nil
  }

  /// Deletes the oldest closed files until the others are within the limit, and records a problem with the number of events.
  private func limitClosedFiles() throws(EventRecorderError) {
    let dropped = closedFiles.deleteOldest(beyond: closedBytesMax)
    guard dropped > 0 else { return }
    state.dropped += dropped
    problems.append(
      EventRecorderError(
        .dropped, "\(dropped) of the oldest events were dropped because diskBytesMax was reached; upload more often"))
    try saveState()
  }

  private func saveState() throws(EventRecorderError) {
    try SystemCalls.replace(statePath, with: state.json)
    hasUnstoredChange = false
  }
}

// The recovery of the files of earlier processes.
extension RecorderFolder {
  private func recover() throws(EventRecorderError) {
    var openFiles: [(first: Int, start: Timestamp, path: String)] = []
    for name in try SystemCalls.names(in: path) {
      if name.hasSuffix(SystemCalls.temporarySuffix) { SystemCalls.remove(path + "/" + name) }
      switch EventFileName(name) {
      case .open(let first, let milliseconds):
        openFiles.append((first, Timestamp(milliseconds: milliseconds), path + "/" + name))
      case .closed(let first, let count, _):
        let byteCount = SystemCalls.size(of: path + "/" + name) ?? 0
        closedFiles.insert(ClosedFiles.File(name: name, first: first, eventCount: count, byteCount: byteCount))
      case nil: break
      }
    }
    try recoverState()
    for file in closedFiles.files { state.nextSequence = max(state.nextSequence, file.first + file.eventCount) }
    for (first, start, path) in openFiles.sorted(by: { $0.first < $1.first }) { try reopen(path, first: first, start: start) }
    try limitClosedFiles()
  }

  /// Reads the state of earlier processes. Without one, the folder continues with a new state and a new ID.
  private func recoverState() throws(EventRecorderError) {
    guard let bytes = try SystemCalls.contents(ofFileIfPresent: statePath) else { return }
    if let stored = RecorderState(json: bytes) {
      state = stored
    } else {
      problems.append(
        EventRecorderError(
          .storage, "\(statePath) is damaged, and the current attempts are lost; begin them again, no event is lost"))
    }
  }

  /// Continues an open file of an earlier process, after closing an open file before it.
  private func reopen(_ path: String, first: Int, start: Timestamp) throws(EventRecorderError) {
    // The process was killed between closing the file and deleting the open one.
    if closedFiles.files.contains(where: { $0.first == first }) { return SystemCalls.remove(path) }
    if let earlier = openFile {
      try saveState()
      try close(earlier)
    }
    let tail = FileTail(try SystemCalls.contents(of: path))
    let file = try AppendFile(path)
    if tail.lastLine != .terminated { try file.append([UInt8(ascii: "\n")]) }
    if tail.lastLine == .torn {
      problems.append(
        EventRecorderError(
          .tornLine, "the last line of \(path) is incomplete because the app was killed; one event is lost, no action is needed"
        ))
    }
    openFile = OpenFile(file: file, first: first, eventCount: tail.eventCount, start: start)
    state.nextSequence = max(state.nextSequence, first, tail.lastSequence.map { $0 + 1 } ?? 0)
  }
}

@available(*, unavailable, message: "the recorder's actor owns the folder")
extension RecorderFolder: Sendable {}
