import FunnelModel

/// The flow clarity/connection: people reach others without being challenged to; each connection is one attempt.
extension SubjectPath {
  private static let connectionsADay = [42, 30, 18, 10]
  private static let connectionTypes: [ConnectionType] = [.text, .reply, .call, .voiceMemo, .facetime]
  private static let connectionWeights = [36, 26, 20, 10, 8]

  mutating func runClarityConnections() {
    enter(.clarityConnection)
    throughActiveDays { run in
      for _ in 0..<run.random.index(byWeight: Self.connectionsADay) { run.connect() }
    }
  }

  private mutating func connect() {
    now += 120_000 + random.logNormal(medianMilliseconds: 7_200_000, spread: 0.8)
    let type = Self.connectionTypes[random.index(byWeight: Self.connectionWeights)]
    let duration: Int64 =
      switch type {
      case .text, .reply: 30_000 + random.logNormal(medianMilliseconds: 45_000, spread: 0.8)
      case .voiceMemo: 5_000 + random.logNormal(medianMilliseconds: 25_000, spread: 0.7)
      case .call, .facetime: 11_000 + random.logNormal(medianMilliseconds: 190_000, spread: 1)
      }
    now += duration
    log(.known(.connectionLogged), .connection(type, durationSeconds: UInt32(duration / 1000)))
    attempt += 1
  }
}
