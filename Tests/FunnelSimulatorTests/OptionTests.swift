import FunnelModel
import FunnelSimulator
import Testing

private let known =
  "cleaner/permissions_flow, trendy/onboarding, clarity/onboarding, clarity/prosocial_challenge, clarity/paywall, "
  + "clarity/subscription, clarity/connection, clarity/focus_session, smilepile/onboarding, all"

private func expectUsageError(
  _ message: String, _ options: SimulationOptions, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(throws: FunnelError(.usage, message), sourceLocation: sourceLocation) { try Simulation(options) }
}

@Test func `an unknown flow is refused with what was probably meant`() {
  expectUsageError(
    "--flow trendy/onbording: no such flow; did you mean trendy/onboarding? The flows are \(known)",
    .sample(["trendy/onbording"]))
  expectUsageError("--flow acme/checkout: no such flow; The flows are \(known)", .sample(["acme/checkout"]))
  expectUsageError(
    "--flow al: write it as APP/FLOW or APP/FLOW@VERSION; did you mean all? The flows are \(known)", .sample(["al"]))
}

@Test func `an unknown version is refused with those there are`() {
  expectUsageError(
    "--flow clarity/onboarding@3: there is no version 3, use @1 or @2 or leave it out", .sample(["clarity/onboarding@3"]))
  expectUsageError("--flow clarity/paywall@2: there is no version 2, use @1 or leave it out", .sample(["clarity/paywall@2"]))
}

@Test func `numbers and days out of range are refused`() {
  expectUsageError("--subjects 0: give a whole number from 1 to 1000000000", .sample(subjects: 0))
  expectUsageError("--days 0: give a whole number from 1 to 3650", .sample(days: 0))
  expectUsageError("--days 3651: give a whole number from 1 to 3650", .sample(days: 3651))
  var early = SimulationOptions.sample()
  early.start = CivilDate(daysSinceEpoch: 0)
  expectUsageError("--from 1970-01-01: the day is out of range, use one from 2007-01-02 to 9000-01-01", early)
  expectUsageError("no flow to simulate, name one with --flow: \(known)", .sample([]))
}

@Test func `one subject and one day are enough`() throws {
  let log = try SimulatedLog(.sample(["trendy/onboarding"], subjects: 1, days: 1))
  #expect(Set(log.parsed().map(\.subject)).count == 1)
}
