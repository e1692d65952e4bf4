import FunnelModel
import FunnelSchemas
import FunnelSimulator

/// The input of the kernels: a log that the simulator writes, the same on every machine.
enum SampleLog {
  static let now = Timestamp(milliseconds: 1_796_083_200_000)

  static let catalog: FlowCatalog = {
    guard let catalog = try? FlowCatalog(layers: [BuiltInSchemas.flowFiles]) else {
      preconditionFailure("the built-in flows are broken")
    }
    return catalog
  }()

  /// Returns at least `byteCount` bytes of complete lines, from the onboarding of one app.
  static func lines(byteCount: Int) -> [UInt8] {
    var lines: [UInt8] = []
    let start = CivilDate(daysSinceEpoch: 20_728)
    do {
      let options = SimulationOptions(
        flows: ["trendy/onboarding"], subjects: byteCount / 2000, seed: 7, start: start, days: 20)
      _ = try Simulation(options).run { lines.append(contentsOf: $0) }
    } catch {
      preconditionFailure("the simulator refuses the options of the benchmarks: \(error)")
    }
    precondition(lines.count >= byteCount, "a subject writes more than 2000 bytes")
    return lines
  }
}
