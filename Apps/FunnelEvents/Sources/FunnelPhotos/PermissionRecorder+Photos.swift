#if canImport(Photos)
  public import FunnelEvents
  import Photos

  extension PermissionRecorder {
    /// Asks for the photo library, to read and write, and records the answer.
    ///
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @discardableResult
    public func requestPhotos() async -> PermissionOutcome? {
      await ask(isDetermined: photosStatus() != LibraryStatus.notDetermined.rawValue) {
        let status = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
          if #available(iOS 14, macOS 11, tvOS 14, *) {
            PHPhotoLibrary.requestAuthorization(for: .readWrite) { continuation.resume(returning: $0.rawValue) }
          } else {
            PHPhotoLibrary.requestAuthorization { continuation.resume(returning: $0.rawValue) }
          }
        }
        return LibraryStatus(rawValue: status).flatMap { PermissionOutcome($0) }
      }
    }

    private func photosStatus() -> Int {
      if #available(iOS 14, macOS 11, tvOS 14, *) {
        return PHPhotoLibrary.authorizationStatus(for: .readWrite).rawValue
      }
      return PHPhotoLibrary.authorizationStatus().rawValue
    }
  }
#endif
