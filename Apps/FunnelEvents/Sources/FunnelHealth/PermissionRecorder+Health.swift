#if canImport(HealthKit) && !os(macOS)
  public import FunnelEvents
  public import HealthKit

  extension PermissionRecorder {
    /// Asks for health data and records the answer.
    ///
    /// The system never tells an app whether it may read. For reading, "granted" only means that the person was asked and answered.
    ///
    /// - Parameters:
    ///   - writing: The types that the app wants to write.
    ///   - reading: The types that the app wants to read.
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @discardableResult
    public func requestHealth(
      writing: Set<HKSampleType> = [], reading: Set<HKObjectType>, in store: HKHealthStore = HKHealthStore()
    ) async -> PermissionOutcome? {
      guard HKHealthStore.isHealthDataAvailable() else { return nil }
      let isAsked = await isAskedBefore(writing, reading, in: store)
      return await ask(isDetermined: isAsked) {
        let isAnswered = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
          store.requestAuthorization(toShare: writing, read: reading) { isAnswered, _ in
            continuation.resume(returning: isAnswered)
          }
        }
        guard isAnswered else { return nil }
        return PermissionOutcome(
          healthWriting: writing.compactMap { HealthWriteStatus(rawValue: store.authorizationStatus(for: $0).rawValue) })
      }
    }

    private func isAskedBefore(
      _ writing: Set<HKSampleType>, _ reading: Set<HKObjectType>, in store: HKHealthStore
    ) async -> Bool {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        store.getRequestStatusForAuthorization(toShare: writing, read: reading) { status, _ in
          continuation.resume(returning: status == .unnecessary)
        }
      }
    }
  }
#endif
