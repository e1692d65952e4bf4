package import FunnelModel
package import FunnelStore

extension StoreReader {
  /// The largest number of attempts to read a store that other commands change meanwhile.
  private static let attemptsMax = 5

  /// The consequence of a damaged log for a read.
  package enum DamagePolicy {
    /// The intact part is read.
    case isTolerated
    /// The read fails.
    case isError
  }

  /// Calls a body with a reader of the store at a path. Calls it again with a new reader if it failed because another command
  /// replaced log files.
  ///
  /// - Parameters:
  ///   - moment: The past state of the log to read, or `nil` for the current one.
  ///   - mayRestart: Returns whether the body may be called again after a failure.
  package static func retrying<Result>(
    _ path: String, asOf moment: LogMoment? = nil, damage: DamagePolicy = .isTolerated, while mayRestart: () -> Bool = { true },
    _ body: (StoreReader) throws(FunnelError) -> Result
  ) throws(FunnelError) -> Result {
    var attempt = 1
    while true {
      let opened =
        switch damage {
        case .isTolerated: try openTolerating(path)
        case .isError: try open(path)
        }
      let reader = try opened.at(moment)
      do throws(FunnelError) {
        return try body(reader)
      } catch {
        guard mayRestart(), attempt < attemptsMax, try reader.isOutdated() else { throw error }
        attempt += 1
      }
    }
  }

  /// Returns the number of the commit that a moment denotes.
  ///
  /// - Throws: `noInput` if there is no such commit.
  package func commit(of moment: LogMoment) throws(FunnelError) -> Int {
    switch moment {
    case .time(let time): return lastCommit(at: time)
    case .commit(let number):
      guard number <= commits.count else {
        throw FunnelError(
          .noInput, "no such commit, \(number), \(path.printable) has commits up to \(commits.count), see 'funnel log commits'")
      }
      return number
    }
  }

  /// Returns a reader of the log as of a moment, or this reader if the moment is `nil`.
  private func at(_ moment: LogMoment?) throws(FunnelError) -> StoreReader {
    guard let moment else { return self }
    return asOf(commit: try commit(of: moment))
  }
}
