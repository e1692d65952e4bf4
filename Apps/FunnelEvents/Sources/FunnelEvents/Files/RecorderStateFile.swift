/// The file of a recorder's state, and the state itself, which is in force as soon as it is changed, also while it can't be stored.
///
/// On a full disk the state is stored in the room of a spare file.
struct RecorderStateFile {
  private let path: String
  private let write: SystemCalls.Write
  /// The room for the state on a full disk.
  private let spare: SpareFile
  /// The state. What is set here is stored by the next ``save()``.
  var state = RecorderState()
  /// Whether a change of the state is in force that could not be stored.
  private(set) var hasUnstoredChange = false
  /// The number of dropped events that the stored state does not count yet.
  private(set) var unstoredDropCount = 0

  /// Creates the file of a folder, with the state of a new one.
  init(in folder: String, write: @escaping SystemCalls.Write) {
    path = folder + "/recorder.state"
    spare = SpareFile(folder + "/recorder.spare", write: write)
    self.write = write
  }

  /// Reads the state of earlier processes. Without one, the state stays new, with a new ID.
  ///
  /// - Returns: A problem if the file is damaged, or `nil`.
  /// - Throws: ``EventRecorderError`` if the file can't be read.
  mutating func read() throws(EventRecorderError) -> EventRecorderError? {
    guard let bytes = try SystemCalls.contents(ofFileIfPresent: path) else { return nil }
    guard let stored = RecorderState(json: bytes) else {
      return EventRecorderError(
        .storage, "\(path) is damaged, and the current attempts are lost; begin them again, no event is lost")
    }
    state = stored
    return nil
  }

  /// Changes the state and stores it, unless the change makes no difference.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored. The state is then as before.
  mutating func change(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    let before = state
    body(&state)
    guard state != before else { return }
    do throws(EventRecorderError) {
      try save()
    } catch {
      state = before
      throw error
    }
  }

  /// Changes the state at once, and stores it, unless the change makes no difference.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored now. The change is in force all the same.
  mutating func enforce(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    let before = state
    body(&state)
    guard state != before else { return }
    noteUnstoredChange()
    try save()
  }

  /// Counts dropped events. The count is stored later.
  mutating func countDropped(_ count: Int) {
    state.dropped += count
    unstoredDropCount += count
    noteUnstoredChange()
  }

  /// Notes that the state has a change which is not stored.
  mutating func noteUnstoredChange() { hasUnstoredChange = true }

  /// Continues `seq` not before a number.
  mutating func advance(to sequence: Int) { state.nextSequence = max(state.nextSequence, sequence) }

  /// Stores the state.
  ///
  /// - Throws: ``EventRecorderError`` if it fails, also in the room of the spare file.
  mutating func save() throws(EventRecorderError) {
    do throws(EventRecorderError) {
      try SystemCalls.replace(path, with: state.json, write: write)
    } catch {
      guard saveInSpareRoom() else { throw error }
    }
    reserveRoom()
    hasUnstoredChange = false
    unstoredDropCount = 0
  }

  /// Makes the spare file, because the disk may be full later.
  func reserveRoom() { spare.reserve() }

  /// Stores the state on a full disk. Returns whether that succeeded.
  private func saveInSpareRoom() -> Bool {
    if spare.replace(path, with: state.json) { return true }
    // The clocks of many closed files need the most room, and can be missed: the server corrects times too.
    var smaller = state
    smaller.clocks = [:]
    return !state.clocks.isEmpty && spare.replace(path, with: smaller.json)
  }
}
