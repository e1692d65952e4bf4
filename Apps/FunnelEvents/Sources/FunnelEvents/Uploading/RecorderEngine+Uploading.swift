import Foundation

// The part of the engine that uploads closed files, one after another.

extension RecorderEngine {
  /// Starts to upload closed files, unless that is in progress or a server asked to wait.
  ///
  /// - Parameter atOnce: Whether to end a delay of the recorder after a failure.
  func startUploads(atOnce: Bool = false) {
    guard let uploader = configuration.uploader, !isClosed, uploads.current == nil, let folder else { return }
    guard uploads.endPause(early: atOnce || shouldTryAnotherFile(of: folder)) else { return endWaits() }
    if atOnce { uploads.failures = 0 }
    guard let file = nextFile(of: folder) else { return endWaits() }
    begin(file, in: folder, uploader)
  }

  /// Returns whether to upload a file that was never tried without waiting for the end of the delay after a failure.
  private func shouldTryAnotherFile(of folder: RecorderFolder) -> Bool {
    uploads.isOpenToOthers && folder.closedFiles.files.contains { uploads.failuresByFile[$0.name] == nil }
  }

  /// Returns the oldest of the files with the fewest failures, or `nil` if there is no file.
  private func nextFile(of folder: RecorderFolder) -> ClosedFiles.File? {
    folder.closedFiles.forgetMissing()
    let names = Set(folder.closedFiles.files.map(\.name))
    uploads.failuresByFile = uploads.failuresByFile.filter { names.contains($0.key) }
    return folder.closedFiles.files.min {
      (uploads.failuresByFile[$0.name] ?? 0, $0.first) < (uploads.failuresByFile[$1.name] ?? 0, $1.first)
    }
  }

  private func begin(_ file: ClosedFiles.File, in folder: RecorderFolder, _ uploader: any EventUploader) {
    let eventFile = preparedFile(file, of: folder, uploader)
    folder.closedFiles.beginUpload(of: file)
    uploads.count += 1
    let number = uploads.count
    let task = Task(priority: .utility) {
      let result = await uploader.upload(eventFile)
      self.run { $0.end(number, result) }
    }
    uploads.current = UploadState.Current(file: file, number: number, task: task)
  }

  /// Returns a file as the uploader gets it: with times of the device's clock as it is set now, and with the time of sending.
  private func preparedFile(_ file: ClosedFiles.File, of folder: RecorderFolder, _ uploader: any EventUploader) -> EventFile {
    let now = configuration.moment()
    let shift = folder.shift(of: file, to: now)
    var prepared = EventFile(
      url: configuration.directory.appendingPathComponent(file.name), eventCount: file.eventCount, sentAt: now.date)
    do throws(EventRecorderError) {
      if shift != 0 {
        let sentAt = uploader.tellsTimeOfSending ? nil : now.time
        prepared.url = URL(fileURLWithPath: try folder.closedFiles.copy(file, movedBy: shift, sentAt: sentAt))
      } else if !uploader.tellsTimeOfSending {
        try folder.closedFiles.stamp(file, sentAt: now.time)
      }
    } catch {
      reportStorage(error)
      // Without room for a copy, the server may correct the times: this is the time of sending by the clock that dated the events.
      prepared.sentAt -= TimeInterval(shift) / 1000
    }
    return prepared
  }

  /// Ends an upload, and begins the next or a pause.
  private func end(_ number: Int, _ result: UploadResult) {
    // An upload that was cancelled has ended already.
    guard let current = uploads.current, current.number == number, let folder else { return }
    let file = current.file
    uploads.current = nil
    switch result {
    case .delivered:
      endDelivery(of: file, in: folder, rejected: [])
    case .partlyDelivered(let reasons):
      endDelivery(of: file, in: folder, rejected: reasons)
    case .discard(let reason):
      folder.endUpload(isFileKept: false)
      useRoom(of: folder)
      noteEnd(of: file, .discarded)
      noteSuccess()
      counts.discarded += file.eventCount
      let verb = file.eventCount == 1 ? "is" : "are"
      report(EventRecorderError(.discarded, "\(Self.events(file.eventCount)) of \(file.name) \(verb) lost: \(reason)"))
    case .retry(let delay, let reason):
      folder.endUpload(isFileKept: true)
      noteEnd(of: file, .kept)
      pause(delay, after: file, reason)
    }
    startUploads()
  }

