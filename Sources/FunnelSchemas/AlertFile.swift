public import FunnelModel

/// Reads the rules of alerts.
public enum AlertFile {
  /// Reads a file of rules.
  ///
  /// - Throws: `configuration` with the place of the first problem if the file is wrong or can't be read.
  public static func read(_ path: String) throws(FunnelError) -> AlertRules {
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
