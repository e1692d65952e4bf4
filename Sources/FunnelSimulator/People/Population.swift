/// Derives the personas of all subjects.
struct Population {
  private let seed: UInt64
  private let subjects: Int
  private let isLate: Bool
  private let isFaulty: Bool
  /// The possible builds of each known app, by its number, grouped by the flow version they ship.
  private let builds: [[[AppBuild]]]
  private let weights: [[[Int]]]

  init(options: SimulationOptions, selection: FlowSelection) {
    seed = options.seed
    subjects = options.subjects
    isLate = options.includesLate
    isFaulty = options.includesFaults
    builds = SimulatedApp.known.map { app in
      let versions = Self.versions(of: app, in: selection)
      return versions.map { version in app.builds.filter { Int($0.flowVersion) == version } }
    }
    weights = builds.map { $0.map { $0.map(\.weight) } }
  }

  /// Returns the onboarding versions that an app's builds may ship: the selected ones, or all if only other flows of the app are
  /// selected.
  private static func versions(of app: SimulatedApp, in selection: FlowSelection) -> [Int] {
    for flow in SimulatedFlow.allCases where flow.app == app && flow.versionCount > 1 && selection.contains(flow) {
      return selection.versions(of: flow)
    }
    return Set(app.builds.map { Int($0.flowVersion) }).sorted()
  }

  /// Returns the persona of an app's subject, always the same one for the same index.
  func persona(of app: SimulatedApp, index: UInt32) -> Persona {
    let key = SplitMix64.combine(seed, app.number << 32 | UInt64(index))
    var random = RandomSource(seed: key)
    let build = build(of: app, index: index, &random)
    var persona = Persona(
      key: key, app: app, build: build,
      system: random.index(byWeight: DeviceTraits.systemWeights),
      device: random.index(byWeight: DeviceTraits.deviceWeights),
      place: random.index(byWeight: DeviceTraits.placeWeights),
      isVariantB: random.chance(0.5), latencyMilliseconds: random.integer(in: 40...900),
      clockSkewMilliseconds: 0, syncPeriodMilliseconds: 0, fault: .none)
    if isLate { persona.syncPeriodMilliseconds = Self.syncPeriod(&random) }
    if isFaulty { Self.addFaults(to: &persona, &random) }
    return persona
  }

  private func build(of app: SimulatedApp, index: UInt32, _ random: inout RandomSource) -> AppBuild {
    guard app.number < UInt64(builds.count) else { return app.builds[0] }
    let choices = builds[Int(app.number)]
    let generation = choices.count > 1 && random.chance(newGenerationShare(index)) ? 1 : 0
    return choices[generation][random.index(byWeight: weights[Int(app.number)][generation])]
  }

  /// Returns the share of installs with the newer version, which rises from 30 % of the first installs to 80 % of the last.
  private func newGenerationShare(_ index: UInt32) -> Double {
    0.3 + 0.5 * Double(index) / Double(subjects)
  }

  /// Returns the sync interval in milliseconds, or 0. About one subject in forty is mostly offline and syncs every 30 to 90 hours.
  private static func syncPeriod(_ random: inout RandomSource) -> Int64 {
    let period = random.integer(in: 30 * 3_600_000...90 * 3_600_000)
    return random.chance(0.024) ? period : 0
  }

  /// Adds faults at random: about 4 % of clocks are minutes to a day off, and some of the other subjects meet a defect of the app. No
  /// subject has both, so that correcting a wrong clock gives the times of a path without defects.
  private static func addFaults(to persona: inout Persona, _ random: inout RandomSource) {
    let skew = random.logNormal(medianMilliseconds: 900_000, spread: 1.3)
    let isAhead = random.chance(0.5)
    if random.chance(0.04) { persona.clockSkewMilliseconds = isAhead ? skew : -skew }
    let fault = Fault.draw(in: persona.app, persona.build, &random)
    if persona.clockSkewMilliseconds == 0 { persona.fault = fault }
  }
}
