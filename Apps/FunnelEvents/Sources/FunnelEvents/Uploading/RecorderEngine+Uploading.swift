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
    let now = configuration.clock()
    if !uploader.tellsTimeOfSending {
      do throws(EventRecorderError) { try folder.closedFiles.stamp(file, sentAt: Timestamp(now)) } catch { report(error) }
    }
    folder.closedFiles.beginUpload(of: file)
    uploads.count += 1
    let number = uploads.count
    let url = configuration.directory.appendingPathComponent(file.name)
    let eventFile = EventFile(url: url, eventCount: file.eventCount, sentAt: now)
    let task = Task(priority: .utility) {
      let result = await uploader.upload(eventFile)
      self.run { $0.end(number, result) }
    }
    uploads.current = UploadState.Current(file: file, number: number, task: task)
  }

  /// Ends an upload, and begins the next or a pause.
  private func end(_ number: Int, _ result: UploadResult) {
    // An upload that was cancelled has ended already.
    guard let current = uploads.current, current.number == number, let folder else { return }
    let file = current.file
    uploads.current = nil
    switch result {
    case .delivered:
      folder.closedFiles.endUpload(isFileKept: false)
      noteEnd(of: file, .delivered)
      noteSuccess()
      deliverIfDue(folder)
    case .discard(let reason):
      folder.closedFiles.endUpload(isFileKept: false)
      noteEnd(of: file, .discarded)
      noteSuccess()
      counts.discarded += file.eventCount
      let events = file.eventCount == 1 ? "1 event" : "\(file.eventCount) events"
      report(EventRecorderError(.discarded, "\(events) of \(file.name) are lost: \(reason)"))
    case .retry(let delay, let reason):
      folder.closedFiles.endUpload(isFileKept: true)
      noteEnd(of: file, .kept)
      pause(delay, after: file, reason)
    }
    startUploads()
  }

  /// Notes that the server answered as it should.
  private func noteSuccess() {
    uploads.failures = 0
    uploads.failedInARow = []
  }

  /// Closes the open file for delivery if its events have waited for long, because uploads waited after a failure.
  private func deliverIfDue(_ folder: RecorderFolder) {
    guard folder.isDue(adding: 0, at: Timestamp(configuration.clock()), ageMax: configuration.flushInterval) else { return }
    do throws(EventRecorderError) { try closeOpenFile(of: folder) } catch { report(error) }
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
      folder?.closedFiles.endUpload(isFileKept: true)
    }
    switch uploads.pause {
    case .delay(let task), .serverDelay(let task): task.cancel()
    case .none, .untilNextLaunch: break
    }
    endWaits()
  }
}
