import Foundation

/// The attributes of a recorder's folder that only Apple's systems have.
enum FolderAttributes {
  /// Excludes the folder from backups, and lets it be written while the device is locked.
  ///
  /// A restored phone would continue `seq` from an earlier number and deliver events a second time. Without these attributes events are
  /// recorded all the same, so a failure is no problem to report.
  static func set(of path: String) {
    #if canImport(Darwin)
      var folder = URL(fileURLWithPath: path, isDirectory: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? folder.setResourceValues(values)
      #if !os(macOS)
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
      #endif
    #endif
  }
}