  private func endDelivery(of file: ClosedFiles.File, in folder: RecorderFolder, rejected reasons: [String]) {
    // A file may have more lines than events: the first part of an event that was cut by a kill.
    let rejectedCount = min(reasons.count, file.eventCount)
    folder.endUpload(isFileKept: false)
    useRoom(of: folder)
    noteEnd(of: file, .delivered(rejectedCount: rejectedCount))
    noteSuccess()
    if !reasons.isEmpty {
      counts.rejectedByServer += rejectedCount
      report(EventRecorderError(.rejected, Self.sentence(about: reasons, of: file.name)))
    }
    deliverIfDue(folder)
  }

  /// Returns the problem of events that the server rejected.
  private static func sentence(about reasons: [String], of file: String) -> String {
    let counts = Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    let list = counts.map { "\($0.key.printable): \($0.value)" }.joined(separator: ", ")
    let isClockWrong = reasons.contains(EventRecorderError.Code.timestampOutOfRange.rawValue)
    let remedy =
      isClockWrong ? "check the device's clock, which may be more than a day wrong" : "find them among its dead letters"
    return "the server rejected \(events(reasons.count)) of \(file) (\(list)); \(remedy)"
  }

  private static func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

  /// Uses the room on the disk that a deleted file leaves: writes events that wait, and closes the open file for callers of `flush`.
  private func useRoom(of folder: RecorderFolder) {
    writeWaiting()
    guard uploads.waiters.contains(where: { $0.unclosedCount > 0 }) else { return }
    tryToCloseOpenFile(of: folder)
    for index in uploads.waiters.indices where uploads.waiters[index].unclosedCount > 0 {
      uploads.waiters[index].expect(folder.closedFiles.files, unclosedCount: folder.unclosedCount)
    }
  }

  /// Notes that the server answered as it should.
  private func noteSuccess() {
    uploads.failures = 0
    uploads.failedInARow = []
  }

  /// Closes the open file for delivery if its events have waited for long, because uploads waited after a failure.
  private func deliverIfDue(_ folder: RecorderFolder) {
    guard folder.isDue(adding: 0, at: configuration.moment(), ageMax: configuration.flushInterval) else { return }
    tryToCloseOpenFile(of: folder)
  }

  /// Begins a pause after a failure.
  private func pause(_ delay: RetryDelay, after file: ClosedFiles.File, _ reason: String) {
    uploads.failures += 1
    uploads.failuresByFile[file.name, default: 0] += 1
    uploads.failedInARow.insert(file.name)
    let next: String
    switch delay {
    case .automatic:
      let seconds = delayAfterFailures(uploads.failures)
      uploads.pause = .delay(wake(after: seconds))
      next = "in \(Int(seconds)) s"
    case .seconds(let wished):
      // A server that asks for no delay is not asked again without end.
      let seconds = max(wished, configuration.uploadDelayMin)
      uploads.pause = .serverDelay(wake(after: seconds))
      next = "in \(Int(seconds)) s"
    case .atMost(let wished):
      let seconds = max(wished, configuration.uploadDelayMin)
      uploads.pause = .longDelay(wake(after: seconds))
      next = "in \(Int(seconds)) s, at the next launch, or by flush()"
    case .nextLaunch:
      uploads.pause = .untilNextLaunch
      next = "at the next launch"
    }
    report(EventRecorderError(.upload, "\(file.name) was not uploaded (\(reason)); the next try is \(next)"))
  }

  private func wake(after seconds: TimeInterval) -> Task<Void, Never> {
    let sleep = configuration.sleep
    uploads.pauseCount += 1
    let number = uploads.pauseCount
    // The task does not retain the engine while it sleeps.
    return Task(priority: .utility) { [weak self] in
      guard (try? await sleep(seconds)) != nil else { return }
      self?.run { $0.endPause(number) }
    }
  }

  /// Ends a pause at its time, unless it was ended before.
  private func endPause(_ number: Int) {
    guard number == uploads.pauseCount, let folder else { return }
    uploads.pause = .none
    deliverIfDue(folder)
    startUploads()
  }

  /// Returns a delay that doubles with each failure, reduced by a random share of up to a half, so that not all devices
  /// retry at the same time.
  private func delayAfterFailures(_ failures: Int) -> TimeInterval {
    assert(failures > 0, "a delay follows a failure")
    var delay = configuration.uploadDelayMin
    for _ in 1..<failures where delay < configuration.uploadDelayMax { delay *= 2 }
    return min(delay, configuration.uploadDelayMax) * Double.random(in: 0.5...1)
  }

  /// Cancels the upload in progress and any pause, and ends all waits.
  func cancelUploads() {
    if let current = uploads.current {
      current.task.cancel()
      uploads.current = nil
      folder?.endUpload(isFileKept: true)
    }
    switch uploads.pause {
    case .delay(let task), .longDelay(let task), .serverDelay(let task): task.cancel()
    case .none, .untilNextLaunch: break
    }
    endWaits()
  }
}
