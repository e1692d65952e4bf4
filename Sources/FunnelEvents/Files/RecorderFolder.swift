import FunnelModel

/// The folder of a recorder: at most one open file, closed files, the state, and a lock.
///
/// A process may be killed between any two system calls, so each call leaves a folder from which the next process recovers:
/// - A line is written by one call, so at most the last line of the open file is incomplete. The next process ends it with a
///   line feed, and readers reject only that line.
/// - A closed file is complete before it gets its name, and the open file is deleted afterwards. If both exist, the next
///   process deletes the open one.
final class RecorderFolder {
  /// A closed file.
  struct ClosedFile: Hashable {
    var name: String
    /// The `seq` of the first event.
    var first: Int
    var eventCount: Int
    var byteCount: Int
  }

  /// The open file.
  struct OpenFile {
    var file: AppendFile
    /// The `seq` of the first event.
    var first: Int
    var eventCount: Int
    /// The time at which it was opened.
    var start: Timestamp
  }

  let path: String
  private let fileBytesMax: Int
  private let closedBytesMax: Int
  private let lock: FolderLock
  /// The state, which is stored by ``saveState()``.
  var state: RecorderState
  /// The open file, or `nil` if there is none.
  var openFile: OpenFile?
  /// The closed files, oldest first.
  var closedFiles: [ClosedFile] = []
  /// The problems that ``takeProblems()`` has not returned yet.
  var problems: [EventRecorderError] = []

  /// Opens a folder, creates it if it does not exist, and recovers the files of earlier processes.
  ///
  /// - Throws: ``EventRecorderError`` with the code `storage`, or `folderInUse` if another recorder holds it.
  init(at path: String, fileBytesMax: Int, closedBytesMax: Int) throws(EventRecorderError) {
    precondition(fileBytesMax > 0 && closedBytesMax >= 0, "the limits of a folder are not negative")
    self.path = path
    self.fileBytesMax = fileBytesMax
    self.closedBytesMax = closedBytesMax
    try SystemCalls.makeFolder(path)
    lock = try FolderLock(path + "/lock")
    state = RecorderState()
    try recover()
  }

  /// The size of all event files.
  var byteCount: Int { closedFiles.reduce(openFile?.file.byteCount ?? 0) { $0 + $1.byteCount } }

  /// Returns the problems since the last call.
  func takeProblems() -> [EventRecorderError] {
    defer { problems = [] }
    return problems
  }

  /// Returns whether the open file must be closed before more bytes are appended, because of its size or its age.
  func isDue(adding byteCount: Int, at now: Timestamp, ageMax: Duration) -> Bool {
    guard let openFile, openFile.eventCount > 0 else { return false }
    if openFile.file.byteCount + byteCount > fileBytesMax { return true }
    let age = Duration.milliseconds(now.milliseconds - openFile.start.milliseconds)
    // The age is unknown if the clock was set back. Closing the file then keeps it from growing without end.
    return age >= ageMax || age < .zero
  }

  /// Appends the line of an event.
  func append(_ line: [UInt8], at now: Timestamp) throws(EventRecorderError) {
    assert(line.last == UInt8(ascii: "\n"), "a line ends with a line feed")
    if openFile == nil {
      let name = EventFileName.open(first: state.nextSequence, milliseconds: max(0, now.milliseconds)).text
      openFile = OpenFile(file: try AppendFile(path + "/" + name), first: state.nextSequence, eventCount: 0, start: now)
    }
    // A file that can't be closed may grow to twice its size before events are rejected.
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

  /// Sets the current attempt of a flow, or removes it if the ID is `nil`, and stores the state.
  func setAttempt(_ id: String?, of flow: String) throws(EventRecorderError) {
    guard state.attempts[flow] != id else { return }
    state.attempts[flow] = id
    try saveState()
  }

  /// Counts dropped events. The count is stored with the next change of the state.
  func countDropped(_ count: Int) { state.dropped += count }

  /// Compresses the open file, if it has events, and drops the oldest closed files if there are too many.
  ///
  /// - Parameter inFlight: The name of a closed file that is being uploaded and must not be deleted.
  func closeOpenFile(keeping inFlight: String?) throws(EventRecorderError) {
    guard let openFile else { return }
    // Even a file with only an incomplete line uses up a `seq`, because its name identifies it.
    state.nextSequence = max(state.nextSequence, openFile.first + 1)
    // The state is stored first, so that `seq` continues even if every event file is uploaded and deleted.
    try saveState()
    try closeFile(openFile.file.path, first: openFile.first, eventCount: openFile.eventCount)
    self.openFile = nil
    try boundClosedFiles(keeping: inFlight)
  }

  /// Removes closed files that no longer exist from ``closedFiles``.
  func forgetMissingFiles() {
    closedFiles.removeAll { SystemCalls.size(of: path + "/" + $0.name) == nil }
  }

  /// Deletes a closed file that was uploaded.
  func remove(_ file: ClosedFile) {
    SystemCalls.remove(path + "/" + file.name)
    closedFiles.removeAll { $0.name == file.name }
  }

  func saveState() throws(EventRecorderError) {
    try SystemCalls.replace(path + "/recorder.state", with: state.json)
  }

  func closeFile(_ openPath: String, first: Int, eventCount: Int) throws(EventRecorderError) {
    let name = EventFileName.closed(first: first, count: eventCount, folderID: state.folderID).text
    let compressed = GzipFile.compress(try SystemCalls.contents(of: openPath))
    try SystemCalls.replace(path + "/" + name, with: compressed)
    SystemCalls.remove(openPath)
    closedFiles.append(ClosedFile(name: name, first: first, eventCount: eventCount, byteCount: compressed.count))
  }

  /// Deletes the oldest closed files until the others are within the limit, and records a problem with the number of events.
  func boundClosedFiles(keeping inFlight: String?) throws(EventRecorderError) {
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

@available(*, unavailable, message: "the recorder's actor owns the folder")
extension RecorderFolder: Sendable {}
