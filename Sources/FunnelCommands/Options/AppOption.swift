import FunnelModel

/// The `--app` option: the app of events that do not name one.
enum AppOption {
  /// Returns the name of an app, or `nil` if none is given. Throws `usage` if it is not a valid name.
  static func checked(_ app: String?) throws(FunnelError) -> String? {
    guard let app else { return nil }
    guard FlowReference("\(app)/x") != nil else {
      throw FunnelError(
        .usage, "not an app, --app \(app.printable), write lower-case letters, digits and underscores, beginning with a letter")
    }
    return app
  }
}
