extension FunnelError {
  /// Calls a body and returns its result. An error of another type becomes `inputOutput`.
  package static func catching<Result>(_ body: () throws -> Result) throws(FunnelError) -> Result {
    do {
      return try body()
    } catch let error as FunnelError {
      throw error
    } catch {
      throw FunnelError(.inputOutput, "\(error)")
    }
  }
}
