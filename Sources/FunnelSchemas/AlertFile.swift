package import FunnelModel

/// Reads files of alert rules.
package enum AlertFile {
  /// Reads a file of alert rules.
  ///
  /// - Throws: `configuration` with the position of the first problem if the file is invalid or does not exist.
  package static func read(_ path: String) throws(FunnelError) -> AlertRules {
    do throws(FunnelError) {
      guard try ConfigurationFile.kind(of: path) == .file else {
        throw FunnelError(.configuration, "\(path.printable): not a file, give a file of alert rules")
      }
      return try AlertRules(parsing: try ConfigurationFile.bytes(of: path), source: path)
    } catch {
      throw error.code == .noInput ? FunnelError(.configuration, error.message) : error
    }
  }
}
